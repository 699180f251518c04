package sim

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/feed"
	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/source"
	"eventbatch/mapping/schema"
)

// slept is how the nights of a table have gone, as somebody knows who looks at the files alone.
type slept struct {
	done    bool // the last night was
	reading string
	rows    int
	idle    int // nights since then on which nothing was new
}

// absence is since when the row of an event is gone from the feed, and whether a reading of other contents has lacked it too, half a
// day later.
type absence struct {
	since   time.Time
	reading string
	long    bool
}

const halfADay = 12 * time.Hour

// imports returns the act by which files are imported: at once, or by a night of a sync.
func (w *world) imports() act {
	if w.nights {
		return sleeps
	}
	return imports
}

// sleeps goes through a night of a sync whose feed is the file.
func sleeps(p *process) (done bool, err error) {
	t := p.on.table
	if err := t.write(&p.w.setting); err != nil {
		return false, err
	}
	reading, err := t.reads()
	if err != nil {
		return false, err
	}
	asleep := t.slept.done && t.slept.reading == reading && t.slept.idle < 6
	host, err := p.night()
	if asleep && p.requests() > 0 && !p.isDead() {
		p.w.fail("the feed of %s has nothing new, and %d requests left, and the night ended with %v", t.prefix, p.requests(), err)
	}
	switch {
	case p.isDead():
		return false, err
	case err != nil:
		t.slept.done = false
	case asleep:
		t.slept.idle++
	default:
		t.slept = slept{done: true, reading: reading, rows: len(t.rows)}
	}
	if of := host.planned; err != nil && of != nil && of.Total() == 0 && of.Rows[finding.Unchanged] == len(t.rows) {
		return true, nil // what is gone from the feed, and somebody has changed, is a conflict for good
	} else if err != nil && of != nil && of.Total() == 0 && of.Rows[finding.Status(plan.Blocked)] > 0 {
		return false, p.settles() // an export that was imported is of no sync
	}
	return err == nil, err
}

// reads notes what the feed lacks, and returns the hash of what it says.
func (t *table) reads() (reading string, err error) {
	text, err := os.ReadFile(t.events())
	reading = fmt.Sprintf("%x", sha256.Sum256(text))
	for _, r := range t.removed {
		if r.gone.since.IsZero() {
			r.gone = absence{since: time.Now(), reading: reading}
		}
		r.gone.long = r.gone.long || r.gone.reading != reading && time.Since(r.gone.since) >= halfADay
	}
	return reading, err
}

// night goes through a night. What it remembers at its end is void where the process has died.
func (p *process) night() (*host, error) {
	t, h := p.on.table, &host{p: p}
	folders := night.Folders{Workspace: p.workspace.Folder()}
	const memory = "memory.json"
	was, err := folders.Read(t.prefix, memory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return h, err
	}
	_, err = batch.Sync(p.ctx, batch.SyncConfig{
		Sync:   night.Sync{Name: t.prefix, Kept: t.prefix, Folder: folders.Of(t.prefix)},
		Source: t.prefix, Feed: feed.Config{Source: feed.Source{Path: t.events()}}, Host: h, Screen: h,
	})
	if !p.isDead() {
		return h, err
	}
	if was == nil {
		_ = folders.Remove(t.prefix, memory) // which need not be there
		return h, err
	}
	return h, errors.Join(err, folders.Replace(t.prefix, memory, was))
}

// host has a sync gone through by a process, and tells nobody.
type host struct {
	p       *process
	planned *batch.Planned
}

func (h *host) Store() (journal.Store, error) { return h.p.workspace, nil }

func (h *host) Connect() (*batch.SyncPlan, error) {
	config := batch.PlanConfig{
		Command: "sync", Service: h.p.service, Workspace: h.p.workspace, Options: h.p.compares(),
		Source: source.Config{Name: h.p.on.table.prefix, Missing: h.p.w.missing},
		Allow:  []schema.Effect{schema.Cancels},
	}
	return &batch.SyncPlan{PlanConfig: config, Close: func() {}}, nil
}

