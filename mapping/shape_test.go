package mapping_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
)

func decoded(t *testing.T, text string) *mapfile.File {
	t.Helper()
	f, err := mapfile.Decode([]byte("version: 1\n"+text), "m.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestWholeDaysAndRanges(t *testing.T) {
	const allDay = "columns: {name: N, start_at: {from: [D, T]}, end_at: {from: [E, U]}}\nall_day: {column: A, values: {ja: 'true', " +
		"nein: 'false'}"
	const ranged = "columns: {name: N, start_at: {from: D, range: start}, end_at: {from: D, range: end}}"
	tests := []struct{ name, mapping, csv, zone, want string }{
		{
			"one day", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,10:00,,,TRUE", "Europe/Berlin",
			"start_at=2027-05-01T00:00:00+02:00 end_at=2027-05-02T00:00:00+02:00 whole-day",
		},
		{
			"hours of a whole day", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,10:00,2027-05-01,22:00,TRUE", "Europe/Berlin",
			"start_at=2027-05-01T00:00:00+02:00 end_at=2027-05-02T00:00:00+02:00 whole-day whole-day",
		},
		{
			"hours of a whole day in the cells of its dates", "columns: {name: N, start_at: D, end_at: E}\nall_day: {column: A}",
			"N,D,E,A\nx,01.05.2027 10:00,02.05.2027 23:59,TRUE", "UTC",
			"start_at=2027-05-01T00:00:00Z end_at=2027-05-03T00:00:00Z whole-day",
		},
		{
			"last day", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,,2027-05-03,,ja", "Europe/Berlin",
			"start_at=2027-05-01T00:00:00+02:00 end_at=2027-05-04T00:00:00+02:00",
		},
		{
			"until midnight", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,0:00,2027-05-03,0:00,1", "Europe/Berlin",
			"start_at=2027-05-01T00:00:00+02:00 end_at=2027-05-03T00:00:00+02:00",
		},
		{
			"midnight of the same day", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,0:00,2027-05-01,0:00,yes", "Europe/Berlin",
			"start_at=2027-05-01T00:00:00+02:00 end_at=2027-05-02T00:00:00+02:00",
		},
		{
			"until the last minute", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,0:00,2027-05-02,23:59,yes", "Europe/Berlin",
			"start_at=2027-05-01T00:00:00+02:00 end_at=2027-05-03T00:00:00+02:00",
		},
		{
			"last day said", allDay + ", ends: last-day}", "N,D,T,E,U,A\nx,2027-05-01,0:00,2027-05-03,0:00,1", "Europe/Berlin",
			"start_at=2027-05-01T00:00:00+02:00 end_at=2027-05-04T00:00:00+02:00",
		},
		{
			"next day said", allDay + ", ends: next-day}", "N,D,T,E,U,A\nx,2027-05-01,,2027-05-03,,1", "Europe/Berlin",
			"start_at=2027-05-01T00:00:00+02:00 end_at=2027-05-03T00:00:00+02:00",
		},
		{
			"a day that loses its midnight", allDay + "}", "N,D,T,E,U,A\nx,2026-04-24,,,,TRUE", "Africa/Cairo",
			"start_at=2026-04-24T01:00:00+03:00 end_at=2026-04-25T00:00:00+03:00",
		},
		{
			"not all day", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,10:00,2027-05-01,11:00,nein", "Europe/Berlin",
			"start_at=2027-05-01T10:00:00+02:00 end_at=2027-05-01T11:00:00+02:00",
		},
		{"blank", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,10:00,,,", "Europe/Berlin", "start_at=2027-05-01T10:00:00+02:00"},
		{
			"no answer", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,10:00,,,maybe", "Europe/Berlin",
			"start_at=2027-05-01T10:00:00+02:00 bad-bool",
		},
		{"no zone", allDay + "}", "N,D,T,E,U,A\nx,2027-05-01,,,,TRUE", "", "no-key lacks"},
		{
			"no end column", "columns: {name: N, start_at: D}\nall_day: {column: A}", "N,D,A\nx,2027-05-01,TRUE", "UTC",
			"start_at=2027-05-01T00:00:00Z end_at=2027-05-02T00:00:00Z",
		},

		{
			"range", ranged, "N,D\nx,\"August 17, 2027 11:19 AM → August 25, 2027 1 PM\"", "UTC",
			"start_at=2027-08-17T11:19:00Z end_at=2027-08-25T13:00:00Z",
		},
		{"range of days", ranged, "N,D\nx,2027-08-17 → 2027-08-25", "UTC", "start_at=2027-08-17T00:00:00Z end_at=2027-08-26T00:00:00Z"},
		{"one day of a range", ranged, "N,D\nx,2027-08-17", "UTC", "start_at=2027-08-17T00:00:00Z end_at=2027-08-18T00:00:00Z"},
		{"one time of a range", ranged, "N,D\nx,2027-08-17 10:00", "UTC", "start_at=2027-08-17T10:00:00Z"},
		{
			"range with a zone", ranged, "N,D\nx,2027-08-17 10:00+02:00 → 11:00", "Europe/Berlin",
			"start_at=2027-08-17T10:00:00+02:00 end_at=2027-08-17T11:00:00+02:00",
		},
		{
			"range that proves its order at its end", ranged, "N,D\nx,3/4/2027 10:00 → 3/14/2027 10:00", "UTC",
			"start_at=2027-03-04T10:00:00Z end_at=2027-03-14T10:00:00Z",
		},
		{"range that proves nothing", ranged, "N,D\nx,3/4/2027 10:00 → 3/5/2027 10:00", "UTC", "ambiguous-date"},
		{"no range", ranged, "N,D\nx,soon → later", "UTC", "bad-time"},

		{
			"dashes", "date_order: mdy\ndash_order: dmy\ncolumns: {name: N, start_at: D, end_at: E}",
			"N,D,E\nx,05/06/2027 10:00,07-06-2027 10:00", "UTC", "start_at=2027-05-06T10:00:00Z end_at=2027-06-07T10:00:00Z",
		},
		{
			"dots", "dash_order: dmy\ncolumns: {name: N, start_at: D, end_at: E}", "N,D,E\nx,5.6.2027 10:00,06/13/2027 10:00", "UTC",
			"start_at=2027-06-05T10:00:00Z end_at=2027-06-13T10:00:00Z",
		},

		{
			"optional",
			"optional: [Q, 'E*', A]\ncolumns: {name: N, start_at: {from: [D, T]}, end_at: {from: [Ends on, U]}, visibility: {from: Q, " +
				"values: {x: private}}, max_capacity: {expr: 'Extra == \"\" ? 5 : 6'}}\nall_day: {column: A}",
			"N,D,T,U\nx,2027-05-01,10:00,11:00", "UTC", "start_at=2027-05-01T10:00:00Z end_at=2027-05-01T11:00:00Z",
		},
		{
			"a time for a day in a row that ends there", "columns: {name: N, start_at: {from: [D, T]}}", "N,D,T\nx,10:00", "UTC",
			"bad-date",
		},
		{
			"a day in a row that ends there", "columns: {name: N, start_at: {from: [D, T]}}", "N,D,T\nx,2027-05-01", "UTC",
			"bad-time",
		},
		{
			"a day of hours in a row that ends there",
			"columns: {name: N, start_at: {from: [D, T], range: start}, end_at: {from: [D, T], range: end}}",
			"N,D,T\nx,2027-05-01", "UTC", "bad-time",
		},
		{
			"alias", "aliases: {N: [Nombre, Nom], D: Jour}\ncolumns: {name: N, start_at: D}", "NOM,jour\nx,2027-05-01 10:00", "UTC",
			"start_at=2027-05-01T10:00:00Z",
		},
	}
	for _, tt := range tests {
		o := read(t, mapping.Config{Files: []string{file(t, "in.csv", tt.csv+"\n")}, Mapping: decoded(t, tt.mapping), Timezone: tt.zone})
		got := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(brief(o), "2 "), "name=x "), "timezone="+tt.zone+" ", "")
		got = strings.TrimSpace(strings.TrimSuffix(strings.ReplaceAll(" "+got+" ", " timezone="+tt.zone+" ", " "), "no-key "))
		got = strings.ReplaceAll(got, " no-key", "")
		if got != tt.want || o.Error != "" {
			t.Errorf("%s: got %s, want %s %s %v", tt.name, got, tt.want, o.Error, o.Problems)
		}
	}
}

