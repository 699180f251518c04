package files

import (
	"bytes"
	stdcmp "cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/journal"
)

// anyRecord draws a record about one of n ops.
func anyRecord(n int) *rapid.Generator[journal.Record] {
	return rapid.Custom(func(t *rapid.T) journal.Record {
		r := journal.Record{
			Type: rapid.SampledFrom([]journal.Type{
				journal.Intent, journal.OK, journal.No, journal.Fail, journal.Doubt, journal.Resolved, journal.Skip,
			}).Draw(t, "type"),
			At:   time.UnixMilli(rapid.Int64Range(1, 1e13).Draw(t, "at")),
			Op:   rapid.IntRange(0, n-1).Draw(t, "op"),
			Hash: rapid.StringMatching(`[0-9a-f]{0,32}`).Draw(t, "hash"),
		}
		if r.Type == journal.Intent || rapid.Bool().Draw(t, "with operation") {
			r.Operation = rapid.SampledFrom([]string{"events/create", "events/update", "events/cancel", "guests/add"}).Draw(t, "operation")
			r.Key = journal.KeyHash("cal-1", rapid.String().Draw(t, "key"))
		}
		if rapid.Bool().Draw(t, "with event") {
			r.EventID = "evt-" + rapid.StringMatching(`[A-Za-z0-9]{1,20}`).Draw(t, "event")
		}
		if r.Type == journal.Fail {
			r.Status = rapid.IntRange(400, 599).Draw(t, "status")
			r.Fields = []journal.FieldError{{Path: "name", Reason: "is taken"}}[:rapid.IntRange(0, 1).Draw(t, "fields")]
		}
		return r
	})
}

const modelOps = 5

// model is a run on a disk that forgets and fails, and what is known about it.
type model struct {
	run     *run
	disk    *memDisk
	journal *journalFile // nil while no process is attached
	records []string     // all that was accepted, in order; behind durable it may be lost
	durable int
	cut     bool // the end was taken away behind everybody's back, since the last attachment
	torn    bool // what stands beside the journal may not have been written whole since
}

// recordName returns a name of what a record says.
func recordName(typ journal.Type, op *int, operation, event, hash, code string, at int64) string {
	if typ == journal.Open || typ == journal.Attach {
		return string(typ)
	}
	return fmt.Sprint(typ, " ", *op, " ", operation, " ", event, " ", hash, " ", code, " ", at)
}

// nameOf tells records apart; those of the journal's own by type alone.
func nameOf(r *journal.Record) string {
	return recordName(r.Type, &r.Op, r.Operation, r.EventID, r.Hash, r.Code, r.At.UnixMilli())
}

// attach takes the run up and holds what it finds against what is known.
func (m *model) attach(t *rapid.T) {
	if m.journal != nil {
		t.Skip("attached")
	}
	if m.durable == 0 {
		m.records, m.durable = []string{string(journal.Open)}, 1
	}
	m.disk.mu.Lock()
	m.disk.faulted = 0
	m.disk.mu.Unlock()
	m.notice(t)
	j, state, err := m.run.Attach(journal.Attachment{Target: target})
	m.journal, _ = j.(*journalFile)
	want := m.observe(t)
	if err != nil {
		m.disk.mu.Lock()
		defer m.disk.mu.Unlock()
		if m.disk.faulted == 0 {
			t.Fatal(err)
		}
		return
	}
	m.durable = len(m.records)
	if last := m.records[m.durable-1]; last != string(journal.Attach) {
		t.Fatalf("the last record is %q", last)
	}
	for i := range state.Ops {
		if m.cut && state.Ops[i].Status == journal.Pending {
			t.Fatalf("op %d would be sent unseen", i)
		}
		if diff := cmp.Diff(want.Ops[i], state.Ops[i], cmp.AllowUnexported(journal.OpState{})); diff != "" {
			t.Fatal(diff)
		}
	}
	m.cut, m.torn = false, false
}

// notice looks at the run before it is taken up: a cut is noticed wherever an event
// might be made twice, and nothing else is taken for one.
func (m *model) notice(t *rapid.T) {
	state, err := m.run.State()
	if err != nil {
		t.Fatal(err)
	}
	if m.cut && state.Tally()[journal.Pending] > 0 {
		t.Fatalf("%d creates would be sent unseen", state.Tally()[journal.Pending])
	}
	if !m.cut && !m.torn && state.Lost != "" {
		t.Fatalf("nothing is lost, but %s", state.Lost)
	}
}

