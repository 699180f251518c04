package formula_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/expr-lang/expr"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/formula"
)

// cells are what the row of these tests holds, with a cell as long as they come.
var (
	boundedHeaders = []string{"Title", "Text", "Tags"}
	boundedCells   = row{"xaxa", strings.Repeat("x", 1<<20), "b, a, b"}
)

func evaluate(t testing.TB, text string) string {
	t.Helper()
	p, err := formula.Compile(text, formula.Config{Headers: boundedHeaders})
	if err != nil {
		return err.Error()
	}
	runner := formula.NewRunner(boundedCells)
	runner.Begin()
	return ran(runner, p)
}

// No expression runs on, nor makes more of a row than a row may be.
func TestWorkIsBounded(t *testing.T) {
	chain := func(first, next string) string { // each is twice the one before
		var b strings.Builder
		fmt.Fprintf(&b, "let a0 = %s; ", first)
		for i := range 60 {
			fmt.Fprintf(&b, "let a%d = %s; ", i+1, strings.ReplaceAll(next, "$", fmt.Sprint("a", i)))
		}
		return b.String()
	}
	const cell = "more than the 1 MiB that a cell holds"
	const work = "more work than one row may take"
	for _, tt := range []struct{ text, want string }{
		{`let r = 1..900000; string(count(r, count(r, # < 0) > 0))`, work},
		{`repeat(repeat("x",100000), 100000)`, cell},
		{`repeat(Text, 2)`, cell},
		{`replace(Text, "x", Text)`, cell},
		{`replace(Text, "", "yy")`, cell},
		{`replace(Text, "x", "yy", 2000000)`, cell},
		{`join(map(1..9000, Title), repeat("x",900000))`, cell},
		{`repeat(repeat(repeat("x", 1000), 1000), 1000)`, cell},
		{`map(1..900000, repeat("x", 1000000))`, work},
		{`Text + Title`, cell},
		{`reduce(1..60, #acc + #acc, "x")`, work},
		{chain(`"x"`, `$ + $`) + "a60", work},
		{chain(`["x"]`, `[$, $]`) + "string(a60)", work},
		{chain(`["x"]`, `[$, $]`) + "a60", work},
		{chain(`["x"]`, `{"a": $, "b": $}`) + "toJSON(a60)", work},
		{chain(`["x"]`, `concat($, $)`) + "len(a60)", work},
		{`count(1..900000, Text contains "y")`, work},
		{`count(1..900000, Text == Text)`, work},
		{`count(1..900000, # in (1..900000))`, work},
		{`count(1..900000, Text matches "y")`, work},
		{`Text matches "(x{0,999}y){1}x{0,900}z"`, work},
		{`count(1..900000, Title matches "x" + string(#))`, work},
		{`count(1..900000, timezone("Europe/Paris") != nil)`, work},
		{`count(1..900000, len(Text[1:]) > 0)`, work},
		{`uniq(map(1..100000, string(#)))`, work},
		{`sort(split(Text, ""))`, work},
		{`map(1..100, split(Text, ""))`, work},
		{`trim(Text, Text)`, work},
		{`fromJSON(Text + Text)`, cell},
		{`toJSON(reduce(1..9000, [#acc], 0))`, work},
		{`groupBy(1..900000, string(#))`, work},
		{`sortBy(1..900000, -#)`, work},
	} {
		before := allocated()
		got := evaluate(t, tt.text)
		if !strings.Contains(got, tt.want) {
			t.Errorf("%.80s: got %.200s, want %s", tt.text, got, tt.want)
		}
		if took := allocated() - before; took > 512<<20 {
			t.Errorf("%.80s: took %d MiB of memory", tt.text, took>>20)
		}
	}
}

