package reshape

import (
	"testing"

	"eventbatch/mapping/sheet"
)

// A month goes on in blank cells for as long as the days do, and says nothing of a date of its own.
func TestMonthsCompleteTheDaysBesideThem(t *testing.T) {
	for name, rows := range map[string][][3]string{
		"each row": {{"September 2027", "Sa 4.", "Sa 4. September 2027"}, {"Dezember 2027", "4.", "4. Dezember 2027"}},
		"once": {
			{"September 2027", "4", "4 September 2027"},
			{"", "11.", "11. September 2027"},
			{"", "18.", "18. September 2027"},
		},
		"back": {
			{"September 2027", "30.", "30. September 2027"},
			{"", "1.", "1."},
			{"", "8.", "8."},
			{"Okt. 2027", "9.", "9. Okt. 2027"},
		},
		"back, but said":   {{"September 2027", "30.", "30. September 2027"}, {"September 2027", "1.", "1. September 2027"}},
		"a date of itself": {{"September 2027", "4.", "4. September 2027"}, {"", "02.10.2027", "02.10.2027"}, {"", "11.", "11."}},
		"two figures":      {{"Sept. 27", "4.", "4. September 2027"}, {"Dez '27", "4.", "4. December 2027"}, {"5/28", "4.", "4."}},
		"figures": {
			{"9/2027", "4", "4 September 2027"},
			{"2027-10", "4", "4 October 2027"},
			{"13/2027", "4", "4"},
			{"9", "4", "4 September"},
			{"13", "4", "4"},
		},
		"another language": {{"10/2027", "Sa 2.", "Sa 2027-10-02"}, {"10/2027", "Sa 31.", "Sa 2027-10-31"}},
		"ranges":           {{"September 2027", "3.-5.", "3. September 2027 – 5. September 2027"}, {"", "7.", "7. September 2027"}},
		"no year":          {{"September", "4.", "4. September"}},
		"words":            {{"Sommer", "4.", "4."}, {"September 2027", "tba", "tba"}, {"", "5.", "5. September 2027"}},
	} {
		var m Months
		for _, row := range rows {
			month, day := sheet.Cell{Kind: sheet.Text, Text: row[0]}, sheet.Cell{Kind: sheet.Text, Text: row[1]}
			if done := m.Complete(month, sheet.Cell{}, &day, false); day.Text != row[2] || done != (row[1] != row[2]) {
				t.Errorf("%s: %q beside %q is %q (%v), want %q", name, row[1], row[0], day.Text, done, row[2])
			}
		}
	}
}

// A year of its own column goes on with the months, but not past the end of one that it is blank beside.
func TestMonthsTakeTheYearBesideThem(t *testing.T) {
	var m Months
	for _, row := range [][4]string{
		{"2027", "November", "28.", "28. November 2027"},
		{"", "", "30.", "30. November 2027"},
		{"", "Dez.", "31.", "31. Dez 2027"},
		{"", "Januar", "5.", "5. Januar"}, // of this one, or of the next
		{"2028", "2", "5", "5 February 2028"},
		{"2029", "", "6", "6"}, // of which it names no month
		{"2029", "März 2028", "6", "6"},
		{"soon", "April", "6", "6 April"},
		{"2029", "April", "7", "7 April 2029"},
	} {
		cell := func(text string) sheet.Cell {
			if text == "" {
				return sheet.Cell{}
			}
			return sheet.Cell{Kind: sheet.Text, Text: text}
		}
		day := cell(row[2])
		if m.Complete(cell(row[1]), cell(row[0]), &day, false); day.Text != row[3] {
			t.Errorf("%q is %q, want %q", row[:3], day.Text, row[3])
		}
	}
}
