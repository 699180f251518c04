package mapping_test

import (
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc/panics"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var now = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// outcome is a reading in a form that people can review.
type outcome struct {
	Sources  []mapping.Source `json:"sources"`
	Problems []string         `json:"problems,omitempty"`
	Rows     []any            `json:"rows"`
	Error    string           `json:"error,omitempty"`
}

type line struct {
	Row      string            `json:"row"`
	Action   string            `json:"action"`
	Calendar string            `json:"calendar,omitempty"`
	Key      string            `json:"key,omitempty"`
	Fields   map[string]string `json:"fields,omitempty"`
	Cells    []string          `json:"cells,omitempty"`
	Problems []string          `json:"problems,omitempty"`
	Skipped  string            `json:"skipped,omitempty"`
	Lacking  string            `json:"lacking,omitempty"`
}

func words(p schema.Problem) string {
	s := p.Severity.String() + " " + string(p.Code) + " " + p.Place.String()
	if p.Place.Header != "" {
		s += " (" + p.Place.Header + ")"
	}
	if p.Field != "" {
		s += " " + p.Field
	}
	s += ": " + p.Message
	if p.Hint != "" {
		s += " — " + p.Hint
	}
	return s
}

func wordsOf(problems []schema.Problem) (all []string) {
	for _, p := range problems {
		all = append(all, words(p))
	}
	return all
}

func fieldsOf(d *schema.Draft) map[string]string {
	fields := map[string]string{}
	for _, s := range d.Settings {
		text := s.Text
		if s.State == schema.Clear {
			text = "<clear>"
		}
		fields[catalog.Path(s.Field)] = text
		if catalog.Field(s.Field).Kind == schema.Timestamp {
			at, err := time.Parse(time.RFC3339, s.Text)
			if err != nil {
				at, err = time.Parse("2006-01-02T15:04Z07:00", s.Text)
			}
			if err != nil || at.UnixMilli() != s.Instant {
				fields[catalog.Path(s.Field)] += " is not its instant " + time.UnixMilli(s.Instant).UTC().String()
			}
		}
	}
	return fields
}

func read(t *testing.T, c mapping.Config) outcome {
	t.Helper()
	c.Now = now
	var o outcome
	r, err := mapping.Read(t.Context(), c)
	if err != nil {
		o.Error = err.Error()
		return o
	}
	for result, err := range r.Results(t.Context()) {
		if err != nil {
			o.Error = err.Error()
			if e, ok := err.(*mapping.HeaderError); ok {
				o.Problems = append(o.Problems, wordsOf(e.Problems)...)
			}
			break
		}
		d := result.Draft
		o.Rows = append(o.Rows, line{
			Row: d.Place.String(), Action: schema.ActionNames[d.Action], Calendar: d.Calendar, Key: d.Key,
			Fields: fieldsOf(d), Cells: append([]string(nil), result.Cells...), Problems: wordsOf(result.Problems),
			Skipped: result.Skipped, Lacking: result.Lacking,
		})
	}
	o.Sources = r.Sources()
	o.Problems = append(o.Problems, wordsOf(r.Problems())...)
	return o
}

// TestGolden reads each input of testdata with the mapping beside it, and
// compares what comes of it with the JSON beside it.
func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.csv")
	if err != nil || len(inputs) == 0 {
		t.Fatal("no inputs", err)
	}
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			base := strings.TrimSuffix(input, ".csv")
			c := mapping.Config{Files: []string{input}}
			if _, err := os.Stat(base + ".map.yaml"); err == nil {
				if c.Mapping, err = mapfile.Load(base + ".map.yaml"); err != nil {
					t.Fatal(err)
				}
			}
			got, err := json.MarshalIndent(read(t, c), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *update {
				if err := os.WriteFile(base+".json", got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(base + ".json")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// broken is an input whose reading is a defect after its first bytes.
type broken struct{ text io.Reader }

func (b *broken) Read(p []byte) (int, error) {
	n, err := b.text.Read(p)
	if err == io.EOF {
		panic("a defect")
	}
	return n, err
}

// What panics beside the caller is raised again in the caller's goroutine.
func TestPanicReachesTheCaller(t *testing.T) {
	defer func() {
		if p, ok := recover().(*panics.Recovered); !ok || p.Value != "a defect" || !strings.Contains(string(p.Stack), "broken") {
			t.Errorf("got %v", p)
		}
	}()
	in := &broken{strings.NewReader("key,name\nk,Tea\n")}
	_, err := mapping.Read(t.Context(), mapping.Config{Files: []string{"-"}, Stdin: in, Format: "csv", Now: now})
	t.Error("the reading goes on as if nothing were wrong", err)
}
