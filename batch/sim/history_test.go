package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/journal"
)

// history is what happens, in its order.
type history struct {
	seed  uint64
	steps []step
}

// step is one thing that somebody does. What is drawn in the course of it follows from its own seed, so that it is the same where
// others are left out.
type step struct {
	kind kind
	seed uint64
}

type kind string

// The kinds of steps.
const (
	doesImport kind = "import" // an edited file
	doTwo      kind = "import twice at once"
	doesUndo   kind = "undo"
	doesRetry  kind = "retry"
	doesExport kind = "edit an export"
	doesEdit   kind = "edit" // by a person on the platform
	doesLose   kind = "lose"
	doesWait   kind = "wait"
)

var kinds = []kind{
	doesImport, doesImport, doesImport, doesImport, doTwo, doesUndo, doesUndo, doesRetry, doesExport, doesEdit, doesEdit, doesLose,
	doesWait,
}

// draw makes a history of a seed.
func draw(seed uint64) history {
	source := rand.New(rand.NewPCG(seed, 0x41))
	h := history{seed: seed, steps: []step{{doesImport, source.Uint64()}}}
	for range 1 + source.IntN(6) {
		h.steps = append(h.steps, step{one(source, kinds...), source.Uint64()})
	}
	return h
}

func (h history) String() string {
	words := make([]string, len(h.steps))
	for i, s := range h.steps {
		words[i] = string(s.kind)
	}
	return fmt.Sprintf("seed %d, %v: %s", h.seed, settings(h.seed), strings.Join(words, ", "))
}

// happens has a history happen, and returns what should not have been.
func (h history) happens(t *testing.T) (failures []string) {
	dir, err := os.MkdirTemp("", "sim-*")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	synctest.Test(t, func(t *testing.T) {
		w, err := newWorld(t, dir, settings(h.seed))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range h.steps {
			w.step(s)
			if len(w.failures) > 0 {
				break
			}
		}
		if len(w.failures) == 0 {
			w.ends()
		}
		w.flying.Wait()
		failures = w.failures
	})
	return failures
}

func (w *world) step(s step) {
	source := rand.New(rand.NewPCG(s.seed, 1))
	m := one(source, w.machines...)
	if clock := rand.New(rand.NewPCG(s.seed, 0xc10c)); w.steps && clock.IntN(2) == 0 {
		w.ahead.Add(int64(time.Duration(clock.IntN(3600)) * time.Second))
	}
	switch s.kind {
	case doesImport:
		w.edits(m, source)
		w.lives(m, source, 1+source.IntN(4), w.imports())
		if w.nights {
			w.passes(m, source)
		}
	case doTwo:
		other := one(source, w.machines...)
		w.edits(m, source)
		var both sync.WaitGroup
		pair := []*machine{m, other}
		if w.nights && other == m { // whoever holds the sync could not be told from who has died
			pair = pair[:1]
		}
		for _, of := range pair {
			own := rand.New(rand.NewPCG(source.Uint64(), 1))
			both.Go(func() { w.lives(of, own, 1+own.IntN(3), w.imports()) })
		}
		both.Wait()
	case doesUndo:
		if w.undo {
			if len(m.table.rows) > 0 && source.IntN(2) == 0 { // a run that changes something, instead of one that makes it
				one(source, m.table.rows...).change("max_capacity", source)
				w.lives(m, source, 6, w.imports())
			}
			if source.IntN(2) == 0 {
				if err := w.touches(m, source); err != nil {
					w.fail("%v", err)
				}
				time.Sleep(5 * time.Minute)
			}
			w.lives(m, source, 1+source.IntN(5), w.undoes(m))
		}
	case doesRetry:
		w.edits(m, source)
		w.refuses.Store(true)
		w.lives(m, source, 1, w.imports())
		w.refuses.Store(false)
		w.lives(m, source, 1+source.IntN(3), w.retries(m))
	case doesExport:
		m.table.exported = false
		w.lives(m, source, 2+source.IntN(4), w.returns(source.Uint64()))
	case doesEdit:
		w.edit(source)
		if w.moves && source.IntN(4) == 0 { // all that a calendar has
			for _, e := range w.platform.Events() {
				w.puts(e.ID, "calendar_id", source)
			}
		}
		if source.IntN(2) == 0 { // by then no list lags, and whoever overwrites it has seen it
			time.Sleep(5 * time.Minute)
		}
	case doesLose:
		if source.IntN(3) == 0 {
			w.loses(m, source)
		}
	case doesWait:
		time.Sleep(time.Duration(source.IntN(600)) * time.Second)
	}
}

// lives has processes do something over a machine's folder, one after another, until it is done or some have tried. Most of
// them die on the way.
func (w *world) lives(m *machine, source *rand.Rand, most int, do act) {
	for range most {
		var d death
		if source.IntN(4) > 0 {
			d = death{1 + source.IntN(1+source.IntN(120)), one(source, before, midway, after), source.IntN(3) == 0}
		}
		if done, _ := w.life(m, d, source.Uint64(), do); done {
			return
		}
		time.Sleep(time.Second + time.Duration(source.IntN(one(source, 4_000, 90_000)))*time.Millisecond) // within the lag of lists, or not
	}
}

// life is that of one process.
func (w *world) life(m *machine, d death, seed uint64, do act) (done bool, err error) {
	p, err := w.begin(m, d, seed)
	if err != nil {
		w.fail("no process can begin: %v", err)
		return false, err
	}
	done, err = do(p)
	died := p.end()
	w.struck(died, d)
	if damaged, ok := errors.AsType[*journal.DamagedError](err); ok && !died {
		w.fail("a journal is damaged: %v", damaged)
	}
	return done && !died, err
}
