package match_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

// headerSet is one file of testdata/headers.txt.
type headerSet struct {
	name    string
	records [][]string // header and rows
	want    map[string]string
}

func headerSets(t testing.TB) []headerSet {
	t.Helper()
	data, err := os.ReadFile("testdata/headers.txt")
	if err != nil {
		t.Fatal(err)
	}
	var sets []headerSet
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "== "); ok {
			sets = append(sets, headerSet{name: name, records: make([][]string, 4), want: map[string]string{}})
			continue
		}
		header, rest, ok := strings.Cut(line, " => ")
		if !ok || len(sets) == 0 {
			continue
		}
		set := &sets[len(sets)-1]
		cells := strings.Split(rest, "|")
		set.want[header] = strings.TrimSpace(cells[0])
		set.records[0] = append(set.records[0], header)
		for i := range 3 {
			set.records[i+1] = append(set.records[i+1], strings.TrimSpace(cells[i+1]))
		}
	}
	return sets
}

// became tells what a proposal does with a column.
func became(p *match.Proposal, header string) string {
	var fields []string
	for _, l := range p.Lines {
		if l.At == "geo_address_json" {
			l.At = "address" // the same in presets
		}
		if slices.Contains(l.Columns, header) && l.At != "filter" && !slices.Contains(fields, l.At) {
			fields = append(fields, l.At)
		}
	}
	if len(fields) > 0 {
		slices.SortFunc(fields, func(a, b string) int { return strings.Compare(b, a) })
		return strings.Join(fields, "+")
	}
	for _, q := range p.Questions {
		if slices.Contains(q.Columns, header) || q.ID == "rows" {
			return "ask"
		}
	}
	return "-"
}

func TestEachColumnIsMappedRightOrAsked(t *testing.T) {
	sets := headerSets(t)
	if len(sets) < 30 {
		t.Fatalf("%d header sets, want 30", len(sets))
	}
	languages := map[string]int{}
	for _, set := range sets {
		languages[set.name[len(set.name)-4:]]++
		t.Run(set.name, func(t *testing.T) {
			p := gatherRecords(set.records).Propose(match.Config{})
			written(t, p)
			for _, header := range set.records[0] {
				if got := became(p, header); got != set.want[header] {
					t.Errorf("%s: %s, want %s", header, got, set.want[header])
				}
			}
			if t.Failed() {
				t.Log("\n" + written(t, p))
			}
		})
	}
	if len(languages) != 4 {
		t.Errorf("header sets in %v", languages)
	}
}

func TestTheOrderOfColumnsMakesNoDifference(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, set := range headerSets(t) {
		t.Run(set.name, func(t *testing.T) {
			want := gatherRecords(set.records).Propose(match.Config{})
			for range 5 {
				order := random.Perm(len(set.records[0]))
				shuffled := make([][]string, len(set.records))
				for i, record := range set.records {
					for _, at := range order {
						shuffled[i] = append(shuffled[i], record[at])
					}
				}
				got := gatherRecords(shuffled).Propose(match.Config{})
				for _, header := range set.records[0] {
					if a, b := became(want, header), became(got, header); a != b {
						t.Errorf("%s: %s, and %s where the columns stand otherwise", header, a, b)
					}
				}
			}
		})
	}
}
