package files

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/own"
)

// Take stores a run of another store. The plan is written last: a folder without one is no run.
func (w *Workspace) Take(from *journal.Run, state *journal.State) error {
	r := w.folder(from.ID())
	r.Run = journal.NewRun(from.Head(), r.files(), r)
	sendings, err := from.Sendings()
	if err == nil {
		err = makeFolder(r.folder)
	}
	if err == nil && state.Dropped.IsZero() {
		err = copyTexts(r.rowsPath(), nil, from.Texts(true), func(text journal.Text) []byte { return text.Payload })
	} else if err == nil {
		err = r.sayDropped(state.Dropped)
	}
	if err == nil {
		err = r.tell(state, sendings)
	}
	if err == nil {
		err = copyTexts(r.planPath(), from.Head().Line, from.Texts(false), func(text journal.Text) []byte { return text.Line })
	}
	return err
}

// copyTexts writes a file of what ops say.
func copyTexts(path string, head []byte, texts iter.Seq2[journal.Text, error], of func(journal.Text) []byte) error {
	return own.Replace(path, func(w io.Writer) error {
		_, err := w.Write(head)
		for text, reading := range texts {
			if err = cmp.Or(err, reading); err == nil {
				_, err = w.Write(of(text))
			}
			if err != nil {
				return err
			}
		}
		return err
	})
}

// tell writes a journal that leads to a state, where there is anything to tell.
func (r *run) tell(s *journal.State, sendings []journal.Sending) error {
	t := &teller{state: s, left: map[int][]time.Time{}, turns: map[int][]int{}}
	for _, sending := range sendings {
		t.left[sending.Op] = append(t.left[sending.Op], sending.At)
	}
	for at := range s.Ops {
		if o := s.Outcome(at); !o.Untold() {
			t.turns[o.Turn] = append(t.turns[o.Turn], at)
		}
	}
	if !s.Started && s.At.IsZero() && len(t.turns) == 0 {
		return nil
	}
	err := own.Replace(r.journalPath(), func(w io.Writer) error {
		t.out = w
		return t.tell(r)
	})
	if err == nil {
		err = own.ReplaceText(r.syncedPath(), appendSynced(nil, t.last.n))
	}
	return err
}

// teller writes the lines that lead to the state of a run of another store.
type teller struct {
	state *journal.State
	left  map[int][]time.Time // when requests left, by the op that was their first
	turns map[int][]int       // the places of the ops of which something is on record, by their turns
	out   io.Writer
	last  chain // the line before
	line  []byte
	err   error
}

func (t *teller) tell(r *run) error {
	s := t.state
	opening := r.opening(s.At)
	if s.Started {
		opening.At = 0 // what comes last says when that was
	}
	t.add(opening)
	turns := slices.Sorted(maps.Keys(t.turns))
	turns = append(slices.DeleteFunc(turns, func(turn int) bool { return turn == s.Turn }), s.Turn)
	attached := turns[:len(turns):len(turns)]
	if turns[0] == 0 && s.Turn != 0 {
		attached = turns[1:] // what comes before all turns needs no attachment
	}
	for range s.Attached - len(attached) {
		t.add(entry{T: journal.Attach})
	}
	for i, turn := range turns {
		if i == len(turns)-1 {
			t.endEarly()
		}
		if s.Started && slices.Contains(attached, turn) {
			t.attach(turn)
		}
		for _, at := range t.turns[turn] {
			o := s.Outcome(at)
			t.op(&o)
		}
	}
	if s.Ended != "" {
		t.record(&journal.Record{Type: journal.End, Code: s.Ended, At: s.At, Requests: s.Requests})
	}
	return t.err
}

// attach takes the run up, for the last time in the last turn.
func (t *teller) attach(turn int) {
	e := entry{T: journal.Attach, Turn: turn}
	if turn == t.state.Turn {
		if t.state.Home != (plan.Home{}) {
			e.Home = &t.state.Home
		}
		if t.state.Ended == "" && !t.state.At.IsZero() {
			e.At = t.state.At.UnixMilli()
		}
	}
	t.add(e)
}

// endEarly has the run end before it was taken up for the last time, where the last end does not say all.
func (t *teller) endEarly() {
	s, early := t.state, journal.Record{Type: journal.End, Code: journal.Undone}
	if !s.Undone {
		early.Code = "interrupted"
	}
	if s.Ended == "" {
		early.Requests = s.Requests
	}
	if s.Undone && s.Ended != journal.Undone || early.Requests != (journal.Made{}) {
		t.record(&early)
	}
}

