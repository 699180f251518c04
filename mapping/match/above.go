package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// above is what headings say of the dates of the rows below them, and the columns that lack it.
type above struct {
	columns   []int       // whose cells are completed: those of the day, else those of the time of day
	day       int         // the first of days, whose blank cells take the day of a heading; -1 where there is none
	completed map[int]int // cells, by column
	blank     map[int]int // cells that take the day of a heading, by column
	date      reshape.Above
	texts     []string // the first headings
	unread    bool     // a heading names a weekday or a number, and no date that can be read
}

// newAbove finds the columns that the date in a heading is of: those of dates, and where there are
// none, those of the start.
func newAbove(header []string) above {
	a := above{day: -1, completed: map[int]int{}, blank: map[int]int{}}
	for rank, types := range [][]semantic{
		{typeWhen, typeStartDate, typeEndDate}, {typeStart, typeStartTime}, {typeTime},
	} {
		for i, h := range header {
			if claims := claimsOf(h); len(claims) > 0 && slices.ContainsFunc(claims, func(c claim) bool {
				return slices.Contains(types, c.semantic)
			}) {
				if a.columns = append(a.columns, i); rank == 0 && a.day < 0 && claims[0].semantic != typeEndDate {
					a.day = i
				}
			}
		}
		if len(a.columns) > 0 {
			break
		}
	}
	return a
}

// take reports whether a row is a heading that says a date.
func (a *above) take(layout *reshape.Layout, row *sheet.Row, date1904 bool) bool {
	if row.Problem != nil || len(a.columns) == 0 {
		return false
	}
	date, says := layout.Above(row, date1904)
	if !says {
		return false
	}
	a.date = date
	text := date.String()
	a.unread = a.unread || text == ""
	if text != "" && len(a.texts) < 3 {
		a.texts = append(a.texts, text)
	}
	return text != ""
}

// complete returns a row with the dates that stand above it.
func (a *above) complete(row *sheet.Row) *sheet.Row {
	if a.date == (reshape.Above{}) {
		return row
	}
	whole := *row
	whole.Cells = slices.Clone(row.Cells)
	for _, i := range a.columns {
		switch cell := row.Cell(i); {
		case strings.TrimSpace(cell.Text) != "": // a blank cell may lie behind the end of the row
			if a.date.Complete(&whole.Cells[i]) {
				a.completed[i]++
			}
		case a.date.Day() && i == a.day:
			if short := i + 1 - len(whole.Cells); short > 0 {
				whole.Cells = append(whole.Cells, make([]sheet.Cell, short)...)
			}
			whole.Cells[i] = sheet.Cell{Kind: sheet.Text, Text: a.date.String()}
			a.blank[i]++
		}
	}
	return &whole
}

// completed proposes the columns whose dates stand in headings, as a whole or in part.
func (b *builder) completed(read []string) {
	a := &b.all.above
	for _, i := range a.columns {
		c := &b.all.columns[i]
		word := mapfile.FillHeading
		if a.blank[i] > 0 {
			word = mapfile.FillBoth
		}
		if a.completed[i]+a.blank[i] == 0 || c.twice || b.completes(c) || !slices.Contains(read, c.header) {
			continue
		}
		b.p.File.Fill = append(b.p.File.Fill, yamldoc.Item[string]{Key: c.header, Value: word})
		b.say("fill", Line{
			Basis:  ByValues,
			Reason: "what the dates under " + quoted(c.header) + " lack stands in headings: " + strings.Join(a.texts, ", "),
		})
	}
}
