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
