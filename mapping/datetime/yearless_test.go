package datetime_test

import (
	"testing"

	"eventbatch/mapping/datetime"
)

// The day of the week of a date without a year is that of a year which is not known: it proves no order, as a number does that
// can be no month.
func TestADayOfTheWeekProvesNothingOfADateWithoutAYear(t *testing.T) {
	for text, want := range map[string]datetime.Order{
		"So 7.2.": datetime.Unknown, "Sa 13.2.": datetime.DayFirst, "Sun 2/7": datetime.Unknown, "Fri 2/13": datetime.MonthFirst,
	} {
		m, fault, ok := datetime.ScanYearless(text, datetime.Unknown)
		if !ok || m.Proof != want {
			t.Errorf("%s: order %q by fault %d, %t; want %q", text, m.Proof, fault, ok, want)
		}
	}
	for year := 2024; year < 2052; year++ {
		text, _ := datetime.WithYear("So 7.2.", year)
		if month, day, ok := datetime.MonthAndDay("So 7.2.", datetime.Unknown); month != 2 || day != 7 || !ok {
			t.Fatalf("%s is day %d of month %d", text, day, month)
		}
	}
}

// Whichever day of the week stands before a date, its month and day are the same.
func TestTheDayOfTheWeekChangesNoMonthAndDay(t *testing.T) {
	for text, want := range map[string][2]int{"13.3.": {3, 13}, "2.4.": {4, 2}, "13/3": {3, 13}, "3/13": {3, 13}, "3/4": {}} {
		for _, weekday := range []string{"", "Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun ", "Mo., ", "Sa. "} {
			month, day, ok := datetime.MonthAndDay(weekday+text, datetime.Unknown)
			if month != want[0] || day != want[1] || ok != (want[0] > 0) {
				t.Errorf("%s%s is day %d of month %d: %t", weekday, text, day, month, ok)
			}
		}
	}
}

// A day that is in no calendar is told apart from a text that is no day, with its year and without one.
func TestADayThatThereIsNotIsSaidWhy(t *testing.T) {
	for text, want := range map[string]string{
		"31.6.": "June has 30", "31.6.2027 19:00": "June has 30", "Mi 31.6. 19:00": "June has 30", "6/31/2027": "June has 30",
		"31 June": "June has 30", "2027-06-31": "June has 30", "30.2.": "February has 29 at most",
		"30.2. 18:00": "February has 29 at most", "29.2.2027": "February 2027 has 28",
		"13.24.2027": "a year has 12 months",
		"30.6.":      "", "29.2.": "", "29.2.2028": "", "noch offen": "", "19:00": "", "31": "", "": "",
	} {
		if got := datetime.NoSuch(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