func TestGroupsAreOfAdmittedRows(t *testing.T) {
	o := read(t, mapping.Config{
		Files: []string{file(
			t, "in.csv",
			"Event,N,D,State\n1,A,2027-05-01 10:00,refunded\n1,A,2027-05-01 10:00,paid\n2,B,2027-05-02 10:00,paid\n1,A2,2027-05-01 "+
				"10:00,paid\n",
		)},
		Mapping: decoded(t, "group: Event\nkey: Event\nfilter: 'State != \"refunded\"'\ncolumns: {name: N, start_at: D}"), Timezone: "UTC",
	})
	want := "2 name=A start_at=2027-05-01T10:00:00Z skipped\n" +
		"3 name=A start_at=2027-05-01T10:00:00Z timezone=UTC\n4 name=B start_at=2027-05-02T10:00:00Z timezone=UTC\n5 " +
		"group-differs skipped"
	if diff := cmp.Diff(want, brief(o)); diff != "" {
		t.Error(diff)
	}
	if o.Sources[0].Rows != 4 {
		t.Error(o.Sources[0].Rows)
	}
}

// What a row adds to the event of several is left out with it.
func TestGroupsAreOfTheRowsThatAreRead(t *testing.T) {
	path := file(t, "in.csv", "Event,N,D,T\n1,A,2027-05-01 10:00,red\n1,A,2027-05-01 10:00,blue\n1,A,2027-05-01 10:00,green\n")
	for _, config := range []mapping.Config{
		{Rows: mapping.RowSet{{First: 2, Last: 2}, {First: 4, Last: 4}}},
		{Without: mapping.RowSet{{First: 3, Last: 3}}},
	} {
		config.Files, config.Timezone = []string{path}, "UTC"
		config.Mapping = decoded(t, "group: Event\nkey: Event\ncolumns: {name: N, start_at: D, tags: T}")
		o := read(t, config)
		if tags := o.Rows[0].(line).Fields["tags"]; len(o.Rows) != 2 || !strings.Contains(tags, "green") || strings.Contains(tags, "blue") {
			t.Errorf("%d rows with the tags %s", len(o.Rows), tags)
		}
	}
}

