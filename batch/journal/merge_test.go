package journal

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"eventbatch/batch/plan"
)

// chained is a run of whose place there is nothing but the chains of its journal.
type chained struct {
	place

	chains []chainText // in the order of their owners
}

type chainText struct {
	owner string
	text  []byte
	next  chain
}

func (c *chained) journals(each func(owner, path string, lines io.Reader) error) error {
	for _, of := range c.chains {
		if err := each(of.owner, "journal of "+of.owner, bytes.NewReader(of.text)); err != nil {
			return err
		}
	}
	return nil
}

func (c *chained) evidence() (evidence, error) {
	e := evidence{synced: map[string]int64{"": 0}}
	for _, of := range c.chains {
		e.synced[of.owner] = of.next.n - 1
	}
	return e, nil
}

func (c *chained) head() (line []byte, dropped time.Time, err error) { return nil, dropped, nil }

func (c *chained) journalPath() string { return "journal" }

// write writes a record to the chain of an owner.
func (c *chained) write(t *rapid.T, r *run, owner string, e encoded) {
	at, has := slices.BinarySearchFunc(c.chains, owner, func(of chainText, owner string) int { return strings.Compare(of.owner, owner) })
	if !has {
		c.chains = slices.Insert(c.chains, at, chainText{owner: owner, next: chain{n: 1}})
		opening := r.opening()
		if owner != "" {
			opening.Calendars = nil
		}
		c.write(t, r, owner, opening)
	}
	of := &c.chains[at]
	var err error
	if of.text, of.next.p, err = appendLine(of.text, of.next, e); err != nil {
		t.Fatal(err)
	}
	of.next.n, of.next.d = of.next.n+1, of.next.n
}

const mergedOps = 4

// carry has owners, or somebody alone, take the run up and bring ops further.
func (c *chained) carry(t *rapid.T, r *run, turn, at *int64) {
	owners := []string{""}
	if rapid.Bool().Draw(t, "in shares") {
		owners = rapid.Permutation([]string{"a", "b", "c"}).Draw(t, "owners")[:2]
	}
	began := *turn
	for range owners {
		*turn++
	}
	taken := map[string]bool{}
	for range rapid.IntRange(1, 12).Draw(t, "records") {
		n := rapid.IntRange(0, mergedOps-1).Draw(t, "op")
		who := (n + int(began)) % len(owners) // whose share it is
		*at += rapid.Int64Range(1, 100).Draw(t, "later")
		if !taken[owners[who]] {
			taken[owners[who]] = true
			c.write(t, r, owners[who], encoded{T: Attach, At: *at, Turn: int(began) + 1 + who, PID: 7})
		}
		e := encoded{At: *at, Op: &n}
		switch e.T = rapid.SampledFrom([]Type{Intent, Intent, OK, No, Fail, Doubt, Resolved, Skip}).Draw(t, "type"); e.T {
		case Intent:
			e.Operation = rapid.SampledFrom([]string{"events/create", "events/update"}).Draw(t, "operation")
			e.Key, e.Hash = KeyHash("cal-1", fmt.Sprint(n)), fmt.Sprint("hash-", *at)
		case OK:
			e.Event = fmt.Sprint("evt-", n)
		case Resolved:
			e.Event = rapid.SampledFrom([]string{"", fmt.Sprint("evt-", n)}).Draw(t, "event")
		case Fail:
			e.Status, e.Code = 400, "rejected"
		}
		c.write(t, r, owners[who], e)
	}
	for _, owner := range owners {
		if taken[owner] && rapid.Bool().Draw(t, "it ends") {
			code := rapid.SampledFrom([]string{"done", "interrupted", "too-many-errors"}).Draw(t, "reason")
			c.write(t, r, owner, encoded{T: End, At: *at, Code: code, Sent: 2, Reads: 1})
		}
	}
}

