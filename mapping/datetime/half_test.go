package datetime_test

import (
	"testing"

	"eventbatch/mapping/datetime"
)

func TestHoursAreWrittenInAHalfOfTheDay(t *testing.T) {
	for _, c := range []struct {
		text string
		from int
		want string
	}{
		{"7:30", 12, "7:30 PM"},
		{"7:30", 0, "7:30 AM"},
		{"7:30", 8, "7:30 PM"},
		{"8:30", 8, "8:30 AM"},
		{"12:30", 0, "12:30 PM"},
		{"19:30", 12, "19:30"},
		{"0:30", 12, "0:30"},
		{"7 PM", 0, "7 PM"},
		{"9/10/2027 7:30", 12, "9/10/2027 7:30 PM"},
		{"7:30-9:00", 12, "7:30 PM - 9:00 PM"},
		{"11:15-12:10", 7, "11:15 AM - 12:10 PM"},
		{"12:15-1:00", 7, "12:15 PM - 1:00 PM"},
		{"10:00-2:00", 0, "10:00 AM - 2:00 PM"},
		{"10:00-2:00", 12, "10:00 PM - 2:00 AM"},
		{"8:00-12:00", 12, "8:00 PM - 12:00 AM"},
		{"10:00-15:00", 12, "10:00-15:00"},
		{"tbd", 12, "tbd"},
	} {
		if got := datetime.InHalf(c.text, c.from); got != c.want {
			t.Errorf("InHalf(%q, %d) = %q, want %q", c.text, c.from, got, c.want)
		}
	}
}