// A filter is asked of the row as the file has it: what says on which days it takes
// place is gone from its occurrences.
func TestFilterSeesTheRowBeforeItIsUnrolled(t *testing.T) {
	o := read(t, mapping.Config{
		Files: []string{file(t, "in.csv", "N,Days,From,Until,At\nA,M,2027-04-05,2027-04-12,10:00\nB,,2027-04-05,2027-04-12,10:00\n")},
		Mapping: decoded(
			t,
			"filter: 'Days != \"\"'\nunroll: {days: Days, start: From, until: Until}\ncolumns: {name: N, start_at: {from: [From, At]}}",
		), Timezone: "UTC",
	})
	want := "2 name=A start_at=2027-04-05T10:00:00Z timezone=UTC no-key\n2 name=A start_at=2027-04-12T10:00:00Z timezone=UTC\n" +
		"3 name=B start_at=2027-04-05T10:00:00Z skipped"
	if diff := cmp.Diff(want, brief(o)); diff != "" {
		t.Error(diff)
	}
}

// The zone of --timezone was sent when a row of a results file had no id: it is again,
// so that the row is not taken for a change. A row that names its event itself asks for less.
func TestResultsAskForTheSame(t *testing.T) {
	c := mapping.Config{
		Files: []string{file(t, "in.csv", "key,name,start_at,_event_id\na,Tea,2027-05-01 10:00,evt-Ab12\n")}, Timezone: "UTC",
	}
	if diff := cmp.Diff(
		"2 name=Tea start_at=2027-05-01T10:00:00Z timezone=UTC event_id=evt-Ab12 end-not-moved", brief(read(t, c)),
	); diff != "" {
		t.Error(diff)
	}
	c.Files = []string{file(t, "in.csv", "event_id,start_at\nevt-Ab12,2027-05-01 10:00\n")}
	if diff := cmp.Diff("2 start_at=2027-05-01T10:00:00Z event_id=evt-Ab12 end-not-moved", brief(read(t, c))); diff != "" {
		t.Error(diff)
	}
}

