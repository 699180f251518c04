package mapfile

import (
	"eventbatch/mapping/yamldoc"
)

// Join is a second table that rows are looked up in: the addresses of venues, say.
// Its columns are read as NAME.Column. A row that it does not have is warned of,
// and the columns are blank then.
type Join struct {
	yamldoc.Pos

	File  string `yaml:"file"`  // beside the mapping file; --join NAME=FILE says another; empty with a sheet: the workbook of the rows
	On    string `yaml:"on"`    // column of the rows
	Key   string `yaml:"key"`   // column of the table that has the same text
	Sheet string `yaml:"sheet"` // of a workbook; empty: the first visible one
}

// Grid makes an event of each filled cell of some columns: those of the rooms of a
// programme, say. The event has the other cells of its row, and two more: Heading is the
// name of the header above the cell, Cell that of its text, and perhaps Time that of a time in it. A key that reads neither gets
// the heading added.
type Grid struct {
	yamldoc.Pos

	Columns Names  `yaml:"columns"`
	Heading string `yaml:"heading"` // name for the header of the cell
	Cell    string `yaml:"cell"`    // name for its text
	Time    string `yaml:"time"`    // name for the time of day that stands in the text, which is left out of it then; empty: it stays
}

// Added returns the names of the columns that it adds.
func (g *Grid) Added() []string {
	if g.Time == "" {
		return []string{g.Heading, g.Cell}
	}
	return []string{g.Heading, g.Cell, g.Time}
}

// Unroll makes an event of each day on which a row's event takes place. An
// occurrence is the same row with the day in Start and in End, with nothing in Days and
// Frequency, and with @ and the day behind the text of the last column of the key: a
// results file is read back to the same events. Rows without days and frequency are one event.
type Unroll struct {
	yamldoc.Pos

	Days      string `yaml:"days"`      // column of the weekdays: Su,M,T,W,Th,F,Sa
	Frequency string `yaml:"frequency"` // column of rhythms such as daily or wöchentlich; without one, a list of days is weekly
	Interval  string `yaml:"interval"`  // column of a number: every second week
	Start     string `yaml:"start"`     // column of the first day
	End       string `yaml:"end"`       // column of the day on which an occurrence ends, which may be Until
	Until     string `yaml:"until"`     // column of the last day, which counts
	Clocks    Names  `yaml:"clocks"`    // columns of the start's and the end's time of day: an end before the start is on the next day
	Limit     int    `yaml:"limit"`     // most events of one row; 0: 366
}

// AllDay says which rows take whole days. Such an event starts at 00:00 of its
// first day and ends at 00:00 of the day after its last, whatever times the row has.
type AllDay struct {
	yamldoc.Pos

	Column string              `yaml:"column"` // of yes and no
	Values yamldoc.Map[string] `yaml:"values"` // other words: true or false
	// Ends says what an end is: last-day, always the last day itself; next-day,
	// always the day after it. Empty: a time of 00:00 after the start's day is
	// the day after the last, anything else is the last day.
	Ends string `yaml:"ends"`
}

// The words of AllDay.Ends.
const (
	EndsLastDay = "last-day"
	EndsNextDay = "next-day"
)
