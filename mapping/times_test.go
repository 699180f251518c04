package mapping_test

import (
	"strings"
	"testing"

	"eventbatch/mapping"
)

const berlin = "Europe/Berlin"

// asked gives the times that the row of a file asks for, and its problems.
func asked(t *testing.T, o outcome) string {
	t.Helper()
	if o.Error != "" {
		t.Fatal(o.Error)
	}
	text := brief(o)
	for _, zone := range []string{"UTC", berlin, "America/New_York"} {
		text = strings.ReplaceAll(text, " timezone="+zone, "")
	}
	text = strings.NewReplacer(" no-key", "", "start_at=2027-", "", "end_at=2027-", "to ").Replace(text)
	return strings.TrimPrefix(strings.TrimPrefix(text, "2 name=x"), " ")
}

func TestTimesOfOneReading(t *testing.T) {
	const whole, parts = "name,start_at,end_at\n", "name,Date,Time,End time\n"
	for _, tt := range []struct{ name, csv, zone, want string }{
		// A range stands in a cell that is only a time.
		{"a range", parts + "x,2027-03-13,19:00-21:00,", berlin, "03-13T19:00:00+01:00 to 03-13T21:00:00+01:00"},
		{"an offset of another zone is none", parts + "x,2027-03-13,19:00-05:00,", berlin, "03-13T19:00:00+01:00 to 03-14T05:00:00+01:00"},
		{"a range in words", parts + "x,2027-03-13,19.30–21 Uhr,", berlin, "03-13T19:30:00+01:00 to 03-13T21:00:00+01:00"},
		{"a range of one half", parts + "x,2027-03-13,7-9pm,", berlin, "03-13T19:00:00+01:00 to 03-13T21:00:00+01:00"},
		{"past midnight", parts + "x,2027-03-13,22:00 - 01:30,", berlin, "03-13T22:00:00+01:00 to 03-14T01:30:00+01:00"},
		{"until midnight", parts + "x,2027-03-13,20:00-24:00,", berlin, "03-13T20:00:00+01:00 to 03-14T00:00:00+01:00"},
		{"over a change of the clocks", parts + "x,2027-03-27,22:00-04:00,", berlin, "03-27T22:00:00+01:00 to 03-28T04:00:00+02:00"},
		{"into a gap of the clocks", parts + "x,2027-03-27,22:00-02:30,", berlin, "03-27T22:00:00+01:00 dst-gap"},
		{"no column for the end", "name,Date,Time\nx,2027-03-13,19:00-21:00", berlin, "03-13T19:00:00+01:00 to 03-13T21:00:00+01:00"},
		{"the same end", parts + "x,2027-03-13,19:00-21:00,21:00", berlin, "03-13T19:00:00+01:00 to 03-13T21:00:00+01:00"},
		{"another end", parts + "x,2027-03-13,19:00-21:00,22:00", berlin, "03-13T19:00:00+01:00 to 03-13T22:00:00+01:00 bad-time"},
		{"a bad end", parts + "x,2027-03-13,19:00-21:00,late", berlin, "03-13T19:00:00+01:00 bad-time"},
		{"a range that is wrong", parts + "x,2027-03-13,19:00-25:00,", berlin, "bad-time"},
		{"nothing between", parts + "x,2027-03-13,19:00-19:00,", "UTC", "03-13T19:00:00Z to 03-13T19:00:00Z end-before-start"},
		{"a range as an end", parts + "x,2027-03-13,19:00,20:00-21:00", berlin, "03-13T19:00:00+01:00 bad-time"},
		{"with its date", whole + "x,2027-03-13 19:00 – 21:00,", berlin, "03-13T19:00:00+01:00 to 03-13T21:00:00+01:00"},
		{"another end, too", whole + "x,2027-03-13 19:00 – 21:00,2027-03-13 22:00", "UTC", "03-13T19:00:00Z to 03-13T22:00:00Z bad-time"},
		{"with its date, and no blank", whole + "x,2027-03-13 19:00-21:00,", berlin, "bad-time"},
		{"half of it", parts + "x,2027-03-13,7pm-9,", berlin, "bad-time"},

		// Where people count to 12, an hour needs its half of the day, unless a cell counts to 24.
		{"an hour of a clock of 12", parts + "x,2027-03-13,7:30,", "America/New_York", "bad-time"},
		{"hours of a clock of 12", parts + "x,2027-03-13,7:30-9:00,", "America/New_York", "bad-time"},
		{"elsewhere", parts + "x,2027-03-13,7:30,", berlin, "03-13T07:30:00+01:00"},
		{"months before days", parts + "x,3/13/2027,7:30,", berlin, "bad-time"},
		{
			"an end that counts to 24", parts + "x,2027-03-13,9:00,17:00", "America/New_York",
			"03-13T09:00:00-05:00 to 03-13T17:00:00-05:00",
		},
		{"a zero before the hour", parts + "x,2027-03-13,09:00,", "America/New_York", "03-13T09:00:00-05:00"},
		{"an hour behind its date", whole + "x,3/13/2027 9:00,", "America/New_York", "03-13T09:00:00-05:00"},

		// An offset is that of the zone.
		{"its own offset", parts + "x,2027-03-13,19:00+01:00,", berlin, "03-13T19:00:00+01:00"},
		{"another offset", parts + "x,2027-03-13,19:00+02:00,", berlin, "bad-time"},
		{"the offset of summer", parts + "x,2027-06-13,19:00+02:00,", berlin, "06-13T19:00:00+02:00"},
		{"UTC", parts + "x,2027-06-13,17:00Z,19:00+00:00", berlin, "06-13T17:00:00Z to 06-13T19:00:00Z"},
		{"either of two offsets", parts + "x,2027-10-31,02:30+01:00,", berlin, "10-31T02:30:00+01:00"},
		{"a whole time of another offset", whole + "x,2027-03-13T19:00:00-05:00,", berlin, "03-13T19:00:00-05:00 foreign-offset"},
		{"a whole time of the zone", whole + "x,2027-03-13T19:00:00-05:00,", "America/New_York", "03-13T19:00:00-05:00"},
		{"a whole time in UTC", whole + "x,2027-03-13T19:00:00Z,", berlin, "03-13T19:00:00Z"},
		{"too far", whole + "x,2027-03-13T19:00:00-21:00,", berlin, "bad-time"},

		// Fractions are rounded, seconds are always sent.
		{
			"strict workbooks", whole + "x,2027-03-13T15:59:59.9999998,2027-03-13T17:59:59.9999998", "UTC",
			"03-13T16:00:00Z to 03-13T18:00:00Z",
		},
		{
			"a fraction in UTC", whole + "x,2027-03-13T15:59:59.9996Z,2027-03-13T17:00:00.0004Z", berlin,
			"03-13T16:00:00Z to 03-13T17:00:00Z",
		},
		{"without seconds", whole + "x,2027-03-13T15:59Z,", berlin, "03-13T15:59:00Z"},

		// Words and numbers of a time of day.
		{"noon", parts + "x,2027-03-13,noon,13.30", "UTC", "03-13T12:00:00Z to 03-13T13:30:00Z"},
		{"mittags", parts + "x,2027-03-13,mittags,1530", "UTC", "03-13T12:00:00Z to 03-13T15:30:00Z"},
		{"hours", parts + "x,2027-03-13,21h,22h30", "UTC", "03-13T21:00:00Z to 03-13T22:30:00Z"},
		{"the end of the day", parts + "x,2027-03-13,21h,midnight", "UTC", "03-13T21:00:00Z to 03-14T00:00:00Z"},
		{"midnight", parts + "x,2027-03-13,midnight,", "UTC", "bad-time"},
		{"short weekdays", parts + "x,\"Sa, 13.03.27\",18.30,", "UTC", "03-13T18:30:00Z"},
		{"a wrong weekday", parts + "x,\"So, 13.03.27\",18.30,", "UTC", "bad-date"},
		{"a number with a date", whole + "x,18.30,", "UTC", "bad-date"},

		// A blank end is no end.
		{"no end", parts + "x,2027-03-13,18:00,", "UTC", "03-13T18:00:00Z"},
		{"no start", parts + "x,2027-03-13,,", "UTC", "bad-time"},

		// A midnight behind a date is none where times have a column of their own.
		{"a midnight beside a time", parts + "x,2027-03-13 00:00:00,18:00,", "UTC", "03-13T18:00:00Z"},
		{"a midnight alone", parts + "x,2027-03-13 00:00:00,,", "UTC", "bad-time"},
		{"a midnight that is meant", parts + "x,2027-03-13 00:00:00,00:00,", "UTC", "03-13T00:00:00Z"},
		{"a date with its time", parts + "x,2027-03-13 18:00,,", "UTC", "03-13T18:00:00Z"},

		// The first day of a calendar is no date of an event.
		{
			"times of a database", parts + "x,2027-03-13 00:00:00,30.12.1899 18:00:00,30.12.1899 19:30:00", "UTC",
			"03-13T18:00:00Z to 03-13T19:30:00Z",
		},
		{"a time of a database without its date", parts + "x,,1899-12-30 22:00,", "UTC", "bad-date"},
		{"past midnight", parts + "x,2027-03-13,1899-12-30 22:00,1899-12-30 01:30", "UTC", "03-13T22:00:00Z to 03-14T01:30:00Z"},
	} {
		o := read(t, mapping.Config{Files: []string{file(t, "in.csv", tt.csv+"\n")}, Timezone: tt.zone})
		if got := asked(t, o); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A mapping names the start's date for the end too.
func TestEndOnTheDayOfTheStart(t *testing.T) {
	const start = "columns: {name: N, start_at: {from: [D, T]}, "
	const computed = start + "end_at: {expr: 'start_at + duration(\"2h\")'}}"
	const ranged = "columns: {name: N, start_at: {from: [D, T], range: start}, end_at: {from: [D, T], range: end}}"
	const through = ranged + "\ndate_order: dmy\nreads: {start_at: {13.-15.3.2027: one event}, end_at: {13.-15.3.2027: one event}}"
	for _, tt := range []struct{ name, mapping, csv, want string }{
		{"blank", start + "end_at: {from: [D, U]}}", "N,D,T,U\nx,2027-03-13,19:00,", "03-13T19:00:00Z"},
		{"filled", start + "end_at: {from: [D, U]}}", "N,D,T,U\nx,2027-03-13,19:00,21h", "03-13T19:00:00Z to 03-13T21:00:00Z"},
		{
			"of an expression", "columns: {name: N, start_at: {expr: 'D + \" 19:00\"'}, end_at: {from: [D, U]}}",
			"N,D,U\nx,2027-03-13,", "03-13T19:00:00Z",
		},
		{"its own date", start + "end_at: {from: [E, U]}}", "N,D,T,E,U\nx,2027-03-13,19:00,2027-03-13,", "03-13T19:00:00Z bad-time"},
		{
			"a default", start + "end_at: {from: U, default: 2027-03-14}}", "N,D,T,U\nx,2027-03-13,7-9pm,",
			"03-13T19:00:00Z to 03-13T21:00:00Z",
		},
		{"computed", computed, "N,D,T\nx,2027-03-13,19:00-21:00", "03-13T19:00:00Z to 03-13T21:00:00Z"},
		{"computed, and said otherwise", computed, "N,D,T\nx,2027-03-13,19:00-20:00", "03-13T19:00:00Z to 03-13T20:00:00Z"},
		{"both said", ranged, "N,D,T\nx,2027-03-13,19-21 Uhr", "03-13T19:00:00Z to 03-13T21:00:00Z"},
		{"both said, one there", ranged, "N,D,T\nx,2027-03-13,19 Uhr", "03-13T19:00:00Z"},
		{"both said, overnight", ranged, "N,D,T\nx,2027-03-13,10pm-2am", "03-13T22:00:00Z to 03-14T02:00:00Z"},
		{"both said, of several days", through, "N,D,T\nx,13.-15.3.2027,10-17 Uhr", "03-13T10:00:00Z to 03-15T17:00:00Z"},
		{"both said, of several days without the end's hour", through, "N,D,T\nx,13.-15.3.2027,19 Uhr", "03-13T19:00:00Z bad-time"},
	} {
		o := read(t, mapping.Config{Files: []string{file(t, "in.csv", tt.csv+"\n")}, Mapping: decoded(t, tt.mapping), Timezone: "UTC"})
		if got := asked(t, o); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
