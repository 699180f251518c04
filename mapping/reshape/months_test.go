package reshape

import (
	"strings"
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
			{"", "1.", "1. (below 30. September 2027)"},
			{"", "8.", "8. (below 30. September 2027)"},
			{"Okt. 2027", "9.", "9. Okt. 2027"},
		},
		"back, but said":   {{"September 2027", "30.", "30. September 2027"}, {"September 2027", "1.", "1. September 2027"}},
		"a date of itself": {{"September 2027", "4.", "4. September 2027"}, {"", "02.10.2027", "02.10.2027"}, {"", "11.", "11."}},
		"two figures":      {{"Sept. 27", "4.", "4. September 2027"}, {"Dez '27", "4.", "4. December 2027"}, {"5/28", "4.", "4."}},
		"figures": {
			{"9/2027", "4", "4 September 2027"},
			{"2027-10", "4", "4 October 2027"},
			{"01.03.2027", "4", "4 March 2027"},
			{"02.03.2027", "4", "4"},
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
		{"", "Januar", "5.", "5. Januar"}, // of this one, or of the next: nobody has said
		{"2028", "2", "5", "5 February 2028"},
		{"2029", "", "6", "6"}, // of which it names no month
		{"2029", "März 2028", "6", "6"},
		{"soon", "April", "6", "6 April"},
		{"2029", "April", "7", "7 April 2029"},
		{"", "Dezember 2029", "7", "7 Dezember 2029"},
		{"", "Januar", "7", "7 Januar"},
		{"27", "Januar", "7", "7 Januar 2027"},
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

// Where it is said what the year is of months that begin anew, they have one.
func TestMonthsBeginAnewInTheYearThatIsSaid(t *testing.T) {
	for back, want := range map[string]string{YearNext: "5 Januar 2028", YearSame: "5 Januar 2027", "": "5 Januar"} {
		m := Months{Back: back}
		cell := func(text string) sheet.Cell { return sheet.Cell{Kind: sheet.Text, Text: text} }
		for _, month := range []string{"Dezember 2027", "Januar"} {
			day := cell("5")
			m.Complete(cell(month), sheet.Cell{}, &day, false)
			if month == "Januar" && day.Text != want {
				t.Errorf("%q: it is %q, want %q", back, day.Text, want)
			}
		}
		if month, below, season := m.Anew(); month != "Januar" || below != "Dezember 2027" || !season {
			t.Errorf("%q stands below %q, %v", month, below, season)
		}
	}
}

// A day that is a whole date of another month than the one beside it is not taken for either.
func TestADateOfAnotherMonthIsTakenForNeither(t *testing.T) {
	for month, want := range map[string]string{
		"März 2027": "2027-04-05 (beside März 2027)", "April 2026": "2027-04-05 (beside April 2026)", "Mai": "2027-04-05 (beside Mai)",
		"April 2027": "", "April": "", "4": "", "": "", "Frühjahr": "",
	} {
		for text, date1904 := range map[string]bool{"46482": false, "45020": true} { // 2027-04-05
			m, day := Months{}, sheet.Cell{Kind: sheet.Date, Text: text}
			beside := sheet.Cell{Kind: sheet.Text, Text: month}
			done := m.Complete(beside, sheet.Cell{}, &day, date1904)
			if done != (want != "") || done && day.Text != want || !done && day.Kind != sheet.Date {
				t.Errorf("beside %q it is %q, %v", month, day.Text, done)
			}
		}
	}
}

// A workbook's date that shows its month is of the year beside it.
func TestADateForAMonthIsOfTheYearBesideIt(t *testing.T) {
	for year, want := range map[string]string{"2028": "5 April 2028", "": "5 April", "none": "5 April 2027"} {
		m := Months{Years: year != "none"}
		day := sheet.Cell{Kind: sheet.Text, Text: "5"}
		of := sheet.Cell{Kind: sheet.Number, Text: strings.TrimPrefix(year, "none")}
		if m.Complete(sheet.Cell{Kind: sheet.Date, Text: "46478"}, of, &day, false); day.Text != want { // 2027-04-01
			t.Errorf("beside %q it is %q, want %q", year, day.Text, want)
		}
	}
}