// outcomes are the types of the records after which an op has a status.
var outcomes = [...]journal.Type{
	journal.Pending: journal.No, journal.Sent: journal.Intent, journal.Done: journal.OK, journal.Failed: journal.Fail,
	journal.InDoubt: journal.Doubt, journal.Skipped: journal.Skip, journal.Agreed: journal.Skip, journal.Blocked: journal.Skip,
}

// op says what is on record of an op: the attempts of which it is known when they left, or else the last, and what
// became of that.
func (t *teller) op(o *journal.Outcome) {
	last := journal.Record{Type: outcomes[o.Status], Op: o.Op, At: o.At, EventID: o.EventID, Status: o.HTTP}
	if o.Why != nil {
		last.Code, last.Error, last.Fields = o.Why.Code, o.Why.Error, o.Why.Fields
	}
	left := t.left[o.Op]
	left = left[max(0, len(left)-o.Attempts):]
	if len(left) == 0 && o.Attempts > 0 {
		left = []time.Time{{}}
	}
	for i, at := range left {
		r := journal.Record{Type: journal.Intent, Op: o.Op, At: at}
		if o.Status == journal.Sent && i == len(left)-1 {
			r = last
		}
		r.Attempt = o.Attempts - len(left) + 1 + i
		t.named(o, r)
	}
	switch {
	case o.Attempts == 0:
		t.named(o, last)
	case o.Status != journal.Sent:
		t.record(&last)
	}
}

// named adds a record that says what was sent, and for which key.
func (t *teller) named(o *journal.Outcome, r journal.Record) {
	r.Operation, r.Hash = o.Operation, o.Hash
	if o.Key != (journal.Name{}) {
		r.Key = hex.EncodeToString(o.Key[:])
	}
	t.record(&r)
}

func (t *teller) record(r *journal.Record) { t.add(encode(r)) }

// add adds a line. All that come before it are stored with it.
func (t *teller) add(e entry) {
	next := chain{n: t.last.n + 1, p: t.last.p, d: t.last.n}
	line, crc, err := appendLine(t.line[:0], next, e)
	if err == nil && t.err == nil {
		_, err = t.out.Write(line)
	}
	t.line, t.last, t.err = line, chain{n: next.n, p: crc}, cmp.Or(t.err, err)
}

// Learn makes a snapshot of what another store remembers. Runs that are here are read again.
func (w *Workspace) Learn(baseURL string, of *journal.Memory) error {
	f, err := w.spareKeys()
	if err != nil {
		return journal.Unusable("writing the memory of keys", err)
	}
	s := &snapshot{file: f, temporary: true, snapshotIndex: snapshotIndex{
		Version: snapshotVersion, BaseURL: baseURL, Turn: int32(of.Turn() - 1), TakeOvers: of.HandedOn(),
	}}
	for _, r := range of.Runs() {
		heard, size := int64(0), int64(0)
		if !r.Heard.IsZero() {
			heard = r.Heard.UnixMilli()
		}
		if _, err = w.load(r.ID); errors.Is(err, fs.ErrNotExist) {
			size, err = pruned, nil
		}
		if err != nil {
			return errors.Join(err, s.Close())
		}
		s.Runs, s.Sources = append(s.Runs, r.ID), append(s.Sources, r.Source)
		s.Heard, s.Sizes = append(s.Heard, heard), append(s.Sizes, size)
	}
	out := &blockWriter{sum: &journal.Summer{W: f}}
	out.out = bufio.NewWriterSize(out.sum, opsBuffer)
	for part := range s.Sections {
		s.Sections[part] = out.section(inOrder(of.Keys().All(journal.Kind(part), nil)))
	}
	if err = out.end(&s.snapshotIndex); err == nil {
		err = s.publish(w)
	}
	if err == nil {
		err = w.mark(&s.snapshotIndex)
	}
	return errors.Join(err, s.Close())
}

// inOrder returns facts in the order of their names.
func inOrder(facts iter.Seq2[journal.Entry, error]) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		var all []journal.Entry
		for one, err := range facts {
			if err != nil {
				yield(one, err)
				return
			}
			all = append(all, one)
		}
		slices.SortFunc(all, func(a, b journal.Entry) int { return bytes.Compare(a.Name[:], b.Name[:]) })
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
}
