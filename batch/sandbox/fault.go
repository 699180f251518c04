package sandbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// FaultKind names a way in which an answer goes wrong.
type FaultKind string

// The kinds of faults. Before means that the request takes no effect, after
// that it does; a bad gateway answers with either. Half means that of a request of
// several records the first half takes effect; others are not spoiled so. A replay answers a create with what
// another one was answered before it, and so with the id of another record.
const (
	ResetBefore  FaultKind = "reset-before"
	ResetAfter   FaultKind = "reset-after"
	ErrorBefore  FaultKind = "500-before"
	ErrorAfter   FaultKind = "500-after"
	BadGateway   FaultKind = "502-html"
	CutBody      FaultKind = "cut-body" // after
	Slow         FaultKind = "slow"     // after
	Throttle     FaultKind = "429"      // before; the owner is blocked as if it were over its limit
	ThrottleBare FaultKind = "429-bare" // the same, without Retry-After
	WrongPage    FaultKind = "200-html" // before
	Redirect     FaultKind = "redirect" // before
	ReplayBefore FaultKind = "replay-before"
	ReplayAfter  FaultKind = "replay-after"
	ErrorHalf    FaultKind = "500-half"
	CutHalf      FaultKind = "cut-half"
)

// FaultKinds lists the kinds in the order of the documentation.
func FaultKinds() []FaultKind {
	return []FaultKind{
		ResetBefore, ResetAfter, ErrorBefore, ErrorAfter, BadGateway, CutBody,
		Slow, Throttle, ThrottleBare, WrongPage, Redirect, ReplayBefore, ReplayAfter, ErrorHalf,
		CutHalf,
	}
}

// Fault spoils a share of the answers.
type Fault struct {
	Kind  FaultKind
	Rate  float64       // 0 to 1, of the requests that were admitted
	Delay time.Duration // of Slow; default one second
	Path  string        // only requests whose new path ends so; empty means all
	Times int           // at most so often; 0 means without end

	gateway bool // a bad gateway that let the request through
	which   int  // of the ways in which the request can be spoiled so
}

// ParseFault reads kind:rate or kind:rate:delay, as in reset-after:0.03,
// 500-before:3% or slow:0.1:5s.
func ParseFault(text string) (Fault, error) {
	kind, rest, _ := strings.Cut(text, ":")
	rate, delay, delayed := strings.Cut(rest, ":")
	f := Fault{Kind: FaultKind(kind)}
	scale := 1.0
	if percent, ok := strings.CutSuffix(rate, "%"); ok {
		rate, scale = percent, 100
	}
	number, err := strconv.ParseFloat(rate, 64)
	if err != nil {
		return f, fmt.Errorf("fault %q: the rate is not a number", text)
	}
	f.Rate = number / scale
	if delayed {
		if f.Delay, err = time.ParseDuration(delay); err != nil || f.Kind != Slow || f.Delay <= 0 {
			return f, fmt.Errorf("fault %q: a delay such as 5s goes with %s only", text, Slow)
		}
	}
	if err := f.verify(); err != nil {
		return f, err
	}
	return f, nil
}

func (f Fault) verify() error {
	if !slices.Contains(FaultKinds(), f.Kind) {
		return fmt.Errorf("fault %q: there is no such kind", f.Kind)
	}
	if !(f.Rate >= 0 && f.Rate <= 1) {
		return fmt.Errorf("fault %q: the rate %v is not between 0 and 1", f.Kind, f.Rate)
	}
	return nil
}

// early reports whether the request takes no effect.
func (f Fault) early() bool {
	switch f.Kind {
	case ResetBefore, ErrorBefore, Throttle, ThrottleBare, WrongPage, Redirect, ReplayBefore:
		return true
	case BadGateway:
		return !f.gateway
	}
	return false
}

// faults are drawn from a seeded source.
type faults struct {
	mu     sync.Mutex
	source *rand.Rand
	list   []Fault
	done   []int // how often each was drawn
}

// begin has the faults be drawn from a source of that seed.
func (f *faults) begin(seed uint64) { f.source = rand.New(rand.NewPCG(seed, 0x5eed)) }

func (f *faults) set(list []Fault) error {
	sum := 0.0
	list = slices.Clone(list)
	for i := range list {
		if err := list[i].verify(); err != nil {
			return err
		}
		if list[i].Kind == Slow && list[i].Delay == 0 {
			list[i].Delay = time.Second
		}
		if list[i].Path == "" {
			sum += list[i].Rate
		}
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("faults: the rates add up to %v, more than 1", sum)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list, f.done = list, make([]int, len(list))
	return nil
}

// draw picks at most one fault for a request. Ways is in how many ways it can be spoiled so.
func (f *faults) draw(path string, ways func(FaultKind) int) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == 0 {
		return Fault{}
	}
	at := f.source.Float64()
	for i, fault := range f.list {
		if !strings.HasSuffix(path, fault.Path) || fault.Times > 0 && f.done[i] >= fault.Times {
			continue
		}
		if at < fault.Rate {
			n := ways(fault.Kind)
			if n == 0 {
				return Fault{}
			}
			if n > 1 {
				fault.which = f.source.IntN(n)
			}
			f.done[i]++
			fault.gateway = f.source.IntN(2) == 0
			return fault
		}
		at -= fault.Rate
	}
	return Fault{}
}
