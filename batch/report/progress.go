package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
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
	Total  int          // rows to be settled
	Quota  func() Quota // nil where others send
	// Finish returns when so many rows will have been sent, by the quota.
	Finish func(rows int) time.Time
	// Log takes the progress in the place of the screen, where a log is wanted whose lines are objects. Every is how
	// often, ten seconds where it is zero.
	Log   func(words string, so Stand)
	Every time.Duration
}

// Stand is how far a run has come, in rows.
type Stand struct{ Settled, Total, Failed, InDoubt int }

// Quota is the state of the tightest quota of a run.
type Quota struct {
	Left           int       // slots that are free
	Waiting        time.Time // until when nothing can be sent; zero where something can
	ThrottledUntil time.Time // until when the service has asked for silence; zero where it has not
}

// Progress shows how far a run has come. It implements send.Observer.
type Progress struct {
	config  ProgressConfig
	settled atomic.Int64
	failed  atomic.Int64
	doubt   atomic.Int64

	mu      sync.Mutex
	trouble trouble
}

// trouble is a failed attempt after which no row has come to its end yet.
type trouble struct {
	until   time.Time // the next attempt; zero without trouble
	reached bool      // the service was
	settled int64     // rows, when it began
}

// NewProgress returns a Progress at zero.
func NewProgress(config ProgressConfig) *Progress { return &Progress{config: config} }

// Settled counts a row that came to its end.
func (p *Progress) Settled(_ *plan.Op, end *journal.Record) {
	switch end.Type {
	case journal.Fail:
		p.failed.Add(1)
	case journal.Doubt:
		p.doubt.Add(1)
	}
	p.settled.Add(1)
}

// Stand notes how far others have come with the run.
func (p *Progress) Stand(open, failed, doubt int) {
	p.settled.Store(int64(max(0, p.config.Total-open+doubt)))
	p.failed.Store(int64(failed))
	p.doubt.Store(int64(doubt))
}

// Waiting notes that an attempt failed and is made again. Of several that wait, the
// first one says when it goes on.
func (p *Progress) Waiting(until time.Time, reached bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := trouble{until: until, reached: reached, settled: p.settled.Load()}
	if p.trouble.settled == t.settled && p.trouble.until.After(time.Now()) && p.trouble.until.Before(until) {
		return
	}
	p.trouble = t
}

// stuck returns the trouble since which no row has come to its end, and reports
// whether there is one.
func (p *Progress) stuck() (trouble, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trouble, !p.trouble.until.IsZero() && p.trouble.settled == p.settled.Load()
}

// Watch shows the progress until ctx ends: a line that moves on a terminal, a
// line every ten seconds in a pipe.
func (p *Progress) Watch(ctx context.Context) {
	if p.config.Log != nil {
		p.every(ctx, cmp.Or(p.config.Every, pipeEvery), func() {
			p.config.Log(p.line(wide), Stand{
				Settled: int(p.settled.Load()), Total: p.config.Total, Failed: int(p.failed.Load()), InDoubt: int(p.doubt.Load()),
			})
		})
		return
	}
	if !p.config.Screen.Terminal() {
		p.every(ctx, pipeEvery, func() { p.config.Screen.Printf("%s\n", p.line(wide)) })
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
		bar.Describe(p.line(width - barRoom - barWidth(width)))
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

// line is the progress in words: rows, failures, and when it ends, or what it waits
// for. Where the room is too small, what can best be done without goes first.
func (p *Progress) line(room int) string {
	now := time.Now()
	settled := int(p.settled.Load())
	parts := []part{{words: fmt.Sprintf("%s of %s", Number(settled), Number(p.config.Total))}}
	add := func(rank int, words, short string) { parts = append(parts, part{words, short, rank}) }
	if n := int(p.failed.Load()); n > 0 {
		add(1, Number(n)+" failed", "")
	}
	if n := int(p.doubt.Load()); n > 0 {
		add(2, Number(n)+" in doubt", "")
	}
	if settled >= p.config.Total {
		return fit(parts, room)
	}
	finish := p.config.Finish(p.config.Total - settled)
	var quota Quota
	if p.config.Quota != nil {
		quota = p.config.Quota()
	}
	trouble, stuck := p.stuck()
	switch {
	case stuck && (trouble.until.After(now) || !quota.Waiting.After(now)):
		add(3, trouble.words()+", trying again"+in(now, trouble.until), trouble.words())
	case quota.ThrottledUntil.After(now):
		add(3, "throttled, goes on"+in(now, quota.ThrottledUntil), "throttled"+in(now, quota.ThrottledUntil))
		add(4, doneAbout(now, finish), "")
	case quota.Waiting.After(now):
		add(3, "waiting for the quota, goes on"+in(now, quota.Waiting), "waits "+Span(quota.Waiting.Sub(now))+" for the quota")
		add(4, doneAbout(now, finish), "")
	default:
		if p.config.Quota != nil {
			add(5, fmt.Sprintf("quota %s left", Number(quota.Left)), "")
		}
		if words := left(now, finish); words != "" {
			add(3, words, "")
		}
	}
	return fit(parts, room)
}

func (t trouble) words() string {
	if t.reached {
		return "the service fails"
	}
	return "cannot reach the service"
}

// in returns the time until something happens, with a blank before; nothing where that
// is now.
func in(now, at time.Time) string {
	if !at.After(now) {
		return ""
	}
	return " in " + Span(at.Sub(now))
}

// part is a part of the line; the one with the highest rank is left out first.
type part struct {
	words string
	short string // the same in fewer words; may be empty
	rank  int
}

// fit joins the parts that there is room for: said shortly before one is left out.
func fit(parts []part, room int) string {
	for {
		words := make([]string, len(parts))
		least, long := 0, -1
		for i, p := range parts {
			words[i] = p.words
			if p.rank > parts[least].rank {
				least = i
			}
			if p.short != "" {
				long = i
			}
		}
		line := strings.Join(words, " · ")
		switch {
		case Width(line) <= room || len(parts) == 1:
			return shorten(line, room)
		case long >= 0:
			parts[long].words, parts[long].short = parts[long].short, ""
		default:
			parts = slices.Delete(parts, least, least+1)
		}
	}
}
