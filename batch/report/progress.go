package report

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// How often the progress is told: on a terminal, and in a pipe.
const (
	terminalEvery = 200 * time.Millisecond
	pipeEvery     = 10 * time.Second
)

// ProgressConfig is what a progress line is drawn from.
type ProgressConfig struct {
	Screen *Screen
	Total  int // rows to be settled
	// Left gives the quota's free slots, and whether one is parked until when.
	Left func() (slots int, parked time.Time)
	// Finish tells when so many rows will have been sent, by the quota.
	Finish func(rows int) time.Time
}

// Progress tells how far a run has come. It implements send.Observer.
type Progress struct {
	config  ProgressConfig
	settled atomic.Int64
	failed  atomic.Int64
	doubt   atomic.Int64
}

// NewProgress returns a Progress at zero.
func NewProgress(config ProgressConfig) *Progress { return &Progress{config: config} }

// Settled counts a row that came to its end.
func (p *Progress) Settled(_ *plan.Op, outcome journal.Type) {
	switch outcome {
	case journal.Fail:
		p.failed.Add(1)
	case journal.Doubt:
		p.doubt.Add(1)
	}
	p.settled.Add(1)
}

// Watch shows the progress until ctx ends: a line that moves on a terminal, a
// line every ten seconds in a pipe.
func (p *Progress) Watch(ctx context.Context) {
	begin := time.Now()
	if !p.config.Screen.Terminal() {
		p.every(ctx, pipeEvery, func() { p.config.Screen.Printf("%s\n", p.line(begin)) })
		return
	}
	bar := progressbar.NewOptions(p.config.Total,
		progressbar.OptionSetWriter(p.config.Screen.w),
		progressbar.OptionSetWidth(20),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}),
		progressbar.OptionClearOnFinish(),
	)
	show := func() {
		// A bar that cannot be drawn is no reason to stop sending.
		bar.Describe(shorten(p.line(begin), max(10, p.config.Screen.width()-30)))
		_ = bar.Set(int(p.settled.Load()))
	}
	show()
	p.every(ctx, terminalEvery, show)
	_ = bar.Clear()
}

func (p *Progress) every(ctx context.Context, interval time.Duration, show func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			show()
		case <-ctx.Done():
			return
		}
	}
}

// line is the progress in words: rows, failures, quota, rate, finish.
func (p *Progress) line(begin time.Time) string {
	now := time.Now()
	settled := int(p.settled.Load())
	parts := []string{fmt.Sprintf("%s of %s", Number(settled), Count(p.config.Total, "row"))}
	if n := int(p.failed.Load()); n > 0 {
		parts = append(parts, Number(n)+" failed")
	}
	if n := int(p.doubt.Load()); n > 0 {
		parts = append(parts, Number(n)+" in doubt")
	}
	slots, parked := p.config.Left()
	if parked.After(now) {
		parts = append(parts, fmt.Sprintf("throttled for %d s", int(parked.Sub(now)/time.Second)+1))
	} else {
		parts = append(parts, fmt.Sprintf("quota %s left", Number(slots)))
	}
	if elapsed := now.Sub(begin).Seconds(); elapsed >= 1 && settled > 0 {
		parts = append(parts, fmt.Sprintf("%.1f/s", float64(settled)/elapsed))
	}
	if rows := p.config.Total - settled; rows > 0 {
		parts = append(parts, "done "+finish(now, p.config.Finish(rows)))
	}
	return strings.Join(parts, " · ")
}
