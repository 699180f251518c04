package report

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
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
		p.every(ctx, pipeEvery, func() { p.config.Screen.Printf("%s\n", p.line(begin, wide)) })
		return
	}
	var bar *progressbar.ProgressBar
	width := 0
	show := func() {
		// The line never wraps: a wrapped one cannot be taken back.
		if now := p.config.Screen.width(); now != width {
			if bar != nil {
				p.wipe(bar)
			}
			bar, width = p.bar(now), now
		}
		// A bar that cannot be drawn is no reason to stop sending.
		bar.Describe(p.line(begin, width-barRoom-barWidth(width)))
		_ = bar.Set(int(p.settled.Load()))
	}
	show()
	p.every(ctx, terminalEvery, show)
	p.wipe(bar)
}

// wipe takes the line back, with whatever a terminal has echoed behind it.
func (p *Progress) wipe(bar *progressbar.ProgressBar) {
	_ = bar.Clear()
	p.config.Screen.Printf("\r\x1b[K")
}

// barRoom is what stands on the line beside the bar and the words: the
// percentage, blanks, and two places for the ^C that a terminal may echo.
const barRoom = 12

func barWidth(width int) int { return min(20, max(0, (width-60)/2)) }

func (p *Progress) bar(width int) *progressbar.ProgressBar {
	return progressbar.NewOptions(p.config.Total,
		progressbar.OptionSetWriter(p.config.Screen.w),
		progressbar.OptionSetWidth(barWidth(width)),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}),
		progressbar.OptionClearOnFinish(),
	)
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

// line is the progress in words: rows, failures, quota, rate, finish. Where the
// room is too small, what can best be done without goes first.
func (p *Progress) line(begin time.Time, room int) string {
	now := time.Now()
	settled := int(p.settled.Load())
	parts := []part{{words: fmt.Sprintf("%s of %s", Number(settled), Count(p.config.Total, "row"))}}
	add := func(rank int, words string) { parts = append(parts, part{words, rank}) }
	if n := int(p.failed.Load()); n > 0 {
		add(1, Number(n)+" failed")
	}
	if n := int(p.doubt.Load()); n > 0 {
		add(2, Number(n)+" in doubt")
	}
	slots, parked := p.config.Left()
	if parked.After(now) {
		add(4, fmt.Sprintf("throttled for %d s", int(parked.Sub(now)/time.Second)+1))
	} else {
		add(5, fmt.Sprintf("quota %s left", Number(slots)))
	}
	if elapsed := now.Sub(begin).Seconds(); elapsed >= 1 && settled > 0 {
		add(6, fmt.Sprintf("%.1f/s", float64(settled)/elapsed))
	}
	if rows := p.config.Total - settled; rows > 0 {
		add(3, left(now, p.config.Finish(rows)))
	}
	return fit(parts, room)
}

// part is a part of the line; the one with the highest rank is left out first.
type part struct {
	words string
	rank  int
}

// fit joins the parts that there is room for.
func fit(parts []part, room int) string {
	for {
		words := make([]string, len(parts))
		least := 0
		for i, p := range parts {
			words[i] = p.words
			if p.rank > parts[least].rank {
				least = i
			}
		}
		line := strings.Join(words, " · ")
		if utf8.RuneCountInString(line) <= room || len(parts) == 1 {
			return printable.Shorten(line, max(0, room))
		}
		parts = slices.Delete(parts, least, least+1)
	}
}
