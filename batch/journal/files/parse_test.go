package files

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"eventbatch/batch/journal"
)

// canonical are records of every type with every field.
var canonical = []journal.Record{
	{
		Type: journal.Intent, At: time.UnixMilli(1790000000123), Operation: "events/create", Attempt: 1, Key: journal.KeyHash("cal-1", "k"),
		Hash: "0123456789abcdef",
	},
	{Type: journal.OK, At: time.UnixMilli(1790000000456), Op: 49999, EventID: "evt-Ab12Cd34", Status: 200},
	{Type: journal.Intent, At: time.UnixMilli(1), Operation: "events/guests/add", Ops: []int{3, 1, 4}},
	{Type: journal.No, At: time.UnixMilli(1), Op: 7, Code: "throttled", Status: 429},
	{
		Type: journal.Fail, At: time.UnixMilli(2), Op: 8, Code: "rejected", Status: 400, Error: "Invalid request. Grüße",
		Fields: []journal.FieldError{{Path: "start_at", Reason: "Invalid input"}, {Reason: "x"}},
	},
	{Type: journal.Doubt, At: time.UnixMilli(3), Op: 9, Code: "reset", Error: `cut "off" \ here`},
	{Type: journal.Resolved, At: time.UnixMilli(4), Op: 9, Code: "adopted", EventID: "evt-1"},
	{Type: journal.Skip, At: time.UnixMilli(5), Op: 10, Code: "exists", EventID: "evt-2", Operation: "events/cancel"},
	{Type: journal.End, At: time.UnixMilli(6), Code: "partial", Requests: journal.Made{Sent: 12, Reads: 3, Throttled: 1}},
}

// line encodes a record without its newline.
func line(t testing.TB, c chain, r journal.Record) []byte {
	t.Helper()
	if err := r.Check(1 << 20); err != nil {
		t.Fatal(err)
	}
	b, _, err := appendLine(nil, c, encode(&r))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b, []byte("\n"))
}

func TestRecordsSurviveTheRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(1<<20).Draw(t, "record")
		r.Error = rapid.String().Draw(t, "error")
		r.Code = rapid.StringN(1, 20, 200).Draw(t, "code")
		if err := r.Check(1 << 20); err != nil {
			t.Fatal(err)
		}
		c := chain{n: rapid.Int64Range(1, 1e15).Draw(t, "n"), p: rapid.Uint32().Draw(t, "p")}
		text, _, err := appendLine(nil, c, encode(&r))
		if err != nil {
			t.Fatal(err)
		}
		var e entry
		if !parseLine(bytes.TrimSuffix(text, []byte("\n")), &e) {
			t.Fatalf("%q does not parse", text)
		}
		if (chain{e.N, e.p, e.D}) != c || e.Error != r.Error || e.Code != strings.ToValidUTF8(r.Code, "\ufffd") || e.each()[0] != r.Op ||
			e.At != r.At.UnixMilli() {
			t.Fatalf("%+v became %+v", r, e)
		}
	})
}

func TestParseLineRefuses(t *testing.T) {
	good := line(t, chain{n: 1}, canonical[1])
	for i := range good {
		for _, bit := range []byte{1, 0x20, 0x80} {
			bad := bytes.Clone(good)
			bad[i] ^= bit
			var e entry
			if parseLine(bad, &e) {
				t.Errorf("parsed with byte %d flipped: %q", i, bad)
			}
		}
		var e entry
		if parseLine(good[:i], &e) {
			t.Errorf("parsed though cut at %d", i)
		}
	}
	for _, text := range []string{
		`{}`, `[]`, `{"n":1,"p":"0000000","d":0}`, `{"n":1,"p":"zzzzzzzz","d":0}`,
		`{"n":1,"p":"0000000A","d":0}`, `{"n":1.5,"p":"00000000","d":0}`, `nul`,
	} {
		var e entry
		if parseLine(sealed([]byte(text)), &e) {
			t.Errorf("parsed %s", text)
		}
	}
}

// sealed puts the right CRC before a text.
func sealed(text []byte) []byte {
	return append(append(appendHex(nil, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli))), ' '), text...)
}

// FuzzParse holds what is read against encoding/json, and a line against what it was made of.
func FuzzParse(f *testing.F) {
	for i, r := range canonical {
		f.Add(line(f, chain{n: int64(i + 1), p: 1, d: int64(i)}, r)[9:])
	}
	for _, s := range []string{
		`{"n":01,"p":"00000000","d":0,"t":"ok"}`,
		`{"n":1,"p":"0000000A","d":0,"t":"ok"}`,
		`{"n":1,"p":"00000000","d":0,"t":"ok","op":1,"op":2}`,
		`{"n":999999999999999999999,"p":"00000000","d":0,"t":"ok"}`,
		"{\"n\":1,\"p\":\"00000000\",\"d\":0,\"t\":\"ok\",\"event\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var e, again, quick, slow entry
		err, other := journal.ParseRecord(text, &quick), json.Unmarshal(text, &slow)
		if (err == nil) != (other == nil) || err == nil && !reflect.DeepEqual(quick, slow) {
			t.Errorf("%s: %v, encoding/json says %v\n%s", text, err, other, cmp.Diff(slow, quick, cmp.AllowUnexported(entry{})))
		}
		if !parseLine(sealed(text), &e) {
			return
		}
		line, _, err := appendLine(nil, chain{e.N, e.p, e.D}, e)
		if err != nil || !parseLine(bytes.TrimSuffix(line, []byte("\n")), &again) {
			t.Fatalf("%q became %q: %v", text, line, err)
		}
		e.crc, e.Kind, again.crc, again.Kind = 0, "", 0, ""
		if diff := cmp.Diff(e, again, cmp.AllowUnexported(entry{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}
