package datetime_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"eventbatch/mapping/datetime"
)

func TestScan(t *testing.T) {
	const none, mdy, dmy, ymd = datetime.Unknown, datetime.MonthFirst, datetime.DayFirst, datetime.YearFirst
	tests := []struct {
		text  string
		order datetime.Order
		want  string // what Append makes of it
	}{
		{"2026-03-08", none, "2026-03-08"},
		{"2026-03-08T14:30", none, "2026-03-08T14:30:00"},
		{"2026-03-08 14:30:05", none, "2026-03-08T14:30:05"},
		{"2026-03-08T14:30:05.25Z", none, "2026-03-08T14:30:05.250Z"},
		{"2026-03-08T14:30:05.123456789+05:45", none, "2026-03-08T14:30:05.123+05:45"},
		{"2026-03-08T14:30:05.1235Z", none, "2026-03-08T14:30:05.124Z"},
		{"2026-03-08T15:59:59.99999979", none, "2026-03-08T16:00:00"},
		{"2026-03-08 15:59:59.999999790452421", none, "2026-03-08T16:00:00"},
		{"2026-12-31T23:59:59.9996-05:00", none, "2027-01-01T00:00:00-05:00"},
		{"15:59:59.99999979, 8 March 2026", none, "2026-03-08T16:00:00"},
		{"15:59:59.99999979", none, "16:00:00"},
		{"19:00:00.0004", none, "19:00:00"},
		{"2026-03-08T14:30+14:00", none, "2026-03-08T14:30:00+14:00"},
		{"10:00 GMT-5", none, "10:00:00 GMT-05:00"},
		{"noon", none, "12:00:00"},
		{"12 noon", none, "12:00:00"},
		{"12:00 Noon", none, "12:00:00"},
		{"March 8, 2026 at midday", none, "2026-03-08T12:00:00"},
		{"March 8, 2026 21h", none, "2026-03-08T21:00:00"},
		{"7.30pm", none, "19:30:00"},
		{"8.3.2026 7.30 p.m.", dmy, "2026-03-08T19:30:00"},
		{"Sun., 08.03.26", dmy, "2026-03-08"},
		{"2026-03-08T14:30-05:00", none, "2026-03-08T14:30:00-05:00"},
		{"2026-03-08 14:30:00 +0000 UTC", none, "2026-03-08T14:30:00Z"},
		{"2026-03-08 14:30:00 UTC", none, "2026-03-08T14:30:00Z"},
		{"2026-03-08 14:30:00-0500", none, "2026-03-08T14:30:00-05:00"},
		{"2026-03-08 14:30:00 +02", none, "2026-03-08T14:30:00+02:00"},
		{"20260308", none, "2026-03-08"},
		{"20260308T143000Z", none, "2026-03-08T14:30:00Z"},
		{"20260308T1430", none, "2026-03-08T14:30:00"},
		{"2026/3/8 9:05", none, "2026-03-08T09:05:00"},
		{"2026.3.8", none, "2026-03-08"},
		{"9/21/2026 10:00 AM", mdy, "2026-09-21T10:00:00"},
		{"21/9/2026 10:00 AM", dmy, "2026-09-21T10:00:00"},
		{"03/04/2026", mdy, "2026-03-04"},
		{"03/04/2026", dmy, "2026-04-03"},
		{"05-06-2016", dmy, "2016-06-05"},
		{"3.4.26, 14:30", dmy, "2026-04-03T14:30:00"},
		{"26/03/08", ymd, "2026-03-08"},
		{"4/4/2026", none, "2026-04-04"},
		{"2026/03/08", mdy, "2026-03-08"},
		{"10:00:00 AM", none, "10:00:00"},
		{"10:00 AM", none, "10:00:00"},
		{"12:00 AM", none, "00:00:00"},
		{"12:30 pm", none, "12:30:00"},
		{"0:30 am", none, "00:30:00"},
		{"7:05:PM", none, "19:05:00"},
		{"7:05:09 p.m.", none, "19:05:09"},
		{"2 PM", none, "14:00:00"},
		{"2pm", none, "14:00:00"},
		{"14h30", none, "14:30:00"},
		{"19:00:00.5", none, "19:00:00.500"},
		{"14:30Z", none, "14:30:00Z"},
		{"10:00+02:00", none, "10:00:00+02:00"},
		{"2:30\u202fPM", none, "14:30:00"},
		{"2:30\u00a0PM", none, "14:30:00"},
		{" 14:30 ", none, "14:30:00"},
		{"March 8, 2026 2:30 PM", none, "2026-03-08T14:30:00"},
		{"March 8, 2026 at 2:30 PM", none, "2026-03-08T14:30:00"},
		{"March 8, 2026 @ 2:30 pm", none, "2026-03-08T14:30:00"},
		{"Mar. 8th 2026", none, "2026-03-08"},
		{"8 Mar 2026", none, "2026-03-08"},
		{"8th of March, 2026", none, "2026-03-08"},
		{"8-Mar-26", none, "2026-03-08"},
		{"1 Sept 2026 09:00", none, "2026-09-01T09:00:00"},
		{"Sunday, March 8, 2026 2:30 PM", none, "2026-03-08T14:30:00"},
		{"Sun, 08 Mar 2026 14:30:00 GMT", none, "2026-03-08T14:30:00Z"},
		{"Sun, 08 Mar 2026 14:30:00 -0700", none, "2026-03-08T14:30:00-07:00"},
		{"Sun Mar 08 2026 14:30:00 GMT-0400 (Eastern Daylight Time)", none, "2026-03-08T14:30:00-04:00"},
		{"Sun Mar  8 14:30:00 2026", none, "2026-03-08T14:30:00"},
		{"Sun Mar 08 14:30:00 -0700 2026", none, "2026-03-08T14:30:00-07:00"},
		{"2:30 PM, March 8 2026", none, "2026-03-08T14:30:00"},
		{"February 29, 2028", none, "2028-02-29"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			m, fault := datetime.Scan(tt.text, tt.order)
			if fault != datetime.OK {
				t.Fatalf("fault %d", fault)
			}
			if got := string(m.Append(nil)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestScanFaults(t *testing.T) {
	const none, mdy, dmy, ymd = datetime.Unknown, datetime.MonthFirst, datetime.DayFirst, datetime.YearFirst
	tests := []struct {
		text  string
		order datetime.Order
		want  datetime.Fault
	}{
		{"", none, datetime.NotATime},
		{"TBA", none, datetime.NotATime},
		{"tomorrow", none, datetime.NotATime},
		{"March 2026", none, datetime.NotATime},
		{"March 8", none, datetime.NotATime},
		{"8 Mar 10:00", none, datetime.NotATime},
		{"Mar 8 10 AM", none, datetime.NotATime},
		{"8 Mar 26", none, datetime.NotATime},
		{"2026-03-08 -05:00", none, datetime.NotATime},
		{"2026-03-08+05:00", none, datetime.NotATime},
		{"2026-03-08T", none, datetime.NotATime},
		{"2026-03-08 14:30 15:30", none, datetime.NotATime},
		{"2026-03-08 2026-03-09", none, datetime.NotATime},
		{"August 17, 2023 11:19 AM → August 25, 2023", none, datetime.NotATime},
		{"Sunday", none, datetime.NotATime},
		{"14:5", none, datetime.NotATime},
		{"2026-03-08 14:30:00 GMT-0400 (unclosed", none, datetime.NotATime},
		{"2026-02-29", none, datetime.NoSuchDay},
		{"31/04/2026", dmy, datetime.NoSuchDay},
		{"13/13/2026", none, datetime.NoSuchDay},
		{"0/4/2026", none, datetime.NoSuchDay},
		{"2026-13-01", none, datetime.NoSuchDay},
		{"April 31, 2026", none, datetime.NoSuchDay},
		{"2026-03-08 24:00", none, datetime.NoSuchTime},
		{"2026-03-08T23:59:60Z", none, datetime.NoSuchTime},
		{"13:00 PM", none, datetime.NoSuchTime},
		{"0:30 PM", none, datetime.NoSuchTime},
		{"2026-03-08 14:30 +99:00", none, datetime.NoSuchOffset},
		{"8 March 2026, 10:00-12:00", none, datetime.NotATime}, // a range
		{"2026-03-08 10:00-11:00", none, datetime.NotATime},    // a range, or an offset
		{"2026-03-08T14:30-21:00", none, datetime.NoSuchOffset},
		{"2026-03-08T14:30+14:01", none, datetime.NoSuchOffset},
		{"10:00+14:30", none, datetime.NoSuchOffset},
		{"19:00-21:00", none, datetime.NotATime}, // a range
		{"19:00-05:00", none, datetime.NotATime},
		{"19:00Z+01:00", none, datetime.NotATime},
		{"19:00 -0500", none, datetime.NotATime},
		{"10:00-12:00, 8 March 2026", none, datetime.NotATime},
		{"23:59:59.9996", none, datetime.NoSuchTime},
		{"9999-12-31T23:59:59.9996", none, datetime.OutOfRangeYear},
		{"midnight", none, datetime.Midnight},
		{"12 midnight", none, datetime.Midnight},
		{"11 noon", none, datetime.NotATime},
		{"18.30", none, datetime.BareNumber},
		{"1930", none, datetime.BareNumber},
		{"21h", none, datetime.NotATime},
		{"Mon, 05/06/2026", none, datetime.WrongWeekday}, // whichever comes first
		{"Sun, 08/03/2026", none, datetime.NeedsOrder},
		{"03/04/2026", none, datetime.NeedsOrder},
		{"13/04/2026", none, datetime.NeedsOrder},
		{"04/13/2026", none, datetime.NeedsOrder},
		{"03/04/26", none, datetime.NeedsOrder},
		{"03/04/2026", ymd, datetime.NeedsOrder},
		{"13/04/2026", mdy, datetime.WrongOrder},
		{"04/13/2026", dmy, datetime.WrongOrder},
		{"Monday, March 8, 2026", none, datetime.WrongWeekday},
		{"Mon Mar  8 14:30:00 2026", none, datetime.WrongWeekday},
		{"2026-03-08 10:00 EST", none, datetime.InexactZone},
		{"10:00 PST", none, datetime.InexactZone},
		{"46089.4375", none, datetime.BareNumber},
		{"46089", none, datetime.BareNumber},
		{"1772956800", none, datetime.BareNumber},
		{"0000-03-08", none, datetime.OutOfRangeYear},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if m, fault := datetime.Scan(tt.text, tt.order); fault != tt.want {
				t.Errorf("got fault %d and %s, want fault %d", fault, m.Append(nil), tt.want)
			}
		})
	}
}

// Some texts are times only where a time of day is expected.
func TestScanIn(t *testing.T) {
	const clock, end = datetime.ClockCell, datetime.RangeEnd
	for _, tt := range []struct {
		text  string
		where datetime.Where
		want  string
	}{
		{"18.30", clock, "18:30:00"},
		{"9.05", clock, "09:05:00"},
		{"18.30 Uhr", clock, "18:30:00"},
		{"19h:12", clock, "fault 1"},
		{"19h :12", clock, "fault 1"},
		{"19 Uhr : 12", clock, "fault 1"},
		{"19h30 : 12", clock, "fault 1"},
		{"19 Uhr:12", clock, "fault 1"},
		{"7:15:30Uhr.5", clock, "fault 1"},
		{"7:15:30 .5", clock, "fault 1"},
		{"1930", clock, "19:30:00"},
		{"0930", clock, "09:30:00"},
		{"930", clock, "09:30:00"},
		{"1930 Uhr", clock, "19:30:00"},
		{"1930h", clock, "19:30:00"},
		{"19 hrs", clock, "19:00:00"},
		{"2 hrs", clock, "fault 1"}, // a length
		{"20 heures 30", clock, "20:30:00"},
		{"2 heures", clock, "fault 1"},
		{"19:30 horas", clock, "19:30:00"},
		{"um 19 Uhr", clock, "19:00:00"},
		{"at 7pm", clock, "19:00:00"},
		{"at 7", clock, "fault 1"},
		{"alle 19", clock, "19:00:00"},
		{"alle 7", clock, "fault 1"}, // of which half of the day?
		{"a las 19.30", clock, "19:30:00"},
		{"meio dia", clock, "12:00:00"},
		{"１９：３０", clock, "19:30:00"},
		{"21h", clock, "21:00:00"},
		{"21 h", clock, "21:00:00"},
		{"21H", clock, "21:00:00"},
		{"9 h 30", clock, "09:30:00"},
		{"19:30h", clock, "19:30:00"},
		{"20 uur", clock, "20:00:00"},
		{"7:00 p.m.", clock, "19:00:00"},
		{"mittags", clock, "12:00:00"},
		{"12 Uhr mittags", clock, "12:00:00"},
		{"midi", clock, "12:00:00"},
		{"à midi", clock, "12:00:00"},
		{"mezzogiorno", clock, "12:00:00"},
		{"Mediodía", clock, "12:00:00"},
		{"meio-dia", clock, "12:00:00"},
		{"7. März 2027 18.30", clock, "2027-03-07T18:30:00"},
		{"2027-03-07 18:30", clock, "2027-03-07T18:30:00"},
		{"Mitternacht", clock, "fault 9"},
		{"24:00", clock, "fault 3"},
		{"2460", clock, "fault 3"},
		{"24.00", clock, "fault 3"},
		{"18.60", clock, "fault 3"},
		{"18.3", clock, "fault 10"},
		{"18,30", clock, "fault 10"},
		{"19", clock, "fault 10"},
		{"46089.4375", clock, "fault 10"},
		{"46089", clock, "fault 10"},
		{"24:00", end, "24:00:00"},
		{"24 Uhr", end, "24:00:00"},
		{"2400", end, "24:00:00"},
		{"midnight", end, "24:00:00"},
		{"12 midnight", end, "24:00:00"},
		{"minuit", end, "24:00:00"},
		{"8.3.2026 24:00", end, "2026-03-08T24:00:00"},
		{"24:01", end, "fault 3"},
	} {
		m, fault := datetime.Moment{}, datetime.OK
		fault = m.ScanIn(tt.where, tt.text, datetime.DayFirst)
		got := string(m.Append(nil))
		if fault != datetime.OK {
			got = fmt.Sprint("fault ", fault)
		}
		if got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestProof(t *testing.T) {
	for text, want := range map[string]datetime.Order{
		"13/04/2026": datetime.DayFirst, "04/13/2026": datetime.MonthFirst, "03/04/2026": datetime.Unknown, "4/4/2026": datetime.Unknown,
		"2026-04-13": datetime.Unknown, "25.12.26 10:00": datetime.DayFirst, "": datetime.Unknown,
		"So, 07.03.27": datetime.DayFirst, "Sat 07/03/2027": datetime.MonthFirst, "Mi 9.6.2027": datetime.DayFirst,
	} {
		if m, _ := datetime.Scan(text, datetime.Unknown); m.Proof != want {
			t.Errorf("%s proves %q, want %q", text, m.Proof, want)
		}
	}
}

func TestExact(t *testing.T) {
	for text, want := range map[string]bool{
		"2026-03-08T14:30:00Z": true, "2026-03-08T14:30:00.123+01:00": true, "2026-03-08T14:30Z": false, "2026-03-08T14:30:00.1234Z": false,
		"2026-03-08 14:30Z": false, "2026-03-08T14:30": false, "20260308T143000Z": false, "2026-03-08T14:30:00+0100": false,
	} {
		if m, _ := datetime.Scan(text, datetime.Unknown); m.Exact != want {
			t.Errorf("%s: exact is %v", text, m.Exact)
		}
	}
}

// layouts are forms that time.Parse and Scan both read, with the order they need.
var layouts = []struct {
	layout string
	order  datetime.Order
}{
	{time.RFC3339, datetime.Unknown},
	{time.RFC3339Nano, datetime.Unknown},
	{"2006-01-02T15:04Z07:00", datetime.Unknown},
	{"2006-01-02 15:04:05", datetime.Unknown},
	{"2006-01-02", datetime.Unknown},
	{"2006/1/2 15:04", datetime.Unknown},
	{"20060102T150405Z0700", datetime.Unknown},
	{"1/2/2006 3:04 PM", datetime.MonthFirst},
	{"01/02/2006 15:04:05", datetime.MonthFirst},
	{"1/2/06", datetime.MonthFirst},
	{"2.1.2006 15:04", datetime.DayFirst},
	{"02-01-2006 3:04:05 PM", datetime.DayFirst},
	{"January 2, 2006 3:04 PM", datetime.Unknown},
	{"Monday, January 2, 2006 15:04", datetime.Unknown},
	{"Jan 2 2006", datetime.Unknown},
	{"2 Jan 2006 15:04:05", datetime.Unknown},
	{"02-Jan-06 15:04", datetime.Unknown},
	{time.RFC1123, datetime.Unknown},
	{time.RFC1123Z, datetime.Unknown},
	{time.ANSIC, datetime.Unknown},
	{time.RubyDate, datetime.Unknown},
}

func same(m datetime.Moment, want time.Time) bool {
	_, offset := want.Zone()
	if !m.HasOffset {
		offset = 0
	}
	return m.HasDate && m.Offset == offset && datetime.Unix(m.Wall(), m.Offset, m.Milli) == want.Round(time.Millisecond).UnixMilli()
}

func TestScanReadsWhatFormatWrites(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := layouts[rapid.IntRange(0, len(layouts)-1).Draw(rt, "layout")]
		zone := time.FixedZone("", rapid.IntRange(-14*60, 14*60).Draw(rt, "offset")*60)
		if l.layout == time.RFC1123 {
			zone = time.UTC
		}
		seconds := rapid.Int64Range(
			time.Date(2000, 1, 2, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2068, 1, 1, 0, 0, 0, 0, time.UTC).Unix(),
		).Draw(rt, "at")
		at := time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(rt, "ns")).In(zone)
		text := at.Format(l.layout)
		want, err := time.Parse(l.layout, text)
		if err != nil {
			rt.Fatal(err)
		}
		m, fault := datetime.Scan(text, l.order)
		if fault != datetime.OK || !same(m, want) {
			rt.Fatalf("%s: fault %d, got %s, want %s", text, fault, m.Append(nil), want)
		}
	})
}

func FuzzScan(f *testing.F) {
	at := time.Date(2026, 3, 8, 14, 30, 5, 120e6, time.FixedZone("", -5*3600))
	for _, l := range layouts {
		f.Add(at.Format(l.layout), uint8(l.order))
	}
	f.Add("Sun Mar 08 2026 14:30:00 GMT-0400 (Eastern Daylight Time)", uint8(0))
	f.Add("7:05:PM", uint8(0))
	f.Add("08-Mar-+6 14:30", uint8('\r')) // a sign before a year of two digits
	for _, text := range []string{
		"Samstag, 15. Mai 2027 um 19.30 Uhr", "15 de marzo de 2027, 7:30 p. m.", "1er mai 2027 à 19h",
		"1º de maio de 2027 às 19 h 30", "sabato 15 maggio 2027, alle ore 9.30",
	} {
		f.Add(text, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, o uint8) {
		order := datetime.Order(o % 4)
		m, fault := datetime.Scan(text, order)
		if fault == datetime.OK {
			again, fault := datetime.Scan(string(m.Append(nil)), datetime.Unknown)
			again.Exact, m.Exact, m.Proof = false, false, datetime.Unknown
			if diff := cmp.Diff(m, again); fault != datetime.OK || diff != "" {
				t.Errorf("%q becomes %s, which reads as fault %d %s", text, m.Append(nil), fault, diff)
			}
		}
		for _, l := range layouts {
			want, err := time.Parse(l.layout, text)
			if err != nil || l.order != datetime.Unknown && l.order != order || !comparable(text, l.layout, want) {
				continue
			}
			switch {
			case fault == datetime.WrongWeekday || fault == datetime.OutOfRangeYear || fault == datetime.NoSuchTime && want.Hour() == 12:
				// time.Parse takes any weekday, the year 0 and 0:00 PM.
			case fault != datetime.OK:
				t.Errorf("%q: time.Parse reads %s as %s, Scan finds fault %d", text, l.layout, want, fault)
			case !same(m, want):
				t.Errorf("%q: time.Parse reads %s, Scan %s", text, want, m.Append(nil))
			}
		}
	})
}

// comparable leaves out what time.Parse lets pass and Scan refuses on purpose:
// offsets beyond 14 hours, zones known by an abbreviation, years of two digits in
// the last century or with a sign, and white space of its own taste.
func comparable(text, layout string, want time.Time) bool {
	name, offset := want.Zone()
	if offset < -14*3600 || offset > 14*3600 || offset%60 != 0 || name != "UTC" && name != "" || len(text) > 60 {
		return false
	}
	if strings.HasSuffix(text, "60") { // an offset of sixty minutes
		return false
	}
	if i := strings.Index(layout, "06"); i > 0 && layout[i-1] != '0' { // a year of two digits
		if sep := layout[i-1 : i]; strings.Contains(text, sep+"+") || strings.Contains(text, sep+"-") {
			return false
		}
	}
	for _, c := range text {
		if c > 126 || c == '\v' || c == '\f' {
			return false
		}
	}
	return want.Year() >= 2000
}