// cutEnd takes records away that had been durable, but for the first.
func (m *model) cutEnd(t *rapid.T) {
	if m.journal != nil || m.durable < 2 || m.torn {
		t.Skip("nothing to cut, or nothing that would tell")
	}
	m.observe(t)
	left := rapid.IntRange(1, m.durable-1).Draw(t, "left")
	m.disk.mu.Lock()
	defer m.disk.mu.Unlock()
	f := m.disk.files[m.run.journalPath()]
	lines := bytes.SplitAfter(f.seen, []byte("\n"))
	text := bytes.Join(lines[:left], nil)
	text = append(text, lines[left][:rapid.IntRange(0, len(lines[left])-1).Draw(t, "more")]...)
	f.seen, f.Stable, f.Changes = text, bytes.Clone(text), nil
	m.records, m.durable, m.cut = m.records[:left], left, true
}

// observe reads what is there: all that was durable, and no more than was recorded, but
// for the doubts and the attachment that may just have been written.
func (m *model) observe(t *rapid.T) *journal.State {
	var found []string
	state := m.run.newState(false)
	fold := m.run.fold(state, &chainSays{})
	_, err := replay("model", bytes.NewReader(m.disk.content(m.run.journalPath())), func(e *entry) error {
		found = append(found, recordName(e.T, stdcmp.Or(e.Op, new(int)), e.Operation, e.Event, e.Hash, e.Code, e.At))
		return fold(e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < m.durable {
		t.Fatalf("%d records were durable, %d are left", m.durable, len(found))
	}
	known := found
	isNew := func(name string) bool { return name == string(journal.Attach) || strings.Contains(name, " lost ") }
	for last := len(known) - 1; last >= m.durable && isNew(known[last]) && (last >= len(m.records) ||
		m.records[last] != known[last]); last-- {
		known = known[:last]
	}
	if diff := cmp.Diff(m.records[:min(len(known), len(m.records))], known); diff != "" {
		t.Fatalf("records differ: %s", diff)
	}
	m.records = found
	return state
}

func (m *model) record(t *rapid.T, durable bool) {
	if m.journal == nil {
		t.Skip("detached")
	}
	r := anyRecord(modelOps).Draw(t, "record")
	if err := r.Check(modelOps); err != nil {
		t.Fatal(err)
	}
	poisoned := m.journal.Err() != nil
	var err error
	if durable {
		err = m.journal.Commit(t.Context(), r)
	} else {
		err = m.journal.Append(r)
	}
	switch {
	case err == nil && poisoned:
		t.Fatal("a poisoned journal took a record")
	case err == nil || durable && !poisoned:
		// A commit that failed may have been written all the same.
		m.records = append(m.records, nameOf(&r))
	}
	if err == nil && durable {
		m.durable = len(m.records)
	}
}

// written waits until all that was appended is in the file, synced or not.
func (m *model) written(t *rapid.T) {
	if m.journal == nil {
		t.Skip("detached")
	}
	for m.journal.Err() == nil && bytes.Count(m.disk.content(m.run.journalPath()), []byte("\n")) < len(m.records) {
		runtime.Gosched()
	}
}

// end makes sure that the goroutines of a dead process are gone.
func (m *model) end() {
	if m.journal != nil {
		_ = m.journal.Close()
		m.journal = nil
	}
}

// TestJournalKeepsItsPromise draws appends, commits, disk faults, killed
// processes, power cuts and lost ends in any order. The ops are creates without slugs.
func TestJournalKeepsItsPromise(t *testing.T) {
	_, run := planned(t, modelOps)
	run.Head().Header.Options.Slug = "keep"
	rapid.Check(t, func(t *rapid.T) {
		m := &model{run: run, disk: newMemDisk()}
		run.in.disk = m.disk
		defer m.end()
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		t.Repeat(map[string]func(*rapid.T){
			"attach": m.attach,
			"append": func(t *rapid.T) { m.record(t, false) },
			"commit": func(t *rapid.T) { m.record(t, true) },
			"sync": func(t *rapid.T) {
				if m.journal != nil && m.journal.Sync(t.Context()) == nil {
					m.durable = len(m.records)
				}
			},
			"written": m.written,
			"close": func(t *rapid.T) {
				if m.journal != nil {
					if m.journal.Close() == nil {
						m.durable = len(m.records)
					}
					m.journal = nil
				}
			},
			"kill": func(*rapid.T) {
				m.disk.kill()
				m.end()
			},
			"power cut": func(*rapid.T) {
				m.disk.crash(random)
				m.end()
				m.cut, m.torn = false, true
			},
			"cut":       m.cutEnd,
			"disk full": func(*rapid.T) { m.disk.fault(noSpace, nil); m.torn = true },
			"short":     func(*rapid.T) { m.disk.fault(errShort, nil); m.torn = true },
			"bad disk":  func(*rapid.T) { m.disk.fault(nil, badDisk) },
		})
	})
}
