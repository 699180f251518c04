package datetime_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"eventbatch/mapping/datetime"
)

func TestCutRange(t *testing.T) {
	for _, tt := range []struct{ text, from, to string }{
		{"August 17, 2023 11:19 AM → August 25, 2023", "August 17, 2023 11:19 AM", "August 25, 2023"},
		{"2026-03-08 - 2026-03-09", "2026-03-08", "2026-03-09"},
		{"07.03.2026-09.03.2026", "07.03.2026", "09.03.2026"},
		{"3/8/2026 10:00 – 11:00", "3/8/2026 10:00", "11:00"},
		{"May 1 2026 to May 3 2026", "May 1 2026", "May 3 2026"},
		{"1. Mai 2026 bis 3. Mai 2026", "1. Mai 2026", "3. Mai 2026"},
		{"19:00-21:00", "19:00", "21:00"},
		{" 9:00 – 12:00 ", "9:00", "12:00"},
		{"9:00—12:00", "9:00", "12:00"},
		{"19:00 -21:00", "19:00", "21:00"},
		{"10:00-12:00", "10:00", "12:00"},
		{"22:00-01:30", "22:00", "01:30"},
		{"19:00-21", "19:00", "21:00"},
		{"10-11:30", "10:00", "11:30"},
		{"10-11.30", "10:00", "11.30"},
		{"10 – 11.30", "10:00", "11.30"},
		{"7-9pm", "7 pm", "9pm"},
		{"7 – 9 p.m.", "7 p.m.", "9 p.m."},
		{"7:30-9pm", "7:30 pm", "9pm"},
		{"11-2pm", "11 am", "2pm"},
		{"10 - 2am", "10 pm", "2am"},
		{"9-5 PM", "9 am", "5 PM"},
		{"10-12pm", "10 am", "12pm"},
		{"7pm-9pm", "7pm", "9pm"},
		{"7.30pm-9pm", "7.30pm", "9pm"},
		{"19-21 Uhr", "19 Uhr", "21 Uhr"},
		{"19.30–21 Uhr", "19.30", "21 Uhr"},
		{"19 Uhr - 21 Uhr", "19 Uhr", "21 Uhr"},
		{"14h-16h30", "14h", "16h30"},
		{"14-16 h", "14 h", "16 h"},
		{"18.30-20.00", "18.30", "20.00"},
		{"1930-2130", "1930", "2130"},
		{"20:00-24:00", "20:00", "24:00"},
		{"8pm to midnight", "8pm", "midnight"},
		{"20 Uhr - Mitternacht", "20 Uhr", "Mitternacht"},
		{"7 March 2027, 7-9pm", "7 March 2027, 7 pm", "9pm"},
		{"2027-03-07 19:00 - 21:00", "2027-03-07 19:00", "21:00"},
		{"10:00-12:00, 8 March 2027", "10:00", "12:00, 8 March 2027"},
		{"25:00-26:00", "25:00", "26:00"},           // a range of what is wrong
		{"10:00 - 11:00 EST", "10:00", "11:00 EST"}, // likewise

		{"19.00-21.00 h.", "19.00", "21.00 h."},
		{"19-21 u.", "19 u.", "21 u."},
		{"3.-5.9.2027", "3.9.2027", "5.9.2027"},
		{"3.–5. Sept. 2027", "3. Sept. 2027", "5. Sept. 2027"},
		{"30.9.–2.10.2027", "30.9.2027", "2.10.2027"},
		{"Fr 17.9. - So 19.9.2027", "Fr 17.9.2027", "So 19.9.2027"},
		{"Fr 3.–So 5.9.2027", "Fr 3.9.2027", "So 5.9.2027"},
		{"Sept 3-5, 2027", "Sept 3 2027", "Sept 5, 2027"},
		{"Sep 30 - Oct 2, 2027", "Sep 30 2027", "Oct 2, 2027"},
		{"3rd–5th September 2027", "3th September 2027", "5th September 2027"},
		{"du 3 au 5 septembre 2027", "3 septembre 2027", "5 septembre 2027"},
		{"del 3 al 5 de septiembre de 2027", "3 de septiembre de 2027", "5 de septiembre de 2027"},
		{"3 t/m 5 september 2027", "3 september 2027", "5 september 2027"},
		{"9/25 - 10/2/2027", "9/25/2027", "10/2/2027"},
		{"3-5/9/2027", "3/9/2027", "5/9/2027"},
		{"5.-3.9.2027", "", ""},
		{"08-03-2026", "", ""},
		{"3-5-2026", "", ""},
		{"Season 2026-2027", "", ""},
		{"March 8-2026", "", ""},
		{"2026-03-08 -05:00", "", ""},
		{"2026-03-08-05:00", "", ""},
		{"2026-03-08 14:30-05:00", "", ""},
		{"2026-03-08T14:30:00-05:00 (EST)", "", ""},
		{"8 March 2027, 10:00-12:00", "8 March 2027, 10:00", "12:00"},
		{"8.3.2027 9:30-20:00", "8.3.2027 9:30", "20:00"},
		{"8 March 2027, 10:00-05:00", "", ""},
		{"2027-03-08 10:00-11:00", "", ""}, // or an offset
		{"2026-03-08 14:30-21:00", "", ""}, // an offset that does not exist
		{"8 March 2026 - 10:00", "", ""},   // a date with its time
		{"1er mai 2027 à 19h30", "", ""},
		{"10:00-12:00-14:00", "", ""},
		{"19-21", "19:00", "21:00"},
		{"9-17", "9:00", "17:00"},
		{"22-2", "22:00", "2:00"},
		{"von 19 bis 21 Uhr", "19 Uhr", "21 Uhr"},
		{"VON 19 BIS 21 UHR", "19 UHR", "21 UHR"},
		{"19:00\u00a0bis\u00a021:00", "19:00", "21:00"},
		{"from 7 to 9 pm", "7 pm", "9 pm"},
		{"7pm till 9pm", "7pm", "9pm"},
		{"de 19h à 21h", "19h", "21h"},
		{"dalle 19 alle 21", "19:00", "21:00"},
		{"dalle ore 19 alle ore 21", "ore 19", "ore 21"},
		{"de 19 a 21 h", "19 h", "21 h"},
		{"das 19h às 21h", "19h", "21h"},
		{"van 19 tot 21 uur", "19 uur", "21 uur"},
		{"samedi 1er mai 2027 de 19h à 21h", "samedi 1er mai 2027 19h", "21h"},
		{"1 de mayo de 2027 de 19 a 21 h", "1 de mayo de 2027 de 19 h", "21 h"},
		{"1. Mai 2027 19-21 Uhr", "1. Mai 2027 19 Uhr", "21 Uhr"},
		{"25-30", "", ""},
		{"2-27-05-01 7 PM", "", ""}, // 2027-05-01 with a slip, rather than from 2 pm
		{"2 - 27-05-01 7 PM", "2 PM", "27-05-01 7 PM"},
		{"from 7 to 9", "", ""},
		{"2027-05-01 19-21", "2027-05-01 19:00", "21:00"},
		{"7pm-9", "", ""}, // of which half of the day?
		{"9-12", "", ""},
		{"2026-03-08", "", ""},
		{"8-Mar-26", "", ""},
		{"8-Mar-26 10:00", "", ""},
		{"03-04-2026 10:00", "", ""},
		{"1-2 March 2027", "1 March 2027", "2 March 2027"},
		{"a -> b -> c", "", ""},
		{"a -> b", "", ""},
		{"to be announced", "", ""},
		{"→ b", "", ""},
		{"", "", ""},
		{strings.Repeat("1-", 150) + "9pm", "", ""},
	} {
		from, to, two := datetime.CutRange(tt.text)
		if tt.to == "" {
			tt.from = strings.TrimSpace(tt.text)
		}
		if from != tt.from || to != tt.to || two != (tt.to != "") {
			t.Errorf("%q: %q %q %v", tt.text, from, to, two)
		}
	}
}

