package journal

import (
	"bytes"
	v1 "encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// texts are such as are written in every way.
var texts = []string{"plain", "Grüße", `"quoted" \ twice`, "two\nlines", "\x00", "<&>", "\u2028", "bad \xff"}

// fill gives every field below v a value that is not zero.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n+i)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]*plan.Op]() {
			return // an op that is read has none
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n+1)
	case reflect.String:
		v.SetString(texts[n%len(texts)])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(rand.Int64N(1<<40) - 1<<20)
	}
}

// planLine returns a line of a plan without its newline.
func planLine(t testing.TB, value any) []byte {
	t.Helper()
	line, err := json.Marshal(value, writes)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// alike holds what is read of a line against what encoding/json reads, and returns it.
func alike[T any](t *testing.T, line []byte) *T {
	t.Helper()
	quick, slow := new(T), new(T)
	err, other := json.Unmarshal(line, quick, reads), v1.Unmarshal(line, slow)
	if (err == nil) != (other == nil) || err == nil && !reflect.DeepEqual(quick, slow) {
		t.Errorf("%s: %v, encoding/json says %v\n%s", line, err, other, cmp.Diff(slow, quick))
	}
	if err != nil {
		return nil
	}
	return quick
}

func TestLinesOfAPlanAreThoseOfEncodingJSON(t *testing.T) {
	for n := range texts {
		var op plan.Op
		fill(reflect.ValueOf(&op).Elem(), n)
		op.Payload, op.Known.Owed = plan.Payload{}, false
		if n%2 == 0 {
			op.Cover = nil
		}
		if read := alike[plan.Op](t, planLine(t, &op)); !reflect.DeepEqual(*read, plain(t, op)) {
			t.Error(cmp.Diff(plain(t, op), *read))
		}
	}
}

func TestPayloadsOfAPlanAreThoseOfEncodingJSON(t *testing.T) {
	for n := range texts {
		p := payloadLine{N: n, Payload: plan.Payload{
			Cells: texts, Body: []byte(`{"a":[1,{"b":"}\""}],"c":null}`), From: map[string]int{"name": 0, "start_at": 2, "event_id": -1},
			Problems: make([]schema.Problem, 2),
			Before:   []byte(`{"fields":{}}`),
			Base:     "evt-1 2027-05-01T10:00:00Z name=1b9f2c04",
			Says:     " name=77d0aa31",
			Agreed:   map[string]plan.Agreement{"name": {Mine: []byte(`"a"`), Live: []byte("null")}, "max_capacity": {Mine: []byte("7")}},
			Changes: []plan.Change{
				{Field: "name", Base: []byte("null"), Live: []byte(`{"a":[]}`), Mine: []byte(`"b"`), Decision: plan.Send},
				{Field: "slug", Decision: plan.Left, Why: texts[n]},
			},
		}}
		for i := range p.Problems {
			problem := &p.Problems[i]
			fill(reflect.ValueOf(problem).Elem(), n+i)
			problem.Severity, problem.Place.Column, problem.Place.Row = schema.Warning, 30*i-1, 7
		}
		if read := alike[payloadLine](t, planLine(t, &p)); !reflect.DeepEqual(*read, plain(t, p)) {
			t.Error(cmp.Diff(plain(t, p), *read))
		}
	}
}

// The lines below testdata/lines were written by earlier versions.
func TestLinesAreWrittenAsEver(t *testing.T) {
	for _, line := range goldenLines(t, "plan.jsonl") {
		sameAgain[plan.Op](t, line)
	}
	for _, line := range goldenLines(t, "rows.jsonl") {
		sameAgain[payloadLine](t, line)
	}
	for want, value := range map[string]any{
		`{"n":0,"row":{},"event":{"name":"bad \ufffd"}}`:       &plan.Op{Event: plan.Event{Name: "bad \xff"}},
		`{"n":0,"row":{},"event":{},"names":{"bad \ufffd":3}}`: &plan.Op{Names: map[string]int{"bad \xff": 3}},
		`{"n":0,"row":{},"event":{},"known":{}}`:               &plan.Op{Known: plan.Known{Made: true}},
		`{"n":0,"row":{},"event":{}}`:                          &plan.Op{Effects: plan.Effects{Of: []schema.Effect{}}},
		`{"n":0,"cells":["two\nlines \u003c"],"body":{"a":"<"}}`: &payloadLine{Payload: plan.Payload{
			Cells: []string{"two\nlines <"}, Body: []byte("{\n\"a\": \"<\"}"),
		}},
	} {
		if line := planLine(t, value); string(line) != want {
			t.Errorf("%s, want %s", line, want)
		}
	}
}

func goldenLines(t testing.TB, name string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "lines", name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\n'})
}

// sameAgain reads a line that is written again as it was.
func sameAgain[T any](t *testing.T, line []byte) {
	t.Helper()
	if again := planLine(t, alike[T](t, line)); !bytes.Equal(again, line) {
		t.Errorf("%s\nbecame\n%s", line, again)
	}
}

// plain returns what encoding/json makes of a value on the way there and back.
func plain[T any](t *testing.T, v T) (back T) {
	t.Helper()
	text, err := v1.Marshal(v)
	if err == nil {
		err = v1.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// FuzzPlanLine holds what is read of a line against encoding/json, and against what is read of
// it once it was written again, which from then on is written in the same way.
func FuzzPlanLine(f *testing.F) {
	for n := range texts {
		op := plan.Op{N: n, Known: plan.Known{Gone: true}, After: []int{n, n + 1}, Names: map[string]int{`"VIP" & co`: n}, Part: n}
		op.Event.Name = texts[n]
		f.Add(planLine(f, &op))
		const row = `{"n":%d,"cells":[%q],"body":{"a":[]},"from":{"a":-1},"problems":[{"column":"A","severity":"warning"}]}`
		f.Add(fmt.Appendf(nil, row, n, texts[n]))
	}
	for _, line := range append(goldenLines(f, "plan.jsonl"), goldenLines(f, "rows.jsonl")...) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if op := alike[plan.Op](t, line); op != nil {
			sameAgain[plan.Op](t, planLine(t, op))
		}
		if row := alike[payloadLine](t, line); row != nil {
			sameAgain[payloadLine](t, planLine(t, row))
		}
	})
}
