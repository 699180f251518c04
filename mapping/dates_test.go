package mapping_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// The order of a column's dates is proved by its first rows or by any later one,
// and a proof of the opposite lets no date of the column through unnoticed.
func TestOrderProvedByTheColumn(t *testing.T) {
	const rows, early, late = 6000, 3, 5000
	tests := []struct {
		name   string
		proofs map[int]string // by row
		start  string         // of all rows before the end
		end    int            // the row that ends the reading
		faults int            // rows with an ambiguous date
	}{
		{"by an early row", map[int]string{early: "25/12/2026 10:00"}, "2026-04-03T10:00:00Z", 0, 0},
		{"by a late row", map[int]string{late: "25/12/2026 10:00"}, "2026-04-03T10:00:00Z", 0, 0},
		{"the other order", map[int]string{early: "12/25/2026 10:00"}, "2026-03-04T10:00:00Z", 0, 0},
		{"not at all", nil, "", 0, rows - 2},
		{"both early", map[int]string{early: "25/12/2026 10:00", early + 1: "12/25/2026 10:00"}, "", 0, rows - 2},
		{"both late", map[int]string{late: "25/12/2026 10:00", late + 1: "12/25/2026 10:00"}, "", 0, rows - 2},
		{
			"early and the opposite late",
			map[int]string{early: "25/12/2026 10:00", late: "12/25/2026 10:00"},
			"2026-04-03T10:00:00Z", late, 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("key,name,start_at,timezone\n")
			for row := 2; row < rows; row++ {
				start := "03/04/2026 10:00"
				if proof := tt.proofs[row]; proof != "" {
					start = proof
				}
				fmt.Fprintf(&b, "key-%d,Event number %d,%s,UTC\n", row, row, start)
			}
			r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{file(t, "in.csv", b.String())}, Now: now, Workers: 3})
			if err != nil {
				t.Fatal(err)
			}
			row, faults := 1, 0
			var end error
			for result, err := range r.Results(t.Context()) {
				if end = err; err != nil {
					break
				}
				if row++; result.Draft.Place.Row != row {
					t.Fatalf("row %d, want %d", result.Draft.Place.Row, row)
				}
				for _, p := range result.Problems {
					if p.Code != schema.CodeAmbiguousDate {
						t.Fatal(words(p))
					}
					faults++
				}
				if got := result.Draft.Text(catalog.FieldStartAt); tt.proofs[row] == "" && got != tt.start {
					t.Fatalf("row %d: start %q, want %q", row, got, tt.start)
				}
			}
			last := rows - 1
			if tt.end > 0 {
				last = tt.end - 1
				e, ok := errors.AsType[*sheet.Error](end)
				want := fmt.Sprintf("the column has dates with the day first (row %d) and with the month first (row %d)", early, tt.end)
				if !ok || e.Code != schema.CodeAmbiguousDate || e.Place.Row != tt.end || e.Place.Header != "start_at" || e.Message != want {
					t.Errorf("%v, want %s", end, want)
				}
			} else if end != nil {
				t.Error(end)
			}
			if row != last || faults != tt.faults {
				t.Errorf("%d rows with %d faults, want %d with %d", row, faults, last, tt.faults)
			}
		})
	}
}

