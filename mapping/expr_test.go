package mapping_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/mapfile"
)

func TestExpressions(t *testing.T) {
	const doc = "key,Event name,Start,Hours,Access,Größe,start_at,Flag\n" +
		"1, Tea ,2026-05-01T10:00:00Z,2,Everyone,5,2026-05-01 10:00,\n" +
		"2,Talk,,,Members,x,2026-05-02T10:00Z,yes\n"
	tests := []struct{ columns, want string }{
		{`name: {expr: 'upper(col("event name"))'}`, "2 name=TEA\n3 name=TALK"},
		{`name: {expr: 'Event_name + " (" + Access + ")"'}`, "2 name=Tea (Everyone)\n3 name=Talk (Members)"},
		{`name: {expr: 'event_name'}`, "2 name=Tea\n3 name=Talk"},
		{`name: {expr: 'Größe'}`, "2 name=5\n3 name=x"},
		{`name: {expr: 'string(int(Größe) * 2)'}`, "2 name=10\n3 bad-expression"},
		{`name: {expr: 'Access == "Everyone" ? nil : "<clear>"'}`, "2\n3 not-nullable"},
		{`name: {expr: 'string(now().Year())'}`, "2 name=2026\n3 name=2026"},
		{`name: {expr: '[1, 2]'}`, "2 name=[1,2]\n3 name=[1,2]"},
		{
			`end_at: {expr: 'start_at + duration("90m")'}, start_at: start_at, timezone: {value: Europe/Paris}`,
			"2 start_at=2026-05-01T10:00:00+02:00 end_at=2026-05-01T11:30:00+02:00 timezone=Europe/Paris\n" +
				"3 start_at=2026-05-02T10:00:00Z end_at=2026-05-02T13:30:00+02:00 timezone=Europe/Paris",
		},
		{`end_at: {expr: 'start_at + duration("90m")'}, start_at: Start`, "2 start_at=2026-05-01T10:00:00Z end_at=2026-05-01T11:30:00Z\n3"},
		{`end_at: {expr: 'Start'}`, "2 end_at=2026-05-01T10:00:00Z\n3"},
		{`end_at: {expr: '"3/4/2026 10:00"'}, timezone: {value: UTC}`, "2 timezone=UTC ambiguous-date\n3 timezone=UTC ambiguous-date"},
		{
			`name: {expr: 'field("visibility") + field("key")'}, visibility: {from: Access, values: {everyone: Public, "*": private}}`,
			"2 name=public1 visibility=public\n3 name=private2 visibility=private",
		},
		{`timezone: {expr: 'Access == "Everyone" ? "Europe/Paris" : "Asia/Tokyo"'}`, "2 timezone=Europe/Paris\n3 timezone=Asia/Tokyo"},
		{`feedback_email.delay: {expr: 'duration("26h")'}, feedback_email.enabled: {value: true}`, "2\n3"},
		{
			`end_at: {expr: 'Hours == "" ? "" : start_at + duration(Hours, "h")'}, start_at: start_at, timezone: {value: UTC}`,
			"2 start_at=2026-05-01T10:00:00Z end_at=2026-05-01T12:00:00Z timezone=UTC\n3 start_at=2026-05-02T10:00:00Z timezone=UTC",
		},
		{
			`name: {expr: 'start_at.Format("15:04")'}, start_at: start_at, timezone: {value: Europe/Paris}`,
			"2 name=10:00 start_at=2026-05-01T10:00:00+02:00 timezone=Europe/Paris\n" +
				"3 name=12:00 start_at=2026-05-02T10:00:00Z timezone=Europe/Paris",
		},
		{`name: {expr: 'Acces'}`, "expression of name: unknown name Acces (at letter 1): did you mean Access?"},
		{`name: {expr: 'col("Nope")'}`, `expression of name: no column "Nope"`},
		{`name: {expr: 'col(Access)'}`, `expression of name: col takes the name of a column, such as col("Start date")`},
		{`name: {expr: 'Access + 1'}`, "expression of name: invalid operation: + (mismatched types string and int) (at letter 8)"},
	}
	path := file(t, "in.csv", doc)
	for _, tt := range tests {
		t.Run(tt.columns, func(t *testing.T) {
			f, err := mapfile.Decode([]byte("version: 1\nkey: key\nignore: ['*']\ncolumns: {"+tt.columns+"}"), "m.yaml")
			if err != nil {
				t.Fatal(err)
			}
			o := read(t, mapping.Config{Files: []string{path}, Mapping: f})
			got := brief(o)
			if o.Error != "" {
				_, got, _ = strings.Cut(o.Error, "in.csv:1: ")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff, o.Error)
			}
		})
	}
}

