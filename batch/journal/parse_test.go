package journal

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/batch/plan"
)

// canonical are records of every type with every field.
var canonical = []Record{
	{Type: Intent, At: time.UnixMilli(1790000000123), Kind: plan.Create, Attempt: 1, Key: KeyHash("cal-1", "k"), Hash: "0123456789abcdef"},
	{Type: OK, At: time.UnixMilli(1790000000456), Op: 49999, EventID: "evt-Ab12Cd34", Status: 200},
	{Type: No, At: time.UnixMilli(1), Op: 7, Code: "throttled", Status: 429},
	{
		Type: Fail, At: time.UnixMilli(2), Op: 8, Code: "rejected", Status: 400, Error: "Invalid request. Grüße",
		Fields: []FieldError{{"start_at", "Invalid input"}, {"", "x"}},
	},
	{Type: Doubt, At: time.UnixMilli(3), Op: 9, Code: "reset", Error: `cut "off" \ here`},
	{Type: Resolved, At: time.UnixMilli(4), Op: 9, Code: "adopted", EventID: "evt-1"},
	{Type: Skip, At: time.UnixMilli(5), Op: 10, Code: "exists", EventID: "evt-2", Kind: plan.Cancel},
	{Type: End, At: time.UnixMilli(6), Code: "partial", Requests: Requests{Sent: 12, Reads: 3, Throttled: 1}},
}

// line encodes a record without its newline.
func line(t testing.TB, c chain, r Record) []byte {
	t.Helper()
	if err := r.check(1 << 20); err != nil {
		t.Fatal(err)
	}
	b, _ := appendRecord(nil, c, &r)
	return bytes.TrimSuffix(b, []byte("\n"))
}

// sameEntry compares what the two parsers make of a text.
func sameEntry(a, b *entry) string {
	type shown struct {
		N, D, At                int64
		P                       uint32
		Type                    Type
		Kind                    plan.Action
		Op, Attempt, Status     int
		Event, Key, Hash, Words string
		Fields                  []FieldError
		Requests                Requests
	}
	show := func(e *entry) shown {
		return shown{
			e.n, e.d, e.at, e.p, e.typ, e.kind, e.op, e.attempt, e.status, string(e.event), string(e.key), string(e.hash),
			string(e.code) + "\x00" + string(e.error), e.fields, e.requests,
		}
	}
	return cmp.Diff(show(a), show(b))
}

func TestOwnLinesTakeTheQuickPath(t *testing.T) {
	for i, r := range canonical {
		text := line(t, chain{n: int64(i + 1), p: 0xdeadbeef, d: int64(i)}, r)
		var quick, slow entry
		escaped := strings.ContainsRune(string(text), '\\')
		if got := parseQuick(text[9:], &quick); got == escaped {
			t.Errorf("quick parse of %s: %v", text, got)
			continue
		}
		if err := parseSlow(text[9:], &slow); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if !escaped {
			if diff := sameEntry(&slow, &quick); diff != "" {
				t.Errorf("%s: %s", text, diff)
			}
		}
		var e entry
		if !parseLine(text, &e) || e.typ != r.Type || e.op != r.Op || e.n != int64(i+1) || e.p != 0xdeadbeef || string(e.error) != r.Error {
			t.Errorf("%s parsed as %+v", text, e)
		}
	}
}

func TestRecordsSurviveTheRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRecord(1<<20).Draw(t, "record")
		r.Error = rapid.String().Draw(t, "error")
		r.Code = rapid.StringN(1, 20, maxWord).Draw(t, "code")
		if err := r.check(1 << 20); err != nil {
			t.Fatal(err)
		}
		c := chain{n: rapid.Int64Range(1, 1e15).Draw(t, "n"), p: rapid.Uint32().Draw(t, "p")}
		text, _ := appendRecord(nil, c, &r)
		text = bytes.TrimSuffix(text, []byte("\n"))
		var e, oracle entry
		if !parseLine(text, &e) {
			t.Fatalf("%q does not parse", text)
		}
		if err := parseSlow(text[9:], &oracle); err != nil {
			t.Fatal(err)
		}
		if diff := sameEntry(&oracle, &e); diff != "" {
			t.Fatal(diff)
		}
		if e.chain != c || string(e.error) != r.Error || string(e.code) != strings.ToValidUTF8(r.Code, "\ufffd") || e.op != r.Op ||
			e.at != r.At.UnixMilli() {
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
		`{}`, `[]`, `{"n":1,"p":"0000000","d":0}`, `{"n":1,"p":"zzzzzzzz","d":0}`, `{"n":1.5,"p":"00000000","d":0}`, `nul`,
	} {
		var e entry
		if parseLine(sealed([]byte(text)), &e) {
			t.Errorf("parsed %s", text)
		}
	}
}

// sealed puts the right CRC before a text.
func sealed(text []byte) []byte {
	return append(append(appendHex(nil, crc32.Checksum(text, castagnoli)), ' '), text...)
}

// FuzzParse holds the parser written by hand against encoding/json.
func FuzzParse(f *testing.F) {
	for i, r := range canonical {
		f.Add(line(f, chain{n: int64(i + 1), p: 1, d: int64(i)}, r)[9:])
	}
	for _, s := range []string{
		`{"n":01,"p":"00000000","d":0,"t":"ok"}`,
		`{"n":1,"p":"0000000A","d":0,"t":"ok"}`,
		`{"n":1,"p":"00000000","d":0,"t":"new"}`,
		`{"n":1,"p":"00000000","d":0,"t":"ok","op":1,"op":2}`,
		`{"n":999999999999999999999,"p":"00000000","d":0,"t":"ok"}`,
		"{\"n\":1,\"p\":\"00000000\",\"d\":0,\"t\":\"ok\",\"event\":\"\xff\"}",
		`{"n":1,"p":"00000000","d":0,"t":"fail","fields":[]}`,
		`{"n":1,"p":"00000000","d":0,"t":"fail","fields":[{"path":"a","reason":"b"},{}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var quick, slow entry
		if !parseQuick(text, &quick) {
			return
		}
		if err := parseSlow(text, &slow); err != nil {
			t.Fatalf("%q: quick parses what encoding/json refuses: %v", text, err)
		}
		if diff := sameEntry(&slow, &quick); diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
	})
}

// FuzzQuote holds the encoder's strings against encoding/json.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\x00", "Grüße", "\xff\xfe", "\u2028", "a\xc3", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		if err := json.Unmarshal(appendQuoted(nil, s), &back); err != nil {
			t.Fatal(err)
		}
		if want := string([]rune(s)); back != want {
			t.Fatalf("%q came back as %q", s, back)
		}
	})
}
