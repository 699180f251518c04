package formula_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/formula"
	"eventbatch/mapping/schema"
)

// row is a row of texts.
type row []string

func (r row) Cell(column int) string {
	if column >= len(r) {
		return ""
	}
	return r[column]
}

func (r row) Field(path string) string { return "<" + path + ">" }

func (r row) Time(id schema.ID) (time.Time, bool) {
	return time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC), id == catalog.FieldStartAt
}

func (r row) Now() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) }

func TestRun(t *testing.T) {
	headers := []string{"Event name", "Access", "Größe", "Nombre/Ort"}
	cells := row{"Tea", "Members", "5", "x"}
	tests := []struct {
		text, want string
		columns    []int
		first      int
	}{
		{`upper(col("event NAME"))`, "TEA", []int{0}, 0},
		{`Access + Event_name + event_name`, "MembersTeaTea", []int{0, 1}, 1},
		{`ACCESS + größe + EVENT_name`, "Members5Tea", []int{0, 1, 2}, 1},
		{`int(Größe) * 2`, "10", []int{2}, 2},
		{`Nombre_Ort`, "x", []int{3}, 3},
		{`start_at + duration("26h")`, "2026-05-02T12:00:00Z is a time", nil, -1},
		{`duration("90s")`, "PT1M30S", nil, -1},
		{`duration("2h")`, "PT120M", nil, -1},
		{`field("name")`, "<name>", nil, -1},
		{`minor("12.50", "EUR") + minor("3000", "jpy") + minor("", "eur")`, "12503000", nil, -1},
		{`minor("12.50", "jpy")`, `"12.50" has more decimals than jpy, which has none`, nil, -1},
		{`now()`, "2026-01-02T00:00:00Z is a time", nil, -1},
		{`end_at`, "blank", nil, -1},
		{`nil`, "", nil, -1},
		{`1 == 1.0`, "true", nil, -1},
		{`0.5`, "0.5", nil, -1},
		{`[Access]`, `["Members"]`, []int{1}, 1},
		{`Maybe + Access`, "Members", []int{1, math.MaxInt}, -1},
		{`col("Maybe not") + "!"`, "!", []int{math.MaxInt}, -1},
	}
	runner := formula.NewRunner(cells)
	runner.Begin()
	for _, tt := range tests {
		p, err := formula.Compile(tt.text, formula.Config{Headers: headers, May: func(name string) bool { return name[0] == 'M' }})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if diff := cmp.Diff(tt.columns, p.Columns()); diff != "" || p.Column() != tt.first {
			t.Errorf("%s: %d %s", tt.text, p.Column(), diff)
		}
		for range 2 { // the second time from memory
			if got := ran(runner, p); got != tt.want {
				t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
			}
		}
	}
}

func ran(runner *formula.Runner, p *formula.Program) string {
	result, asked, err := runner.Run(p)
	if err != nil {
		return err.Error()
	}
	if !asked {
		return "blank"
	}
	text, at, isTime, err := formula.Text(result)
	if err != nil {
		return err.Error()
	}
	if isTime {
		return at.Format(time.RFC3339) + " is a time"
	}
	return text
}

// A column hides no function that an expression calls, and is read beside it.
func TestAColumnIsNamedLikeAFunction(t *testing.T) {
	headers := []string{"Duration", "date", "split", "int"}
	cells := row{"1:30", "2026-05-01", "a", "7"}
	for text, want := range map[string]string{
		`start_at + duration(col("Duration"))`: "2026-05-01T11:30:00Z is a time",
		`start_at + duration("90", "m")`:       "2026-05-01T11:30:00Z is a time",
		`date + " 18:00"`:                      "2026-05-01 18:00",
		`split("x y", " ")[0] + col("split")`:  "xa",
		`string(int("3")) + col("int") + date`: "372026-05-01",
		`Duration + split`:                     "1:30a",
		`duration("ca. zwei")`:                 `"ca. zwei" is not how long something takes`,
		`duration("90")`:                       `"90" is not how long something takes`,
		`duration("90", "parsec")`:             `duration: "parsec" is no unit: write h or m (at letter 1)`,
	} {
		p, err := formula.Compile(text, formula.Config{Headers: headers})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		runner := formula.NewRunner(cells)
		runner.Begin()
		if got := ran(runner, p); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestWrong(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a +", "unexpected token EOF (at letter 3)"},
		{"Acces", "unknown name Acces (at letter 1): did you mean Access?"},
		{"Nonsense", `unknown name Nonsense (at letter 1): a column whose header is no single word is col("Its Header")`},
		{`col("Nope") == ""`, `no column "Nope"`},
		{`col(Access) == ""`, `col takes the name of a column, such as col("Start date")`},
		{`Access == "" || Access("a") == ""`, `Access is a function here: the column is col("Access")`},
		{"Access", "expected bool, but got string"},
		{"int(Access) > 3", `invalid operation: int(Members) (at letter 1)`},
		{"{'a': start_at}['a'] == 1 / 0", "<nil>"},
	}
	for _, tt := range tests {
		p, err := formula.Compile(tt.text, formula.Config{Headers: []string{"Access"}, Truth: true})
		if err == nil {
			runner := formula.NewRunner(row{"Members"})
			runner.Begin()
			_, _, err = runner.Run(p)
		}
		if got := fmt.Sprint(err); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
	if err := formula.Check("a +"); err == nil || errors.Unwrap(err) != nil {
		t.Error(err)
	}
	if _, _, _, err := formula.Text(math.Inf); err == nil {
		t.Error("a function is not a value of a cell")
	}
}

func TestMentioned(t *testing.T) {
	got := formula.Mentioned(`col("Start date") + Access + string(now()) + field("name") + string(end_at)`)
	if diff := cmp.Diff([]string{"Start date", "Access"}, got); diff != "" {
		t.Error(diff)
	}
	if got := formula.Mentioned("a +"); got != nil {
		t.Error(got)
	}
}