// A length for all events is for those without an end of their own; a cell with a length has to fit that.
func TestALengthForAllLeavesARowItsOwnEnd(t *testing.T) {
	path := file(t, "in.csv", "key,Day,Hours,Takes\n1,2027-03-27,22.00 bis 4.00,2h\n2,2027-03-28,20.00,3h\n")
	for expr, want := range map[string]string{
		`start_at + duration("8h")`: "2 start_at=2027-03-27T22:00:00+01:00 end_at=2027-03-28T04:00:00+02:00 timezone=Europe/Paris\n" +
			"3 start_at=2027-03-28T20:00:00+02:00 end_at=2027-03-29T04:00:00+02:00 timezone=Europe/Paris",
		`start_at + duration(Takes)`: "2 start_at=2027-03-27T22:00:00+01:00 end_at=2027-03-28T00:00:00+01:00 timezone=Europe/Paris " +
			"bad-time\n3 start_at=2027-03-28T20:00:00+02:00 end_at=2027-03-28T23:00:00+02:00 timezone=Europe/Paris",
	} {
		f, err := mapfile.Decode([]byte("version: 1\nkey: key\ncolumns: {start_at: {from: [Day, Hours]}, end_at: {expr: '"+expr+"'}, "+
			"timezone: {value: Europe/Paris}}\nignore: ['*']"), "m.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, brief(read(t, mapping.Config{Files: []string{path}, Mapping: f}))); diff != "" {
			t.Errorf("%s: %s", expr, diff)
		}
	}
}

// TestAClockChangeInAnExpression: hours are counted in real time, days of the calendar by the clock of the row.
func TestAClockChangeInAnExpression(t *testing.T) {
	path := file(t, "in.csv", "key,Start\n1,2027-03-27 22:00\n2,2027-10-30 22:00\n3,2027-06-05 22:00\n")
	for expr, want := range map[string][]string{
		`start_at + duration("8h")`: {
			"end_at=2027-03-28T07:00:00+02:00 clock-change",
			"end_at=2027-10-31T05:00:00+01:00 clock-change",
			"end_at=2027-06-06T06:00:00+02:00",
		},
		`start_at.AddDate(0, 0, 1)`: {
			"end_at=2027-03-28T22:00:00+02:00", "end_at=2027-10-31T22:00:00+01:00", "end_at=2027-06-06T22:00:00+02:00",
		},
	} {
		f, err := mapfile.Decode([]byte("version: 1\nkey: key\ncolumns: {start_at: Start, end_at: {expr: '"+expr+"'}, "+
			"timezone: {value: Europe/Paris}}"), "m.yaml")
		if err != nil {
			t.Fatal(err)
		}
		o := read(t, mapping.Config{Files: []string{path}, Mapping: f})
		for i, line := range strings.Split(brief(o), "\n") {
			_, line, _ = strings.Cut(line, " start_at=")
			_, line, _ = strings.Cut(line, " ")
			if line = strings.Replace(line, " timezone=Europe/Paris", "", 1); line != want[i] {
				t.Errorf("%s: %s, want %s", expr, line, want[i])
			}
		}
		said := "the clocks are put forward between start_at and end_at: 8h later they show 07:00, not 06:00"
		first := strings.Join(o.Rows[0].(line).Problems, "\n")
		if strings.Contains(first, said) != strings.HasPrefix(expr, "start_at +") {
			t.Errorf("%s: %q", expr, first)
		}
	}
}

func TestFilter(t *testing.T) {
	const doc = "key,name,Status\n1,Tea,Planned\n2,Talk,cancelled\n3,Walk,\n"
	path := file(t, "in.csv", doc)
	for filter, want := range map[string]string{
		`lower(Status) != "cancelled"`: "2 name=Tea\n3 name=Talk skipped\n4 name=Walk",
		`Status`:                       "expression: expected bool",
		`int(Status) > 3`:              "2 name=Tea bad-expression\n3 name=Talk bad-expression\n4 name=Walk bad-expression",
	} {
		f, err := mapfile.Decode([]byte("version: 1\nfilter: '"+filter+"'"), "m.yaml")
		if err != nil {
			t.Fatal(err)
		}
		o := read(t, mapping.Config{Files: []string{path}, Mapping: f})
		if got := brief(o); got != want && (o.Error == "" || !strings.Contains(o.Error, "expected bool")) {
			t.Errorf("%s: %s %s", filter, got, o.Error)
		}
	}
}

func TestMappingNeedsItsColumns(t *testing.T) {
	path := file(t, "in.csv", "key,Tittle,Date,Date\n1,Tea,2026-05-01 10:00,\n")
	for doc, want := range map[string]string{
		"columns: {name: Title}": `error missing-column ` + path +
			`:1 name: the mapping reads "Title" for name, and there is no such column — did you mean Tittle?`,
		"columns: {name: Tittle, start_at: Date}": `error duplicate-header ` + path +
			`:1:D1 (Date) start_at: the header "Date" stands in columns C and D — rename one of them`,
	} {
		f, err := mapfile.Decode([]byte("version: 1\nkey: key\nignore: ['*']\n"+doc), "m.yaml")
		if err != nil {
			t.Fatal(err)
		}
		o := read(t, mapping.Config{Files: []string{path}, Mapping: f})
		if diff := cmp.Diff([]string{want}, o.Problems); diff != "" {
			t.Error(diff)
		}
	}
}