func TestCloseRange(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"2027-03-07 19:00", "21:00", "2027-03-07T19:00:00 2027-03-07T21:00:00"},
		{"2027-12-31 22:00", "01:30", "2027-12-31T22:00:00 2028-01-01T01:30:00"},
		{"2027-03-07 20:00", "24:00", "2027-03-07T20:00:00 2027-03-08T00:00:00"},
		{"2027-03-07 20:00", "2027-03-07 24:00", "2027-03-07T20:00:00 2027-03-08T00:00:00"},
		{"2027-03-07 00:00", "midnight", "2027-03-07T00:00:00 2027-03-08T00:00:00"},
		{"2027-03-07 19:00", "19:00", "2027-03-07T19:00:00 2027-03-07T19:00:00"},
		{"2027-03-07 19:00", "2027-03-09", "2027-03-07T19:00:00 2027-03-09"},
		{"19:00", "21:00, 8 March 2027", "2027-03-08T19:00:00 2027-03-08T21:00:00"},
		{"2027-03-07 19:00+02:00", "21:00", "2027-03-07T19:00:00+02:00 2027-03-07T21:00:00+02:00"},
		{"2027-03-07 19:00", "21:00 UTC", "2027-03-07T19:00:00Z 2027-03-07T21:00:00Z"},
	} {
		var from, to datetime.Moment
		f1, f2 := from.Scan(tt.from, datetime.Unknown), to.ScanIn(datetime.RangeEnd, tt.to, datetime.Unknown)
		if f1 != datetime.OK || f2 != datetime.OK {
			t.Fatal(tt, f1, f2)
		}
		datetime.CloseRange(&from, &to)
		if got := fmt.Sprintf("%s %s", from.Append(nil), to.Append(nil)); got != tt.want {
			t.Errorf("%s to %s: got %s, want %s", tt.from, tt.to, got, tt.want)
		}
	}
}

