package journal

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"eventbatch/batch/plan"
)

const baseURL = "https://service.test/api"

var target = plan.Target{BaseURL: baseURL, Calendars: map[string]string{"cal-1": "00112233"}}

// fataler is what a test and a step of a model have in common.
type fataler interface {
	Helper()
	Fatal(...any)
}

func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// heldRuns holds runs in memory, for tests of what does not depend on where they lie.
type heldRuns struct {
	folder string // of temporary files
	runs   []*heldRun
}

func newHeld(t testing.TB) *heldRuns {
	t.Helper()
	return &heldRuns{folder: t.TempDir()}
}

// heldRun is a run of them.
type heldRun struct {
	Stored // what is not below is not asked

	run         *Run
	lines, rows [][]byte
	records     []Record
	number      int
	held        bool
	discarded   bool
}

func (r *heldRun) Appear(d *Drafted) (*Run, error) {
	for text, err := range d.Texts() {
		if err != nil {
			return nil, err
		}
		r.lines, r.rows = append(r.lines, slices.Clone(text.Line)), append(r.rows, slices.Clone(text.Payload))
	}
	head, err := d.Head(r.number)
	if err != nil {
		return nil, err
	}
	r.run = NewRun(head, Files{}, r)
	return r.run, errors.Join(d.Lines.Close(), d.Rows.Close())
}

func (r *heldRun) Discard() error {
	r.discarded = true
	return nil
}

func (r *heldRun) Texts(payloads bool) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		for n := range r.lines {
			text := Text{Line: r.lines[n]}
			if payloads {
				text.Payload = r.rows[n]
			}
			if !yield(text, nil) {
				return
			}
		}
	}
}

func (r *heldRun) Reader() (OpReader, error) { return r, nil }

func (r *heldRun) Op(n int) (*plan.Op, error) {
	op, err := r.run.Decode(n, r.lines[n])
	if err == nil {
		err = r.run.Fill(op, r.rows[n])
	}
	return op, err
}

func (r *heldRun) Close() error { return nil }

func (r *heldRun) Read(names bool) (*State, error) {
	header := r.run.Header()
	state := NewState(&header, r.run.Len(), nil, 0)
	if names {
		state.Naming()
	}
	for i := range r.records {
		if err := state.Apply(&r.records[i]); err != nil {
			return nil, err
		}
	}
	return state, nil
}

// attach notes that a process takes the run up.
func (r *heldRun) attach(turn int) {
	r.held = true
	r.records = append(r.records, Record{Type: Attach, Turn: turn})
}

// record notes what becomes of the ops, as a journal does.
func (r *heldRun) record(t fataler, records ...Record) {
	t.Helper()
	for _, record := range records {
		must(t, record.Check(len(r.lines)))
		r.records = append(r.records, record)
	}
}

// plan makes a run of ops.
func (s *heldRuns) plan(t fataler, h plan.Header, ops ...*plan.Op) *heldRun {
	t.Helper()
	r := &heldRun{number: len(s.runs) + 1}
	created := time.UnixMilli(int64(len(s.runs)) * 1000) // an id begins with it
	own := plan.Header{Run: fmt.Sprint(NewID(created), "-", len(s.runs)), Created: created}
	draft, err := NewDraft(own, s.folder, r)
	must(t, err)
	for _, op := range ops {
		must(t, draft.Add(op))
	}
	h.Target = target
	_, err = draft.Seal(h, nil)
	must(t, err)
	s.runs = append(s.runs, r)
	return r
}

// settled is a memory of keys that gives no more than it has to.
type settled map[Subject]*Fact

func (s settled) Find(of []Subject) (map[Subject]*Fact, error) {
	facts := map[Subject]*Fact{}
	for _, one := range of {
		if f := s[one]; f != nil {
			facts[one] = new(*f)
		}
	}
	return facts, nil
}

func (s settled) All(kind Kind, by []int32) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for of, f := range s {
			wanted := of.Kind == kind && (by == nil || f.OwnBy != Nobody && slices.Contains(by, f.OwnBy.Run))
			if wanted && !yield(Entry{of, new(*f)}, nil) {
				return
			}
		}
	}
}

func (settled) Close() error { return nil }

// add adds what a run says that has come to its end.
func (s settled) add(m *Memory, state *State) {
	number := m.Run(state.Run, state.Source(), state.At)
	for at := range state.Ops {
		state.Say(at, number, func(of Subject, f *Fact) {
			if s[of] == nil {
				s[of] = NewFact()
			}
			s[of].Add(f, m.runs.list())
		})
	}
}

// memory returns what all runs know.
func (s *heldRuns) memory(t fataler) *Memory {
	t.Helper()
	m := NewMemory(time.Now())
	known := settled{}
	var unsettled []Unsettled
	var handed []TakeOver
	for _, r := range s.runs {
		state, err := r.Read(true)
		must(t, err)
		switch {
		case !state.Started:
		case r.held || state.Tally().Open() > 0:
			m.Attached(state.Turn)
			unsettled = append(unsettled, Unsettled{r.run, state, r.held})
		default:
			m.Attached(state.Turn)
			known.add(m, state)
			handed = state.TakeOvers(handed)
		}
	}
	must(t, m.Complete(known, unsettled, handed))
	return m
}

// creates returns ops with the keys key-0, key-1, ….
func creates(n int) []*plan.Op { return ops(n, plan.Create) }

func ops(n int, action plan.Action) []*plan.Op {
	var list []*plan.Op
	for i := range n {
		list = append(list, &plan.Op{
			N: i, Row: plan.Row{Number: i + 2}, Action: action, Operation: OperationOf(string(action)), Reason: "the key is new",
			Event: plan.Event{Calendar: "cal-1", Key: fmt.Sprint("key-", i)}, Hash: fmt.Sprint("hash-", i),
			Payload: plan.Payload{Cells: []string{fmt.Sprint("Tea <&> ", i)}, Body: []byte(`{"name":"Tea"}`)},
		})
	}
	return list
}

func intent(op int, action plan.Action) Record {
	r := Record{
		Type: Intent, Op: op, Operation: OperationOf(string(action)), Key: KeyHash("cal-1", fmt.Sprint("key-", op)),
		Hash: fmt.Sprint("hash-", op),
	}
	if action != plan.Create {
		r.EventID = fmt.Sprint("evt-", op) // an update or cancel knows its event when it leaves
	}
	return r
}

func done(op int) Record { return Record{Type: OK, Op: op, EventID: fmt.Sprint("evt-", op)} }
