package datetime

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestMoveDaysKeepsTheFormOfADate(t *testing.T) {
	for _, test := range []struct {
		text  string
		order Order
		by    int
		want  string // empty where it is refused
	}{
		{"2027-05-01", Unknown, 364, "2028-04-29"},
		{"2027-05-01T18:30:00+02:00", Unknown, 364, "2028-04-29T18:30:00+02:00"},
		{"2027-10-12 19:30", Unknown, -14, "2027-09-28 19:30"},
		{"2027-10-12", Unknown, -10, "2027-10-02"},
		{"20270501", Unknown, 364, "20280429"},
		{"Fr 3.9.2027", DayFirst, 364, "Fr 1.9.2028"},
		{"Fr 3.9.2027", DayFirst, -3, "Di 31.8.2027"},
		{"Freitag, 3. September 2027", DayFirst, 30, "Sonntag, 3. Oktober 2027"},
		{"9/4/2027 7:30 PM", MonthFirst, 364, "9/2/2028 7:30 PM"},
		{"09/04/27 09:04", MonthFirst, 28, "10/02/27 09:04"},
		{"Sat, Sep 4, 2027", MonthFirst, 28, "Sat, Oct 2, 2027"},
		{"SATURDAY 4th September 2027", DayFirst, -1, "FRIDAY 3rd September 2027"},
		{"sábado 4 de septiembre de 2027", DayFirst, 3, "martes 7 de septiembre de 2027"},
		{"4 sept 2027", DayFirst, 28, "2 oct 2027"},
		{"1er mai 2027", DayFirst, 1, ""},
		{"19:30", DayFirst, 364, "19:30"},
		{"halb 8", DayFirst, 364, ""},
		{"4.9.", DayFirst, 364, ""},
		{"2027-12-31", Unknown, 3_000_000, ""},
	} {
		got, ok := MoveDays(test.text, test.order, test.by, false)
		if ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%q by %d: %q, %v, want %q", test.text, test.by, got, ok, test.want)
		}
	}
}

func TestMoveSerialKeepsTheTimeOfDay(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"46089", "46453"}, {"46089.5", "46453.5"}, {"46089.8125", "46453.8125"}, {"0.75", "0.75"}, {"4.6089E4", "46453"}, {"60", ""},
	} {
		got, ok := MoveSerial(test.text, false, 364)
		if ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%s: %s, %v, want %s", test.text, got, ok, test.want)
		}
	}
}

// Whatever moves is read as the moved date, and back again it is the same text.
func TestMovedThereAndBackIsTheSame(t *testing.T) {
	forms := []struct {
		layout string
		order  Order
	}{
		{"2006-01-02", Unknown},
		{"2006-01-02T15:04:05Z07:00", Unknown},
		{"02.01.2006", DayFirst},
		{"01/02/2006 3:04 PM", MonthFirst},
		{"Monday, January 2, 2006", MonthFirst},
		{"02/01/06", DayFirst},
	}
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom(forms).Draw(t, "form")
		at := time.Date(2030, 1, 1, rapid.IntRange(1, 23).Draw(t, "hour"), 15, 0, 0, time.UTC).
			AddDate(0, 0, rapid.IntRange(-3000, 3000).Draw(t, "day"))
		by := rapid.IntRange(-1000, 1000).Draw(t, "by")
		text := at.Format(form.layout)
		moved, ok := MoveDays(text, form.order, by, true)
		if want := at.AddDate(0, 0, by).Format(form.layout); !ok || moved != want {
			t.Fatalf("%q by %d: %q, %v, want %q", text, by, moved, ok, want)
		}
		if back, ok := MoveDays(moved, form.order, -by, true); !ok || back != text {
			t.Fatalf("%q back by %d: %q, %v, want %q", moved, by, back, ok, text)
		}
	})
}