func FuzzCutRange(f *testing.F) {
	for _, text := range []string{"August 17, 2023 11:19 AM → August 25, 2023", " - - ", "7-9pm", "19.30–21 Uhr", "10-2 a.m."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		from, to, two := datetime.CutRange(text)
		if two && (from == "" || to == "") || !two && (to != "" || from != strings.TrimSpace(text)) {
			t.Errorf("%q: %q %q %v", text, from, to, two)
		}
		if utf8.ValidString(text) && !utf8.ValidString(from+to) {
			t.Errorf("%q is cut inside a letter", text)
		}
		// What is a range is no single time, but for the order of its dates.
		if _, fault := datetime.Scan(text, datetime.DayFirst); two && fault == datetime.OK {
			t.Errorf("%q is a time, and a range from %q to %q", text, from, to)
		}
	})
}

func TestDaysFollowEachOther(t *testing.T) {
	for text, want := range map[string]string{
		"10.-12.10.2027":          "2027-10-10/2027-10-12",
		"30.12.2027 - 2.1.2028":   "2027-12-30/2028-01-02",
		"10.10.-11.10.2027":       "2027-10-10/2027-10-11",
		"10./11.10.2027":          "2027-10-10/2027-10-11",
		"9., 10. und 11.9.2027":   "2027-09-09/2027-09-11",
		"10./12.10.2027":          "",
		"12.-10.10.2027":          "",
		"10.10.2027":              "",
		"10.10.2027 18:00-20:00":  "",
		"10.-12.13.2027":          "",
		"Mo 10.10.-Di 11.10.2027": "", // a Sunday and a Monday
		"14h/16h":                 "",
		"2027-10-10/2027-10-11":   "2027-10-10/2027-10-11",
		"2027-10-10 - 2027-10-12": "2027-10-10/2027-10-12",
	} {
		first, last, ok := datetime.Days(text, datetime.DayFirst)
		if got := datetime.Through(&first, &last); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v", text, got, ok)
		}
		if a, b, again := datetime.CutThrough(want); again != ok || again && (a.Wall() != first.Wall() || b.Wall() != last.Wall()) {
			t.Errorf("%q is not read back", want)
		}
	}
	for _, text := range []string{"2027-10-11/2027-10-10", "2027-10-10/2027-10-10", "2027-10-10/2027-13-11", "2027-10-10/2027-10-1T"} {
		if _, _, ok := datetime.CutThrough(text); ok {
			t.Errorf("%q is taken", text)
		}
	}
}