// A date of a row that is left out proves nothing against the column where its order
// is said.
func TestLeftOutDashesProveNothing(t *testing.T) {
	o := read(t, mapping.Config{
		Files:   []string{file(t, "in.csv", "N,D\nA,06/13/2027 10:00\nB,13-06-2027 10:00\nC,14-06-2027 10:00\n")},
		Mapping: decoded(t, "dash_order: dmy\nfilter: 'N != \"B\"'\ncolumns: {name: N, start_at: D}"), Timezone: "UTC",
	})
	want := "2 name=A start_at=2027-06-13T10:00:00Z timezone=UTC no-key\n3 name=B start_at=2027-06-13T10:00:00Z skipped\n" +
		"4 name=C start_at=2027-06-14T10:00:00Z timezone=UTC"
	if diff := cmp.Diff(want, brief(o)); diff != "" || o.Error != "" {
		t.Error(diff, o.Error)
	}
}

// An occurrence keeps its physical row, and the rows that --rows and --limit admit
// are those of the file.
func TestUnrolledRowsKeepTheirPlaces(t *testing.T) {
	const doc = "K,N,Days,From,Until,At\na,A,\"M,W\",2027-04-05,2027-04-07,10:00\n\nb,B,F,2027-04-05,2027-04-20,10:00\nc,C,," +
		"2027-04-30,,soon\n"
	f := "key: K\nunroll: {days: Days, start: From, until: Until}\ncolumns: {name: N, start_at: {from: [From, At]}}"
	all := "2 name=A start_at=2027-04-05T10:00:00Z timezone=UTC\n2 name=A start_at=2027-04-07T10:00:00Z timezone=UTC\n" +
		"4 name=B start_at=2027-04-09T10:00:00Z timezone=UTC\n4 name=B start_at=2027-04-16T10:00:00Z timezone=UTC\nF5"
	for _, tt := range []struct {
		config mapping.Config
		want   string
	}{
		{mapping.Config{}, strings.Replace(all, "F5", "5 name=C timezone=UTC bad-time", 1)},
		{mapping.Config{Rows: mapping.RowSet{{First: 4, Last: 4}}}, all[strings.Index(all, "4 name"):strings.Index(all, "\nF5")]},
		{mapping.Config{Limit: 1}, all[:strings.Index(all, "\n4 name")]},
	} {
		c := tt.config
		c.Files, c.Mapping, c.Timezone = []string{file(t, "in.csv", doc)}, decoded(t, f), "UTC"
		if diff := cmp.Diff(tt.want, brief(read(t, c))); diff != "" {
			t.Error(diff)
		}
	}
}

