package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

type row struct {
	place                         string // file sheet row
	action                        schema.Action
	calendar, key, id, slug, name string
	start                         int64
	want                          string
}

func TestRows(t *testing.T) {
	tests := []struct {
		name string
		rows []row
	}{
		{"keys", []row{
			{place: "a - 2", key: "k"},
			{place: "a - 3", key: "K"},
			{place: "a - 9", key: "k", want: `duplicate-key key: the key "k" is already in row 2`},
			{place: "a - 10", key: "k", calendar: "c"},
			{place: "b - 2", key: "k", want: `duplicate-key key: the key "k" is already in row 2 of a`},
			{place: "c S 7", key: "m"},
			{place: "c T 7", key: "m", want: `duplicate-key key: the key "m" is already in row 7 of sheet S`},
			{place: "d - 1", key: "m", want: `duplicate-key key: the key "m" is already in row 7 of c:S`},
		}},
		{"events", []row{
			{place: "a - 2", id: "e", calendar: "c"},
			{place: "a - 3", id: "e", calendar: "d", want: `duplicate-event-id event_id: the event "e" is already in row 2`},
			{place: "a - 4", id: "e", action: schema.Cancel, want: `duplicate-event-id event_id: the event "e" is already in row 2`},
		}},
		{"slugs", []row{
			{place: "a - 2", slug: "tea"},
			{place: "a - 3", slug: "Tea", key: "k", want: `duplicate-slug slug: the slug "Tea" is already in row 2`},
		}},
		{"creates", []row{
			{place: "a - 2", name: "Tea", start: 5, want: "no-key key: " +
				"the row has no key: with another name or start it becomes a second event"},
			{place: "a - 3", name: "Tea", start: 6},
			{place: "a - 4", name: "Tea", start: 5, calendar: "c"},
			{place: "a - 5", name: "Tea", start: 5, key: "k"},
			{place: "a - 6", name: "Tea", start: 5, want: "duplicate-create name: an event of this name and start is already in row 2"},
			{place: "a - 7", name: "Tea", start: 5, action: schema.Update},
			{place: "a - 8", name: "Tea", start: 5, action: schema.Skip},
			{place: "b - 2", name: "Talk", start: 5},
		}},
		{"events of one row", []row{
			{place: "a - 2", slug: "tea", id: "e", key: "k@1"},
			{
				place: "a - 2", slug: "tea", id: "e", key: "k@2",
				want: `duplicate-event-id event_id: the event "e" is that of an earlier event of the same row; duplicate-slug slug: ` +
					`the slug "tea" is that of an earlier event of the same row`,
			},
			{place: "a - 3", slug: "tea", want: `duplicate-slug slug: the slug "tea" is already in row 2`},
			{place: "a - 4", key: "x"},
			{place: "a - 4", key: "x", want: `duplicate-key key: the key "x" is that of an earlier event of the same row`},
		}},
		{"one text in several roles", []row{
			{place: "a - 2", key: "abc"},
			{place: "a - 3", id: "abc"},
			{place: "a - 4", slug: "abc"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var rows Rows
			for _, row := range tt.rows {
				d := row.draft(t)
				var got []string
				add(&rows, d, &Rules{ImageBase: "x"}, func(p schema.Problem) {
					got = append(got, string(p.Code)+" "+p.Field+": "+p.Message)
				})
				if diff := cmp.Diff(row.want, strings.Join(got, "; ")); diff != "" {
					t.Errorf("%s: %s", row.place, diff)
				}
			}
		})
	}
}

func (r row) draft(t *testing.T) *schema.Draft {
	d := &schema.Draft{Resource: catalog.Events, Action: r.action, Calendar: r.calendar, Key: r.key}
	if _, err := fmt.Sscan(r.place, &d.Place.File, &d.Place.Sheet, &d.Place.Row); err != nil {
		t.Fatal(err)
	}
	if d.Place.Sheet == "-" {
		d.Place.Sheet = ""
	}
	for id, text := range map[schema.ID]string{catalog.FieldEventID: r.id, catalog.FieldSlug: r.slug, catalog.FieldName: r.name} {
		if text != "" {
			d.Put(schema.Setting{Field: id, State: schema.Set, Text: text})
		}
	}
	if r.start != 0 {
		d.Put(schema.Setting{Field: catalog.FieldStartAt, State: schema.Set, Instant: r.start})
	}
	return d
}

func TestImageHostIsSaidOnce(t *testing.T) {
	var rows Rows
	said := 0
	for i := range 3 {
		d := row{place: fmt.Sprintf("a - %d", i+2), key: fmt.Sprint(i)}.draft(t)
		d.Put(schema.Setting{Field: catalog.FieldCoverURL, State: schema.Set, Text: "https://x.example.com/a.jpg"})
		add(&rows, d, &Rules{}, func(p schema.Problem) {
			if said++; p.Code != schema.CodeImageHostUnchecked {
				t.Error(p)
			}
		})
	}
	if said != 1 {
		t.Errorf("said %d times", said)
	}
}

// add checks one row as a batch of its own.
func add(rows *Rows, d *schema.Draft, rules *Rules, emit func(schema.Problem)) {
	var c Claims
	c.Take(0, d)
	rows.Add(&c, rules, func(_ int, p schema.Problem) { emit(p) })
}

// The rows of a batch are told apart, and what follows a duplicate still counts.
func TestRowsOfABatch(t *testing.T) {
	var rows Rows
	var c Claims
	for range 2 { // the claims are used again
		rows, got := Rows{}, []string(nil)
		c.Reset()
		keys := []string{"a", "b", "a", "c", "c", "a"}
		for i, key := range keys {
			c.Take(i, row{place: fmt.Sprintf("f - %d", i+2), key: key, slug: key + fmt.Sprint(i)}.draft(t))
		}
		c.Take(len(keys), row{place: "f - 9", action: schema.Skip, key: "a"}.draft(t))
		if n := c.Len(); n != 2*len(keys) {
			t.Errorf("%d claims", n)
		}
		rows.Expect(1000)
		rows.Add(&c, &Rules{}, func(i int, p schema.Problem) { got = append(got, fmt.Sprint(i, " ", p.Place.Row, " ", p.Message)) })
		want := []string{
			`2 4 the key "a" is already in row 2`, `4 6 the key "c" is already in row 5`, `5 7 the key "a" is already in row 2`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	rows.Add(&Claims{}, &Rules{}, func(int, schema.Problem) { t.Error("a batch without rows has a problem") })
}

// The set holds what a map would, whatever the order.
func TestSetIsAMap(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var s set
		truth := map[fingerprint]uint32{}
		s.expect(rapid.IntRange(0, 10_000).Draw(rt, "expected"))
		for i, n := range rapid.SliceOf(rapid.Uint64Range(0, 3000)).Draw(rt, "prints") {
			if i%100 == 50 {
				s.expect(i * int(n))
			}
			p := fingerprint{n << 48, uint32(n / 100)} // many in one shard, many that start at one slot
			first, known := s.add(p, uint32(i+1))
			want, had := truth[p]
			if known != had || had && first != want || !had && first != uint32(i+1) {
				rt.Fatalf("%v: %d %v, want %d %v", p, first, known, want, had)
			}
			if !had {
				truth[p] = first
			}
		}
	})
}

func TestMemoryOfASet(t *testing.T) {
	var s set
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 300_000
	for i := range uint32(n) {
		if _, known := s.add(fingerprint{rng.Uint64(), rng.Uint32()}, i+1); known {
			t.Fatal("a fingerprint is known that never came")
		}
	}
	slots := 0
	for i := range s.shards {
		slots += cap(s.shards[i].slots)
	}
	if perRow := float64(slots*16) / n; perRow > 32 {
		t.Errorf("%.1f bytes a row", perRow)
	}
}

func TestExpectedMemoryIsBounded(t *testing.T) {
	var s set
	for _, n := range []int{-5, 0, 100, 1 << 62} {
		s.expect(n)
	}
	slots := 0
	for i := range s.shards {
		slots += cap(s.shards[i].slots)
	}
	if slots*16 > 26<<20 {
		t.Errorf("%d bytes", slots*16)
	}
}

func BenchmarkAdd(b *testing.B) {
	const batch = 256
	drafts := make([]schema.Draft, batch)
	keys := make([]string, 1<<20)
	for i := range keys {
		keys[i] = fmt.Sprintf("spring-%07d", i)
	}
	var rows Rows
	var c Claims
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		at := i & (len(keys) - 1)
		if at == 0 {
			rows = Rows{}
			rows.Expect(len(keys))
		}
		d := &drafts[i%batch]
		d.Resource, d.Place, d.Key = catalog.Events, schema.Place{File: "a", Row: at + 2}, keys[at]
		c.Take(i%batch, d)
		if i++; i%batch == 0 {
			rows.Add(&c, &Rules{}, func(_ int, p schema.Problem) { b.Fatal(p) })
			c.Reset()
		}
	}
}
