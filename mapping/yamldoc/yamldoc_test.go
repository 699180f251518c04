package yamldoc_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/yamldoc"
)

type garden struct {
	Name   string                `yaml:"name"`
	Beds   int                   `yaml:"beds"`
	Open   bool                  `yaml:"open"`
	Area   float64               `yaml:"area"`
	Water  time.Duration         `yaml:"water"`
	Limit  *int                  `yaml:"limit"`
	Tools  []string              `yaml:"tools"`
	Header map[string]string     `yaml:"-"`
	Plants yamldoc.Map[plant]    `yaml:"plants"`
	Extra  any                   `yaml:"extra"`
	Near   *garden               `yaml:"near"`
	Labels yamldoc.Map[string]   `yaml:"labels"`
	Visits []yamldoc.Map[string] `yaml:"visits"`
}

type plant struct {
	yamldoc.Pos

	Kind   string `yaml:"kind"`
	Height int    `yaml:"height"`
}

func (p *plant) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return errors.New("a plant without a name")
	}
	p.Kind = string(text)
	return nil
}

func (p plant) MarshalText() ([]byte, error) {
	if p.Height != 0 {
		return nil, nil
	}
	return []byte(p.Kind), nil
}

func TestDecode(t *testing.T) {
	const doc = `
name: 3
beds: 12
open: true
area: 1.5
water: 1h30m
limit: 0
tools: [rake, on, 007]
plants:
  tall: {kind: oak, height: 30}
  small: moss
extra: {a: 1.50, b: [true, null, "3", x], c: 2026-03-08}
near: {name: yes}
labels: {z: last, a: 3}
`
	var got garden
	if err := yamldoc.Decode([]byte(doc), "garden.yaml", 0, &got); err != nil {
		t.Fatal(err)
	}
	want := garden{
		Name: "3", Beds: 12, Open: true, Area: 1.5, Water: 90 * time.Minute, Limit: new(0),
		Tools: []string{"rake", "on", "007"},
		Plants: yamldoc.Map[plant]{
			{Key: "tall", Pos: yamldoc.Pos{Line: 10, Column: 3}, Value: plant{yamldoc.Pos{Line: 10, Column: 9}, "oak", 30}},
			{Key: "small", Pos: yamldoc.Pos{Line: 11, Column: 3}, Value: plant{yamldoc.Pos{Line: 11, Column: 10}, "moss", 0}},
		},
		Extra: map[string]any{"a": json.Number("1.50"), "b": []any{true, nil, "3", "x"}, "c": "2026-03-08"},
		Near:  &garden{Name: "yes"},
		Labels: yamldoc.Map[string]{
			{Key: "z", Pos: yamldoc.Pos{Line: 14, Column: 10}, Value: "last"},
			{Key: "a", Pos: yamldoc.Pos{Line: 14, Column: 19}, Value: "3"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if p, ok := got.Plants.Get("tall"); !ok || p.Height != 30 {
		t.Errorf("Get(tall) = %v, %v", p, ok)
	}
	if _, ok := got.Plants.Get("none"); ok {
		t.Error("Get(none) found something")
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := []struct {
		name, doc string
		want      []string
	}{
		{"unknown key with a near one", "name: a\nbedz: 3\n", []string{"g.yaml:2: bedz: unknown key (did you mean beds?)"}},
		{"letters swapped", "nmae: a", []string{"g.yaml:1: nmae: unknown key (did you mean name?)"}},
		{"case", "Name: a", []string{"g.yaml:1: Name: unknown key (did you mean name?)"}},
		{
			"unknown key far from all", "near: {zzzzzz: 1}",
			[]string{"g.yaml:1: near.zzzzzz: unknown key (known here: name, beds, open, area, water, limit, tools, plants, extra, near, " +
				"labels, visits)"},
		},
		{
			"inside a free mapping", "plants:\n  oak:\n    hieght: 3",
			[]string{"g.yaml:3: plants.oak.hieght: unknown key (did you mean height?)"},
		},
		{"twice", "name: a\nname: b", []string{"g.yaml:2: name: the key is written twice, first on line 1"}},
		{"twice in a free mapping", "plants:\n  a: x\n  a: y", []string{"g.yaml:3: plants.a: the key is written twice, first on line 2"}},
		{"several at once", "bed: 1\nopen: yes\nbeds: many\nwater: 5", []string{
			"g.yaml:1: bed: unknown key (did you mean beds?)",
			`g.yaml:2: open: expected true or false, found "yes"`,
			`g.yaml:3: beds: expected a whole number, found "many"`,
			`g.yaml:4: water: expected a duration, found "5" (write it like 90s, 5m or 1h30m)`,
		}},
		{"quoted bool", `open: "true"`, []string{`g.yaml:1: open: expected true or false, found "true"`}},
		{
			"text for a list", "tools: rake",
			[]string{`g.yaml:1: tools: expected a list, found "rake" (write [a, b], or one item a line after a dash)`},
		},
		{"list for a text", "name: [a]", []string{"g.yaml:1: name: expected a text, found a list"}},
		{"mapping for a number", "beds: {a: b}", []string{"g.yaml:1: beds: expected a whole number, found a mapping"}},
		{"text for a mapping", "plants: rose", []string{`g.yaml:1: plants: expected a mapping of keys to values, found "rose"`}},
		{"list at the top", "- a", []string{"g.yaml:1: expected a mapping of keys to values, found a list"}},
		{"item in a list", "tools:\n- a\n- {}", []string{"g.yaml:3: tools[1]: expected a text, found a mapping"}},
		{"shorthand refused", `plants: {a: ""}`, []string{"g.yaml:1: plants.a: a plant without a name"}},
		{"second document", "name: a\n---\nname: b", []string{"g.yaml:2: a second document begins here (keep one document in a file)"}},
		{
			"merge key", "near: &n {name: a}\nextra:\n  <<: *n",
			[]string{"g.yaml:3: extra: merge keys (<<) are not understood (write the keys out)"},
		},
		{"key that is a list", "[a]: b", []string{"g.yaml:1: a key has to be a plain text, found a list"}},
		{
			"tab", "near:\n\tname: a",
			[]string{"g.yaml:2: found character that cannot start any token (indent with spaces, and quote a text that begins with @, ` " +
				"or a tab)"},
		},
		{
			"alias to itself", "near: &n {near: *n}",
			[]string{"g.yaml:1: near.near" + strings.Repeat(".near", 31) + ": the document is too large or too deep"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var g garden
			err := yamldoc.Decode([]byte(tt.doc), "g.yaml", 0, &g)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Error(diff)
			}
			if _, ok := errors.AsType[*yamldoc.Error](err); !ok {
				t.Errorf("%T holds no *yamldoc.Error", err)
			}
		})
	}
}

func TestDecodeBomb(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("extra:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		p, n := string(rune('0'+i-1)), string(rune('0'+i))
		doc.WriteString("  a" + n + ": &a" + n + " [" + strings.Repeat("*a"+p+", ", 9) + "*a" + p + "]\n")
	}
	var g garden
	err := yamldoc.Decode([]byte(doc.String()), "g.yaml", 0, &g)
	if err == nil || strings.Count(err.Error(), "too large") != 1 {
		t.Errorf("got %v", err)
	}
}

func TestDecodeNothing(t *testing.T) {
	for _, doc := range []string{"", "# only a comment\n", "---\n", "null", "name:\n"} {
		g := garden{Name: "kept"}
		if err := yamldoc.Decode([]byte(doc), "g.yaml", 0, &g); err != nil || g.Name != "kept" {
			t.Errorf("%q: %v, %q", doc, err, g.Name)
		}
	}
}

func TestEncode(t *testing.T) {
	in := garden{
		Name: "true", Beds: -3, Open: true, Water: time.Minute, Tools: []string{"a b", "3", "x: y"},
		Plants: yamldoc.Map[plant]{{Key: "on", Value: plant{Kind: "oak", Height: 3}}, {Key: "b", Value: plant{Kind: "moss"}}},
		Extra:  map[string]any{"n": json.Number("1.50"), "s": "1.50", "l": []any{true, map[string]any{"x": json.Number("2")}}},
		Visits: []yamldoc.Map[string]{{{Key: "Start time", Value: "2:30 AM"}}},
	}
	out, err := yamldoc.Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	const want = `name: "true"
beds: -3
open: true
water: 1m0s
tools: [a b, "3", 'x: y']
plants:
  on:
    kind: oak
    height: 3
  b: moss
extra:
  l:
    - true
    - x: 2
  n: 1.50
  s: "1.50"
visits:
  - Start time: 2:30 AM
`
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
}

// A text that is not UTF-8 would come back as another.
func TestEncodeRefusesWhatIsNotUTF8(t *testing.T) {
	const bad = "caf\xe9"
	for name, g := range map[string]garden{
		"a field": {Name: bad}, "an item": {Tools: []string{bad}}, "a key": {Labels: yamldoc.Map[string]{{Key: bad}}},
		"a value": {Labels: yamldoc.Map[string]{{Key: "a", Value: bad}}}, "a shorthand": {
			Plants: yamldoc.Map[plant]{{Key: "a", Value: plant{Kind: bad}}},
		},
		"a free key": {Extra: map[string]any{bad: "a"}}, "a free value": {Extra: map[string]any{"a": []any{bad}}},
	} {
		out, err := yamldoc.Encode(g)
		if err == nil || err.Error() != `encoding YAML: "caf\xe9" is not UTF-8` {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// A mapping is indented line by line, and the reader takes these for the ends of lines too.
func TestLinesEndInOneWay(t *testing.T) {
	for _, text := range []string{"a\nb\u2028c", "a\nb\u2029c", "a\nb\u0085c", "a\r\nb"} {
		out, err := yamldoc.Encode(garden{Name: text})
		if err != nil || strings.ContainsAny(string(out), "\r\u0085\u2028\u2029") {
			t.Errorf("%q: %q, %v", text, out, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"yes", "null", "~", "<<", "- a", "a: b", " x ", "1e3", "0x1", "2026-03-08", "#", "\n", "\t\n", "a\n\nb\n", "é",
	}))
	rapid.Check(t, func(rt *rapid.T) {
		var in garden
		in.Name = text.Draw(rt, "name")
		in.Tools = rapid.SliceOf(text).Draw(rt, "tools")
		for _, key := range rapid.SliceOfDistinct(text, rapid.ID[string]).Draw(rt, "keys") {
			in.Labels = append(in.Labels, yamldoc.Item[string]{Key: key, Value: in.Name})
		}
		out, err := yamldoc.Encode(in)
		if err != nil {
			rt.Fatal(err)
		}
		var back garden
		if err := yamldoc.Decode(out, "g.yaml", 0, &back); err != nil {
			rt.Fatalf("%v in\n%s", err, out)
		}
		for i := range back.Labels {
			back.Labels[i].Pos = yamldoc.Pos{}
		}
		if len(in.Tools) == 0 {
			in.Tools = nil
		}
		if diff := cmp.Diff(in, back); diff != "" {
			rt.Fatalf("%s in\n%s", diff, out)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, doc := range []string{
		"name: a\nbeds: 3", "plants: {a: {kind: x}, b: y}", "extra: &a [*a]", "a: &x {b: *x}", "near: {near: {near: {}}}", "- - -",
		"? a\n: b", "<<: {}", "\xef\xbb\xbfname: x", "%YAML 1.1\n---\nname: x",
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var g garden
		if yamldoc.Decode(doc, "g.yaml", 0, &g) != nil {
			return
		}
		out, err := yamldoc.Encode(g)
		if err != nil {
			t.Fatal(err)
		}
		var again garden
		if err := yamldoc.Decode(out, "g.yaml", 0, &again); err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
	})
}
