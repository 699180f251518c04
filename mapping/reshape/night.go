package reshape

import (
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/sheet"
)

// Hours are the times of day of one column below a heading.
type Hours struct {
	above   Above
	heading int // number of its row
	evening bool
}

// The hours of an evening, and those of the night after it.
const (
	evening = 18
	morning = 6
)

// GoPast reports whether a cell has an hour after midnight below one of the evening, so that it may be of the day after
// the heading. It takes each cell of the column, in their order, with the heading and the number of its row.
func (h *Hours) GoPast(above Above, heading int, cell *sheet.Cell) bool {
	if !above.day || blank(cell) {
		return false
	}
	if h.heading != heading || h.above != above {
		*h = Hours{above: above, heading: heading}
	}
	var m datetime.Moment
	var fault datetime.Fault
	if cell.Kind == sheet.Date {
		m, fault = datetime.Serial(cell.Text, false)
	} else {
		from, _, _ := datetime.CutRange(cell.Text)
		m, fault = datetime.Scan(from, datetime.DayFirst)
	}
	if fault != datetime.OK || !m.HasTime || m.HasDate {
		return false
	}
	h.evening = h.evening || m.Hour >= evening
	return h.evening && m.Hour < morning
}