func (h *host) Handed(context.Context, string, string) (string, error) { return "", nil }

func (h *host) Plan(ctx context.Context, config batch.PlanConfig) (_ *batch.Planned, err error) {
	if h.planned, err = batch.Plan(ctx, config); err == nil {
		h.p.w.plans(h.p.on)
		h.p.on.table.disagrees = h.planned.Rows["conflict"] > 0
	}
	return h.planned, err
}

func (h *host) Send(_ context.Context, planned *batch.Planned, _ time.Duration, _ finding.Sink) (*batch.Sent, error) {
	applied, err := h.p.applies(planned.Run)
	if err != nil {
		return nil, err
	}
	tally, held := applied.State.Tally(), 0
	for _, status := range []finding.Status{finding.Status(plan.Conflict), finding.Status(plan.Blocked), finding.Invalid} {
		held += planned.Rows[status]
	}
	if tally.Open()+tally[journal.Failed]+tally[journal.Blocked]+held > 0 {
		err = fmt.Errorf("planned %v, came to %v", planned.Rows, tally)
	}
	return &batch.Sent{Rows: planned.Rows}, err
}

func (h *host) Say(string)                     {}
func (h *host) Aside(string)                   {}
func (h *host) LeftBehind([]schema.LeftBehind) {}
func (h *host) Again(flags string) string      { return flags }
func (h *host) Apply(run string) string        { return run }

func (h *host) Exit(_ context.Context, err error, _ finding.Rows) finding.Exit {
	if err != nil {
		return finding.Exit{Code: 3, Reason: "partial", Error: err.Error()}
	}
	return finding.Exit{Reason: "done"}
}

// halves has the feed come without more than half of its rows: nothing may come of that.
func (w *world) halves(m *machine, source *rand.Rand) {
	t := m.table
	if !t.slept.done || t.slept.rows < 3 || len(t.rows) < t.slept.rows/2 {
		return
	}
	w.lives(m, source, 1, func(p *process) (done bool, err error) {
		all := t.rows
		t.rows = all[:(t.slept.rows-1)/2]
		err = t.write(&w.setting)
		t.rows = all
		if err == nil {
			_, err = p.night()
		}
		if err == nil && !p.isDead() {
			w.fail("of %s half of the rows that it had were read, and nobody was warned", t.prefix)
		}
		if !p.isDead() {
			t.slept.done = false
		}
		return true, err
	})
}

// passes has the day pass, and perhaps half a feed come the next night.
func (w *world) passes(m *machine, source *rand.Rand) {
	time.Sleep(time.Duration(source.IntN(16)) * time.Hour)
	if source.IntN(4) == 0 {
		w.halves(m, source)
	}
}

// checkCancel looks whether an event that a night cancels is one of a row that was gone for long.
func (w *world) checkCancel(req *http.Request, body []byte, run *journal.Run) {
	if !strings.HasSuffix(req.URL.Path, "/events/cancel") || run.Header().Command != "sync" {
		return
	}
	for _, e := range w.platform.Events() {
		if !bytes.Contains(body, quoted(e.ID)) {
			continue
		}
		for _, m := range w.machines {
			for _, r := range m.table.rows {
				if r.start.Equal(e.Start) {
					w.fail("run %s cancels the event of row %s, which is there", run.ID(), r.key)
				}
			}
			for _, r := range m.table.removed {
				if r.start.Equal(e.Start) && !r.gone.long {
					w.fail("run %s cancels the event of row %s, which is gone since %v alone", run.ID(), r.key, time.Since(r.gone.since))
				}
			}
		}
	}
}

// wakes goes through nights until what is gone from a feed is gone for long, and nothing is left to do.
func (w *world) wakes(m *machine) {
	if !w.nights {
		w.finishes(m)
		return
	}
	for range 3 {
		w.woken++
		m.table.rows[0].capacity = fmt.Sprint(200 + w.woken)
		w.finishes(m)
		time.Sleep(halfADay + time.Hour)
	}
}
