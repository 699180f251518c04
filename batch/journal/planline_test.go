package journal

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// texts are such as take the scanner's every way.
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

func TestLinesOfAPlanAreThoseOfEncodingJSON(t *testing.T) {
	for n := range texts {
		var op plan.Op
		fill(reflect.ValueOf(&op).Elem(), n)
		op.Payload, op.Known.Owed = plan.Payload{}, false
		if n%2 == 0 {
			op.Cover = nil
		}
		line, err := appendOp(nil, &op)
		if err != nil {
			t.Fatal(err)
		}
		var quick, slow plan.Op
		if read := (&scanner{rest: trim(line), shared: map[string]string{}}).op(&quick); read != (op.Cover == nil) {
			t.Errorf("%s was read: %v", line, read)
		} else if read && !reflect.DeepEqual(quick, plain(t, op)) {
			t.Error(cmp.Diff(plain(t, op), quick))
		}
		if err := json.Unmarshal(line, &slow); err != nil || !reflect.DeepEqual(slow, plain(t, op)) {
			t.Error(err, cmp.Diff(plain(t, op), slow))
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
		line, err := appendPayload(nil, n, &p.Payload)
		if err != nil {
			t.Fatal(err)
		}
		quick, slow := payloadLine{N: -1}, payloadLine{}
		if !(&scanner{rest: trim(line)}).payload(&quick.N, &quick.Payload) {
			t.Errorf("%s is not read", line)
		}
		if err := json.Unmarshal(line, &slow); err != nil || !reflect.DeepEqual(slow, quick) || !reflect.DeepEqual(slow, plain(t, p)) {
			t.Error(err, cmp.Diff(plain(t, p), quick), cmp.Diff(slow, quick))
		}
	}
	flat, err := appendPayload(nil, 0, &plan.Payload{Body: []byte("{\n\"a\": 1}")})
	if want := `{"n":0,"body":{"a":1}}` + "\n"; err != nil || string(flat) != want {
		t.Errorf("%q, want %q", flat, want)
	}
}

// plain returns what encoding/json makes of a value on the way there and back.
func plain[T any](t *testing.T, v T) (back T) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// FuzzPlanLine holds the scanner against encoding/json.
func FuzzPlanLine(f *testing.F) {
	for n := range texts {
		op := plan.Op{N: n, Known: plan.Known{Gone: true}, After: []int{n, n + 1}, Names: map[string]int{`"VIP" & co`: n}, Part: n}
		op.Event.Name = texts[n]
		line, err := appendOp(nil, &op)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(trim(line))
		const row = `{"n":%d,"cells":[%q],"body":{"a":[]},"from":{"a":-1},"problems":[{"column":"A","severity":"warning"}]}`
		f.Add(fmt.Appendf(nil, row, n, texts[n]))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var quick, slow plan.Op
		if (&scanner{rest: line}).op(&quick) {
			if err := json.Unmarshal(line, &slow); err != nil || !reflect.DeepEqual(slow, quick) {
				t.Errorf("%s: %v\n%s", line, err, cmp.Diff(slow, quick))
			}
		}
		var one, other payloadLine
		if (&scanner{rest: line}).payload(&one.N, &one.Payload) && json.Valid(line) {
			if err := json.Unmarshal(line, &other); err != nil || !reflect.DeepEqual(plain(t, other), plain(t, one)) {
				t.Errorf("%s: %v\n%s", line, err, cmp.Diff(other, one))
			}
		}
	})
}
