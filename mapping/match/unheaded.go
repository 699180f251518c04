package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// unheaded returns names for columns of a header that have none, by their letters: those whose cells in the first
// rows below say by themselves what they are, such as the hours beside the days of a week. A blank corner says nothing.
func unheaded(header []string, rows []sheet.Row, date1904 bool) yamldoc.Map[string] {
	all := NewColumns(header, date1904)
	for i := range rows {
		all.Add(&rows[i])
	}
	var names yamldoc.Map[string]
	days := dayHeaders(header)
	first := slices.IndexFunc(days, func(d *dayHeader) bool { return d != nil })
	for i := range all.columns {
		c := &all.columns[i]
		name := nameByCells(c)
		if name == "" && i < first && c.isText() && !c.blank() {
			name = "Room" // of a programme with a column for each day
		}
		if strings.TrimSpace(c.header) != "" || name == "" || sheet.FindColumn(header, name) >= 0 {
			continue
		}
		if _, twice := names.Get(name); !twice {
			names = append(names, yamldoc.Item[string]{Key: schema.ColumnName(i), Value: name})
		}
	}
	return names
}

// nameByCells returns what a column is called that has nothing but its cells; empty where they do not say it.
func nameByCells(c *column) string {
	switch {
	case c.hours(), c.most(valueClock, valueHours, valueBare):
		return "Time"
	case c.most(valueDate, valueMoment, valueSpan):
		return "Date"
	}
	return ""
}