// What only one event can have is not each occurrence's of a row, and no occurrence
// is taken for a row that says it again.
func TestOccurrencesShareNoSlug(t *testing.T) {
	const doc = "K,N,Days,From,Until,At,To,Slug,_event_id\na,A,\"M,W\",2027-04-05,2027-04-07,10:00,11:00,tea,\nb,B,F,2027-04-05," +
		"2027-04-20,10:00,11:00,,evt-Ab12\nc,C,F,2027-04-05,2027-04-20,10:00,11:00,,\n"
	o := read(t, mapping.Config{
		Files: []string{file(t, "in.csv", doc)}, Timezone: "UTC",
		Mapping: decoded(
			t,
			"key: K\nunroll: {days: Days, start: From, until: Until}\ncolumns: {name: N, start_at: {from: [From, At]}, end_at: {from: "+
				"[From, To]}, slug: Slug}",
		),
	})
	var got []string
	for _, row := range o.Rows {
		got = append(got, strings.Join(row.(line).Problems, "; "))
	}
	path := o.Sources[0].File
	const hint = " is that of an earlier event of the same row — the row becomes several events: leave the cell blank, or have the " +
		"mapping make a value of its own for each"
	want := []string{
		"", "error duplicate-slug " + path + `:2:H2 (Slug) slug: the slug "tea"` + hint,
		"", "error duplicate-event-id " + path + `:3:I3 (_event_id) event_id: the event "evt-Ab12"` + hint, "", "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Cells that no header names keep their columns where joined ones lie between.
func TestJoinedColumnsAreNobodysPlace(t *testing.T) {
	venues := file(t, "venues.csv", "Name,Seats,Town\nHall,many,Leeds\nHall,80,York\n")
	o := read(t, mapping.Config{
		Files: []string{
			file(t, "in.csv", "N,D,Where\nA,2027-05-01 10:00,hall,beyond\nB,2027-05-01 10:00,Hall\n"),
		}, Timezone: "UTC", KeepCells: true,
		Mapping: decoded(
			t,
			"joins: {venues: {on: Where, key: Name}}\ncolumns: {name: N, start_at: D, max_capacity: venues.Seats, address: venues.Town}",
		),
		Join: []mapping.JoinFile{{Name: "venues", File: venues}},
	})
	first, second := o.Rows[0].(line), o.Rows[1].(line)
	if diff := cmp.Diff([]string{"A", "2027-05-01 10:00", "hall", "beyond"}, first.Cells); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"B", "2027-05-01 10:00", "Hall"}, second.Cells); diff != "" {
		t.Error(diff)
	}
	problems := strings.Join(append(first.Problems, o.Problems...), "\n")
	for _, want := range []string{
		"C2 (Where) max_capacity: \"many\" is not a number, in \"Seats\" of row 2 of " + venues, "ragged-row", "D2: the row has more cells",
		"duplicate-key " + venues + ":3:A3 (Name): \"Hall\" stands in row 2 already",
	} {
		if !strings.Contains(problems, want) {
			t.Errorf("no %q in\n%s", want, problems)
		}
	}
	if second.Fields["address"] != "Leeds" || len(o.Sources[0].Header) != 3 {
		t.Error(second.Fields, o.Sources[0].Header)
	}
}

// A table is opened with the rows, and not anew when it is looked into.
func TestTableWithARowThatCannotBeReadIsRefused(t *testing.T) {
	venues := file(t, "venues.csv", "Name,Town\nHall,Paris\nCellar, \"Lyon\"\n")
	o := read(t, mapping.Config{
		Files:   []string{file(t, "in.csv", "N,D,Where\nTea,2027-05-01T10:00Z,Hall\n")},
		Mapping: decoded(t, "joins: {venues: {on: Where, key: Name}}\ncolumns: {name: N, start_at: D, address: venues.Town}"),
		Join:    []mapping.JoinFile{{Name: "venues", File: venues}},
	})
	if !strings.Contains(o.Error, "venues.csv:3:B3") || len(o.Rows) > 0 {
		t.Error(o.Error, o.Rows)
	}
}

func TestTablePutInPlaceOfAnotherIsNotRead(t *testing.T) {
	venues := file(t, "venues.csv", "Name,Town\nHall,Leeds\n")
	r, err := mapping.Read(t.Context(), mapping.Config{
		Files: []string{file(t, "in.csv", "N,D,Where\nA,2027-05-01 10:00,Hall\n")}, Timezone: "UTC", Now: now,
		Mapping: decoded(t, "joins: {venues: {on: Where, key: Name}}\ncolumns: {name: N, start_at: D, address: venues.Town}"),
		Join:    []mapping.JoinFile{{Name: "venues", File: venues}},
	})
	if err != nil {
		t.Fatal(err)
	}
	sums, err := r.Sums(t.Context())
	if err != nil || len(sums) != 2 || sums[1].File != venues {
		t.Fatal(sums, err)
	}
	if err := os.Rename(file(t, "other.csv", "Name,Town\nHall,York\n"), venues); err != nil {
		t.Fatal(err)
	}
	for result, err := range r.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Draft.Text(catalog.FieldAddress); got != "Leeds" {
			t.Errorf("the address is %q", got)
		}
	}
}
