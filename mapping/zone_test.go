package mapping_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
)

// Nothing that says the zone is one lack of the whole file, however many rows have
// times. The rows are invalid all the same.
func TestOneMissingZoneIsOneProblem(t *testing.T) {
	for _, tt := range []struct{ name, mapping, csv, rows, problem string }{
		{
			"no column", "", "key,name,start_at,end_at\na,A,2027-05-01 10:00,2027-05-01 11:00\n" +
				"b,B,2027-05-01T10:00:00Z,\nc,C,2027-05-02 10:00,\n",
			"2 name=A lacks\n3 name=B start_at=2027-05-01T10:00:00Z\n4 name=C lacks",
			"nothing says the time zone of 2 of 3 rows (2, 4)",
		},
		{
			"rows that can only be created", "", "name,start_at\nA,2027-05-01 10:00\nB,2027-05-01T10:00:00Z\n",
			"2 name=A no-key lacks\n3 name=B start_at=2027-05-01T10:00:00Z lacks", "nothing says the time zone of any of the 2 rows",
		},
		{
			"a column that is blank", "", "key,name,start_at,timezone\na,A,2027-05-01 10:00,\nb,B,2027-05-01 10:00,\n",
			"2 name=A lacks\n3 name=B lacks", "nothing says the time zone of any of the 2 rows",
		},
		{
			"a column with a blank cell", "", "key,name,start_at,end_at,timezone\na,A,2027-05-01 10:00,2027-05-01 11:00,\n" +
				"b,B,2027-05-01 10:00,,UTC\n",
			"2 name=A no-zone\n3 name=B start_at=2027-05-01T10:00:00Z timezone=UTC", "",
		},
		{
			"zones by other names", "", "key,name,start_at,timezone\na,A,2027-05-01 10:00,europe/berlin\n" +
				"b,B,2027-05-01 10:00,UTC+1\nc,C,2027-05-01 10:00,Eastern Standard Time\n",
			"2 name=A start_at=2027-05-01T10:00:00+02:00 timezone=Europe/Berlin\n" +
				"3 name=B start_at=2027-05-01T10:00:00+01:00 timezone=Etc/GMT-1 fixed-zone\n" +
				"4 name=C start_at=2027-05-01T10:00:00-04:00 timezone=America/New_York", "",
		},
		{
			"a bad zone", "", "name,Date,Time,timezone\nA,2027-05-01,10:00,Berlin\n", "2 name=A bad-zone no-key", "",
		},
		{
			"a bad zone, and an end after it",
			"columns: {name: N, start_at: {from: [D, T]}, end_at: {expr: 'start_at + duration(\"2h\")'}, timezone: Z}",
			"N,D,T,Z\nA,2027-05-01,10:00,Berlin\n", "2 name=A bad-zone no-key", "",
		},
	} {
		c := mapping.Config{Files: []string{file(t, "in.csv", tt.csv)}}
		if tt.mapping != "" {
			c.Mapping = decoded(t, tt.mapping)
		}
		o := read(t, c)
		if diff := cmp.Diff(tt.rows, brief(o)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		var found []string
		for _, p := range o.Problems {
			if strings.Contains(p, " no-zone ") {
				found = append(found, p)
			}
		}
		switch {
		case tt.problem == "" && found != nil, tt.problem != "" && (len(found) != 1 || !strings.Contains(found[0], tt.problem)):
			t.Errorf("%s: %q, want %q", tt.name, found, tt.problem)
		}
	}
}