// Merged chains say what they say one by one, whatever the names of their owners, and once more.
func TestMergedChainsSayTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &chained{}
		r := &run{place: c, now: func() time.Time { return time.UnixMilli(1) }}
		r.header.Run = "run-1"
		r.header.Target = plan.Target{BaseURL: "https://service.test", Calendars: map[string]string{"cal-1": "00112233"}}
		r.seal = planSeal{Ops: mergedOps, Seal: "0123abcd"}
		r.header.Counts = plan.Counts{plan.Create: mergedOps}
		turn, at := int64(0), int64(1)
		for range rapid.IntRange(1, 4).Draw(t, "times") {
			c.carry(t, r, &turn, &at)
		}
		want := stateOf(t, r)
		one := &chained{chains: []chainText{{text: mergedOf(t, r)}}}
		one.chains[0].next.n = int64(bytes.Count(one.chains[0].text, []byte{'\n'})) + 1
		r.place = one
		got := stateOf(t, r)
		diff := cmp.Diff(want, got, cmp.AllowUnexported(State{}, OpState{}, named{}), cmpopts.IgnoreFields(OpState{}, "heard"),
			cmpopts.IgnoreFields(State{}, "Records", "home", "chain", "chains", "operations"))
		if diff != "" {
			t.Fatal(diff)
		}
		if again := mergedOf(t, r); !bytes.Equal(again, one.chains[0].text) {
			t.Fatalf("merged again it is\n%s\nnot\n%s", again, one.chains[0].text)
		}
	})
}

// A share that was taken up where a backup had been restored doubts what another chain knows to have
// done nothing, and is killed: whoever comes next looks for it.
func TestADoubtCountsAsOfItsAttachment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &chained{}
		r := &run{place: c, now: func() time.Time { return time.UnixMilli(1) }}
		r.header.Run, r.seal = "run-1", planSeal{Ops: 1, Seal: "0123abcd"}
		r.header.Counts = plan.Counts{plan.Create: 1}
		owners := rapid.Permutation([]string{"", "a", "b"}).Draw(t, "owners")
		for turn, of := range owners[:2] {
			c.write(t, r, of, encoded{T: Attach, At: 1, Turn: turn + 1})
			c.write(t, r, of, encoded{T: Intent, At: 1, Op: new(0), Operation: "events/create", Key: KeyHash("cal-1", "0")})
			c.write(t, r, of, encoded{T: No, At: 1, Op: new(0)})
		}
		j := &journalFile{ops: 1, now: r.now, wake: make(chan struct{}, 1), chain: chain{n: 1}}
		j.doubt(&Record{Type: Doubt, Code: "lost"}, 3)
		var e entry
		if !parseLine(bytes.TrimSuffix(j.buf, []byte{'\n'}), &e) {
			t.Fatalf("it writes %s", j.buf)
		}
		c.write(t, r, rapid.SampledFrom(owners).Draw(t, "owner"), e.encoded)
		if state := stateOf(t, r); state.Ops[0].Status != InDoubt {
			t.Fatalf("it is %v", state.Ops[0].Status)
		}
		r.place = &chained{chains: []chainText{{text: mergedOf(t, r), next: chain{n: 1}}}}
		if state := stateOf(t, r); state.Ops[0].Status != InDoubt {
			t.Fatalf("merged it is %v", state.Ops[0].Status)
		}
	})
}

func stateOf(t *rapid.T, r *run) *State {
	state := newState(&r.header, r.seal.Ops)
	state.named = make([]named, len(state.Ops))
	found, err := r.evidence()
	if err == nil {
		_, _, err = r.read(state, &found, "")
	}
	if err == nil {
		err = r.doubt(state, &found)
	}
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// mergedOf returns the journal of a run as it is copied.
func mergedOf(t *rapid.T, r *run) (text []byte) {
	o, err := outgoingOf(r)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	err = o.journal(func(piece StoredPiece) error {
		text = append(text, piece.Lines...)
		return nil
	})
	if err != nil || int64(len(text)) != o.extent.size || o.synced != int64(bytes.Count(text, []byte{'\n'})) {
		t.Fatalf("%d bytes of %+v, of %d records: %v", len(text), o.extent, o.synced, err)
	}
	return text
}