// A row that is left out proves an order like any other, so that what --limit lets
// through first is read no other way than the whole file is later.
func TestOrderProvedByRowsLeftOut(t *testing.T) {
	const rows, early, late = 6000, 3, 5000
	tests := []struct {
		name   string
		config mapping.Config
		action string // of the late row
		given  int    // rows before the error
	}{
		{"by --limit", mapping.Config{Limit: 100}, "UPSERT", 100},
		{"by --rows", mapping.Config{Rows: mapping.RowSet{{First: 2, Last: 40}, {First: late + 1, Last: late + 9}}}, "UPSERT", 39},
		{"by their action", mapping.Config{}, "SKIP", late - 2},
		{"by the filter", mapping.Config{Mapping: &mapfile.File{Filter: `action != "none"`, Ignore: []string{"action"}}}, "none", late - 2},
		{"with the order said", mapping.Config{Limit: 100, DateOrder: "dmy"}, "UPSERT", 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("key,name,start_at,timezone,action\n")
			for row := 2; row < rows; row++ {
				start, action := "03/04/2026 10:00", ""
				switch row {
				case early:
					start = "25/12/2026 10:00"
				case late:
					start, action = "12/25/2026 10:00", tt.action
				}
				fmt.Fprintf(&b, "key-%d,Event number %d,%s,UTC,%s\n", row, row, start, action)
			}
			c := tt.config
			c.Files, c.Now, c.Workers = []string{file(t, "in.csv", b.String())}, now, 3
			r, err := mapping.Read(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			given := 0
			var end error
			for _, err := range r.Results(t.Context()) {
				if end = err; err != nil {
					break
				}
				given++
			}
			if given != tt.given {
				t.Errorf("%d rows, want %d", given, tt.given)
			}
			if c.DateOrder != "" {
				if end != nil {
					t.Error(end)
				}
				return
			}
			if e, ok := errors.AsType[*sheet.Error](end); !ok || e.Code != schema.CodeAmbiguousDate || e.Place.Row != late ||
				e.Place.Header != "start_at" {
				t.Errorf("%v", end)
			}
		})
	}
}

// One date of a column proves its order. A row that is typed in the other one is told where it would take months.
func TestEventOfMonthsInTheOtherOrder(t *testing.T) {
	const (
		none    = ""
		retreat = "the event takes months, 2027-01-04 to 2027-03-04, and with day and month exchanged 2027-04-01 to 2027-04-03"
		night   = "the event takes months, 2027-01-05 to 2027-02-05, and with day and month exchanged 2027-05-01 to 2027-05-02"
	)
	for dates, want := range map[string]string{
		"04/01/2027,04/03/2027,yes":               retreat,
		"05/01/2027 22:00,05/02/2027 01:00,no":    night,
		"04/01/2027 10:00 - 04/03/2027 12:00,,no": retreat,
		"04/01/2027,31/03/2027,yes":               none,
		"2027-01-04,04/03/2027,yes":               none,
		"4 Jan 2027,04/03/2027,yes":               none,
		"04/01/2027,08/03/2027,yes":               none,
		"04/03/2027,04/03/2027,yes":               none,
		"04/01/2027,07/01/2027,yes":               none,
	} {
		in := "key,name,start_at,end_at,day,timezone\na,Proof,13/05/2027 10:00,13/05/2027 11:00,,UTC\nb,Retreat," + dates + ",UTC\n"
		r, err := mapping.Read(t.Context(), mapping.Config{
			Files: []string{file(t, "in.csv", in)}, Now: now,
			Mapping: &mapfile.File{AllDay: mapfile.AllDay{Column: "day", Ends: "last-day"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := none
		for row, err := range r.Results(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range row.Problems {
				if p.Code == schema.CodeDoubtfulOrder {
					got = p.Message
				} else if p.Severity == schema.Error {
					t.Errorf("%s: %v", dates, p)
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", dates, got, want)
		}
	}
}

// Dates with the names of months of another language are read beside any others.
func TestDatesOfOtherLanguages(t *testing.T) {
	const doc = "key,name,Start Date,Start Time,timezone\n1,A,15. März 2027,19:30 Uhr,Europe/Berlin\n2,B,15 de marzo de " +
		"2027,19:30,Europe/Madrid\n" +
		"3,C,1er mai 2027,19h30,Europe/Paris\n4,D,3/5/2027,19:30,UTC\n5,E,30. Februar 2027,19 Uhr,Europe/Berlin\n"
	o := read(t, mapping.Config{Files: []string{file(t, "in.csv", doc)}})
	want := "2 name=A start_at=2027-03-15T19:30:00+01:00 timezone=Europe/Berlin\n3 name=B start_at=2027-03-15T19:30:00+01:00 " +
		"timezone=Europe/Madrid\n" +
		"4 name=C start_at=2027-05-01T19:30:00+02:00 timezone=Europe/Paris\n5 name=D timezone=UTC ambiguous-date\n6 name=E " +
		"timezone=Europe/Berlin bad-date"
	if diff := cmp.Diff(want, brief(o)); diff != "" {
		t.Error(diff, o.Error)
	}
}