func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// What people write is no work.
func TestOrdinaryExpressionsAreNoWork(t *testing.T) {
	for text, want := range map[string]string{
		`join(sort(uniq(map(split(Tags, ","), trim(#)))), "; ")`:             "a; b",
		`replace(Title, "a", "aa") + repeat("-", 3)`:                         "xaaxaa---",
		`Title matches "^(xa)+$" ? upper(Title) : nil`:                       "XAXA",
		`let t = filter(split(Tags, ", "), # != "a"); t[0] + string(len(t))`: "b2",
		`reduce(split(Tags, ", "), #acc + "/" + #)`:                          "b/a/b",
		`fromJSON('{"a": {"b": [1, 2]}}')?.a?.b[1]`:                          "2",
		`fromJSON('{}')?.a?.b ?? "none"`:                                     "none",
		`now().Format("2006") + date("2027-03-04").Weekday().String()`:       "2026Thursday",
		`len(Text) > 5 && Text contains "x" && not (Text matches "y")`:       "true",
		`toJSON({"a": [1]})`:                                                                    "{\n  \"a\": [\n    1\n  ]\n}",
		`any(1..1000, string(#) in ["7"]) ? "yes" : "no"`:                                       "yes",
		`{"a": Title}.a[1:3]`:                                                                   "ax",
		`string(nil) + string(2.5) + string([Title])`:                                           "<nil>2.5[xaxa]",
		`let f = start_at; f.Add(duration("1h")).Year()`:                                        "2026",
		`split(Tags, ", ", 2)[1] | upper()`:                                                     "A, B",
		`if Title == "xaxa" { sum(map(1..10, # * 2)) } else { 0 }`:                              "110",
		`max([1, 5, 3]) + min(4, 2) + median([1, 2, 3])`:                                        "9",
		`groupBy(split(Tags, ", "), #)["b"] | len()`:                                            "2",
		`toBase64(Title) + " " + fromBase64("eA==")`:                                            "eGF4YQ== x",
		`count(split(Tags, ", "), # == "b")`:                                                    "2",
		`trim("--x--", "-") + trim(" y ")`:                                                      "xy",
		`date("04.03.2027", "02.01.2006", "Europe/Paris").In(timezone("UTC")).Format("15:04Z")`: "23:00Z",
	} {
		if got := evaluate(t, text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// The same expression gives the same on every run: what a program is made of is no value.
func TestNothingOfTheProgramIsAValue(t *testing.T) {
	for text, want := range map[string]string{
		`string($env)`:             `there is no $env: a column is called by its name, or as col("Its Header")`,
		`$env["Title"]`:            `there is no $env: a column is called by its name, or as col("Its Header")`,
		`string(col)`:              "col: a function is not a value: it is called with ()",
		`[now]`:                    "now: a function is not a value: it is called with ()",
		`string([start_at.Year])`:  "a function is not a value: it is called with () (at letter 1)",
		`string({"a": now().Day})`: "a function is not a value: it is called with () (at letter 1)",
	} {
		if got := evaluate(t, text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A row's expressions have their work between them.
func TestWorkIsThatOfARow(t *testing.T) {
	p, err := formula.Compile(`len(upper(Text) + lower(Text))`, formula.Config{Headers: boundedHeaders})
	if err != nil {
		t.Fatal(err)
	}
	runner := formula.NewRunner(boundedCells)
	for range 3 {
		runner.Begin()
		n := 0
		for ran(runner, p) == "2097152" {
			n++
		}
		if n < 5 || n > 50 {
			t.Errorf("%d times", n)
		}
	}
}

// FuzzBounded holds expressions that count their work against the interpreter's own: what
// they come to within the bounds is the same.
func FuzzBounded(f *testing.F) {
	for _, seed := range []string{
		`let a = [Title, 1]; map(a, # == 1 ? nil : #)`, `reduce(1..9, #acc + #)`, `Title[1:] + join(split(Tags, ","), "") ?? "x"`,
		`fromJSON('{"a":[1,{"b":2}]}')?.a[1]?.b`, `sortBy(uniq(split(Tags, "")), len(#))`, `filter(1..9, # % 2 == 0 and # in [2, 4])`,
		`if Title matches "a+" { repeat(Title, 3) } else { replace(Title, "a", "b", 1) }`, `{"a": {Title: [1..3]}} | toJSON()`,
		`find(map(["a"], {"n": #, "l": len(#)}), .l > 0).n`,
		`string(flatten([[1], [2, [3]]])) + string(-1 ** 2)`, `Title; now().Year() > 2000 ? Tags : Text`,
	} {
		f.Add(seed)
	}
	start, _ := boundedCells.Time(catalog.FieldStartAt)
	names := map[string]any{"Title": boundedCells[0], "Text": boundedCells[1], "Tags": boundedCells[2], "start_at": start}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := formula.Compile(text, formula.Config{Headers: boundedHeaders})
		if err != nil || unordered(text) {
			t.Skip()
		}
		for _, name := range formula.Mentioned(text) {
			if names[name] == nil {
				t.Skip() // in other letters
			}
		}
		runner := formula.NewRunner(boundedCells)
		runner.Begin()
		got, _, err := runner.Run(p)
		if err != nil && (strings.Contains(err.Error(), "more ") || strings.Contains(err.Error(), "a function is")) {
			t.Skip()
		}
		plain, compiling := expr.Compile(text, expr.Env(names))
		if compiling != nil {
			t.Skip() // the optimizer refuses it
		}
		want, wrong := expr.Run(plain, names)
		if err != nil || wrong != nil {
			if err == nil || wrong == nil {
				t.Errorf("%s: %v, and of the interpreter %v", text, err, wrong)
			}
			return
		}
		mine, _, _, _ := formula.Text(got)
		if theirs, _, _, _ := formula.Text(want); mine != theirs {
			t.Errorf("%s: got %q, want %q", text, mine, theirs)
		}
	})
}

// unordered reports whether the order of a result may differ from run to run, or its time.
func unordered(text string) bool {
	for _, name := range []string{"keys", "values", "toPairs", "now", "groupBy", "col", "field", "end_at"} {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}
