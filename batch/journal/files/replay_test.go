package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// journalOf gives a journal of records that are all durable but the last few:
// each line knows the ones before it as synced, up to durable.
func journalOf(t testing.TB, records, durable int) (text []byte, starts []int) {
	t.Helper()
	text, crc, err := appendLine(nil, chain{n: 1}, entry{T: journal.Open, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	starts = []int{0}
	for i := 1; i < records; i++ {
		r := canonical[i%len(canonical)]
		if err := r.Check(1 << 20); err != nil {
			t.Fatal(err)
		}
		starts = append(starts, len(text))
		text, crc, err = appendLine(text, chain{n: int64(i + 1), p: crc, d: int64(min(i, durable))}, encode(&r))
		if err != nil {
			t.Fatal(err)
		}
	}
	return text, starts
}

func replayed(text []byte) (extent, error) {
	return replay("journal.jsonl", bytes.NewReader(text), func(*entry) error { return nil })
}

// TestEveryFlippedByteIsNoticed: in what a later line vouches for it is damage,
// behind that it ends the journal, and in no case does a changed record count.
func TestEveryFlippedByteIsNoticed(t *testing.T) {
	const records, durable = 20, 12
	text, starts := journalOf(t, records, durable)
	for i := range text {
		for _, bit := range []byte{0x01, 0x80} {
			broken := bytes.Clone(text)
			broken[i] ^= bit
			hit := 0 // the record that the byte is in, from 0
			for hit+1 < records && starts[hit+1] <= i {
				hit++
			}
			ext, err := replayed(broken)
			damage, damaged := errors.AsType[*journal.DamagedError](err)
			switch {
			case hit < durable && !damaged:
				t.Fatalf("byte %d of durable record %d: %v", i, hit+1, err)
			case hit < durable && (damage.Offset != int64(starts[hit]) || damage.Line != hit+1):
				t.Fatalf("byte %d of record %d at %d: placed at line %d, byte %d", i, hit+1, starts[hit], damage.Line, damage.Offset)
			case hit >= durable && (err != nil || ext.lines != int64(hit) || !ext.tail || ext.size != int64(starts[hit])):
				t.Fatalf("byte %d of unsynced record %d: %+v, %v", i, hit+1, ext, err)
			}
		}
	}
}

func TestReplayOfAWholeJournal(t *testing.T) {
	text, starts := journalOf(t, 20, 12)
	ext, err := replayed(text)
	if err != nil || ext.lines != 20 || ext.tail || ext.size != int64(len(text)) || ext.vouched != int64(starts[12]) {
		t.Errorf("%+v, %v; vouched should be %d", ext, err, starts[12])
	}
}

func TestReplayOfATornTail(t *testing.T) {
	text, starts := journalOf(t, 20, 12)
	for cut := starts[12]; cut < len(text); cut++ {
		ext, err := replayed(text[:cut])
		if err != nil || ext.lines < 12 || ext.size > int64(cut) || ext.tail != (ext.size < int64(cut)) {
			t.Fatalf("cut at %d: %+v, %v", cut, ext, err)
		}
	}
	stale := append(line(t, chain{n: 13, p: 0xdeadbeef, d: 12}, canonical[1]), '\n')
	for name, tail := range map[string]string{
		"the right number after another line": string(stale),
		"zeros":                               strings.Repeat("\x00", 5000),
		"lines of zeros":                      strings.Repeat("\x00\n", 50),
		"a line out of sequence":              string(text[starts[15]:starts[16]]),
		"a line again":                        string(text[starts[11]:starts[12]]),
		"text without end":                    strings.Repeat("x", maxLine+100),
		"an endless line":                     strings.Repeat("x", maxLine+100) + "\n" + string(text[starts[3]:starts[4]]),
	} {
		ext, err := replayed([]byte(string(text[:starts[12]]) + tail))
		if err != nil || ext.lines != 12 || !ext.tail || ext.size != int64(starts[12]) {
			t.Errorf("%s: %+v, %v", name, ext, err)
		}
	}
}

func TestReplayRefusesDamage(t *testing.T) {
	text, starts := journalOf(t, 20, 12)
	without := func(record int) []byte {
		return append(bytes.Clone(text[:starts[record]]), text[starts[record+1]:]...)
	}
	swapped := append(bytes.Clone(text[:starts[3]]), text[starts[4]:starts[5]]...)
	swapped = append(append(swapped, text[starts[3]:starts[4]]...), text[starts[5]:]...)
	for name, broken := range map[string][]byte{
		"empty":               {},
		"another file":        []byte("Name,Start\nTea,tomorrow\n"),
		"zeros":               make([]byte, 4096),
		"first record gone":   without(0),
		"middle record gone":  without(7),
		"records swapped":     swapped,
		"endless line inside": bytes.Replace(text, text[starts[5]:starts[6]], append(bytes.Repeat([]byte("x"), maxLine+1000), '\n'), 1),
	} {
		_, err := replayed(broken)
		if _, ok := errors.AsType[*journal.DamagedError](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReplayPassesReadErrorsOn(t *testing.T) {
	text, starts := journalOf(t, 20, 12)
	for _, broken := range [][]byte{text[:starts[6]+10], append(bytes.Clone(text), "torn"...)} {
		r := io.MultiReader(bytes.NewReader(broken), iotest.ErrReader(badDisk))
		if _, err := replay("journal.jsonl", r, func(*entry) error { return nil }); !errors.Is(err, badDisk) {
			t.Errorf("an unreadable disk gave %v: it would have been cut off", err)
		}
	}
	ext, err := replay("journal.jsonl", iotest.OneByteReader(bytes.NewReader(text)), func(*entry) error { return nil })
	if err != nil || ext.lines != 20 {
		t.Errorf("byte by byte: %+v, %v", ext, err)
	}
}

func TestAttachLeavesNoTail(t *testing.T) {
	_, run := planned(t, 2)
	j, _ := attach(t, run)
	mustCommit(t, j, intent(0, plan.Create))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(run.journalPath())
	if err == nil {
		err = os.WriteFile(run.journalPath(), append(text, strings.Repeat("torn ", 200)...), fileMode)
	}
	if err != nil {
		t.Fatal(err)
	}
	j, state := attach(t, run)
	if err := j.Close(); err != nil || state.Ops[0].Status != journal.Sent {
		t.Errorf("op 0 is %v, %v", state.Ops[0].Status, err)
	}
	if text, err = os.ReadFile(run.journalPath()); err != nil {
		t.Fatal(err)
	}
	if ext, err := replayed(text); err != nil || ext.tail || ext.lines != 4 {
		t.Errorf("%+v, %v", ext, err)
	}
}

func TestRunTakenUpAgainIsNotEnded(t *testing.T) {
	_, run := planned(t, 1)
	for attached := range 3 {
		j, state := attach(t, run)
		if state.Ended != "" || !state.Started || state.Attached != attached+1 || state.Requests.Sent != 2*attached {
			t.Errorf("attachment %d: %+v", attached, state)
		}
		if now, err := run.State(); err != nil || now.Ended != "" {
			t.Errorf("under way, but ended %q, %v", now.Ended, err)
		}
		mustCommit(t, j, journal.Record{Type: journal.End, Code: "interrupted", Requests: journal.Made{Sent: 2}})
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if now, err := run.State(); err != nil || now.Ended != "interrupted" || now.Tally().Open() == 0 {
			t.Errorf("ended %q, open %d, %v", now.Ended, now.Tally().Open(), err)
		}
	}
}

// TestFinishedJournalIsWhollyVouchedFor: an end leaves only itself unvouched.
func TestFinishedJournalIsWhollyVouchedFor(t *testing.T) {
	_, run := planned(t, 3)
	j, _ := attach(t, run)
	for op := range 3 {
		if err := errors.Join(j.Append(intent(op, plan.Update)), j.Append(done(op))); err != nil {
			t.Fatal(err)
		}
	}
	mustCommit(t, j, journal.Record{Type: journal.End, Code: "done", Requests: journal.Made{Sent: 3}})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	state, err := run.State()
	if err != nil || state.Tally().Open() > 0 || state.Ended == "" || state.Requests.Sent != 3 {
		t.Fatalf("%+v, %v", state, err)
	}
	text, err := os.ReadFile(run.journalPath())
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		broken := bytes.Clone(text)
		at := random.IntN(len(text))
		if i == 0 {
			at = end - 1 // the newline that parts the last two records
		}
		broken[at] ^= byte(1 + random.IntN(255))
		if err := os.WriteFile(run.journalPath(), broken, fileMode); err != nil {
			t.Fatal(err)
		}
		state, err := run.State()
		if at < end {
			if _, ok := errors.AsType[*journal.DamagedError](err); !ok {
				t.Fatalf("byte %d: %v", at, err)
			}
			if _, _, err := run.Attach(journal.Attachment{Target: target}); err == nil {
				t.Fatalf("byte %d: attached to a damaged run", at)
			}
		} else if err != nil || state.Ended != "" {
			t.Fatalf("byte %d of the end: %+v, %v", at, state, err)
		}
	}
}

// FuzzReplay: whatever a file holds, replay ends, its prefix replays to itself,
// and nothing in the prefix is out of its chain.
func FuzzReplay(f *testing.F) {
	text, starts := journalOf(f, 9, 6)
	f.Add(text)
	f.Add(text[:len(text)-7])
	f.Add(append(bytes.Clone(text[:starts[4]]), text[starts[5]:]...))
	f.Add([]byte("00000000 {}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n := int64(0)
		ext, err := replay("j", bytes.NewReader(text), func(e *entry) error {
			if n++; e.N != n || e.D >= n {
				t.Fatalf("record %d says it is %d, with %d synced", n, e.N, e.D)
			}
			return nil
		})
		if ext.lines != n || ext.size > int64(len(text)) || ext.vouched > ext.size {
			t.Fatalf("%+v of %d bytes", ext, len(text))
		}
		if err == nil {
			again, err := replayed(text[:ext.size])
			if ext.tail = false; err != nil || again != ext {
				t.Fatalf("%+v became %+v, %v", ext, again, err)
			}
		}
	})
}

// TestOlderForms reads a run of the first version: one line an op with all it has, and
// intents that name their action.
func TestOlderForms(t *testing.T) {
	w, run := planned(t, 1)
	header := plan.Header{Version: 1, Run: run.ID(), Number: 1, Target: target, Counts: plan.Counts{plan.Create: 1}}
	op := `{"n":0,"row":{"source":0,"number":2,"cells":["Tea"]},"action":"update","reason":"r",` +
		`"event":{"calendar":"cal-1","key":"key-0","id":"evt-9"},"body":{"name":"Tea"},"from":{"name":0}}` + "\n"
	text := sealedHeader(t, &header, op)
	if err := errors.Join(os.WriteFile(run.planPath(), append(text, op...), fileMode), os.Remove(run.rowsPath())); err != nil {
		t.Fatal(err)
	}
	found, err := w.Find(run.ID())
	if err != nil {
		t.Fatal(err)
	}
	run = folderOf(found)
	j, _ := attach(t, run)
	old := entry{T: journal.Intent, At: 1, Op: new(0), Kind: "update", Key: journal.KeyHash("cal-1", "key-0"), Event: "evt-9", Hash: "h"}
	if _, err := j.add(false, old); err != nil {
		t.Fatal(err)
	}
	mustCommit(t, j, journal.Record{Type: journal.OK, EventID: "evt-9"})
	state, err := run.State()
	if err != nil || state.Ops[0].Status != journal.Done || state.Ops[0].Operation() != "events/update" {
		t.Errorf("%+v, %v", state, err)
	}
	ops, err := run.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	whole, err := ops.Op(0)
	if err != nil {
		t.Fatal(err)
	}
	if string(whole.Body) != `{"name":"Tea"}` || whole.Cells[0] != "Tea" || whole.From["name"] != 0 ||
		!whole.Effects.Has(schema.Mails) || whole.Requests != 1 {
		t.Errorf("%+v", whole)
	}
}

// sealedHeader returns the header of a plan of the first version, of which the rest is these lines.
func sealedHeader(t *testing.T, h *plan.Header, lines string) []byte {
	t.Helper()
	sum := &journal.Summer{W: io.Discard}
	_, _ = io.WriteString(sum, lines)
	of := sum.Measure()
	text, err := json.Marshal(struct {
		journal.Seal
		plan.Header
	}{journal.Seal{Seal: hex8(0), Ops: 1, Body: of.CRC, Bytes: of.Bytes}, *h})
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	const from = len(`{"seal":"`)
	copy(text[from:], hex8(journal.Sum(text[from+len(`12345678"`):])))
	return text
}
