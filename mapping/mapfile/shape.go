package mapfile

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
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

// Added returns the names of the columns that it adds.
func (g *Grid) Added() []string {
	if g.Time == "" {
		return []string{g.Heading, g.Cell}
	}
	return []string{g.Heading, g.Cell, g.Time}
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

// Makes reports whether rows of events are made whose name says that they are called off, sold out or private.
func (f *File) Makes(name string) bool {
	if f == nil {
		return false
	}
	return slices.ContainsFunc(f.Marked, func(m string) bool { return m == "*" || strings.EqualFold(m, strings.TrimSpace(name)) })
}

// The words of File.Hidden and File.Struck.
const (
	HiddenRead = "read"
	HiddenSkip = "skip"
)

// The words of AllDay.Ends and of Column.Range.
const (
	EndsLastDay = "last-day"
	EndsNextDay = "next-day"
	RangeStart  = "start"
	RangeEnd    = "end"
)

// rows checks what is said of the rows of a sheet before they are events.
func (v *validator) rows() {
	f := v.file
	for _, item := range f.Named {
		if _, ok := schema.ColumnIndex(item.Key); !ok {
			v.fail(item.Pos, "names."+item.Key, "write the letter that the spreadsheet has above the column", "%q is no column", item.Key)
		}
		if strings.TrimSpace(item.Value) == "" {
			v.fail(item.Pos, "names."+item.Key, "write a name such as Time", "the column gets no name")
		}
	}
	for i, word := range f.SkipRows {
		if _, ok := reshape.KindNamed(word); !ok {
			v.fail(
				yamldoc.Pos{}, "skip_rows["+strconv.Itoa(i)+"]", "write "+strings.Join(reshape.KindWords, ", "), "no kind of rows %q", word,
			)
		}
	}
	for _, of := range [][2]string{{"hidden_rows", f.Hidden}, {"struck_rows", f.Struck}} {
		if key, word := of[0], of[1]; word != "" && word != HiddenRead && word != HiddenSkip {
			v.fail(yamldoc.Pos{}, key, "write read or skip", "nothing can be done as %q", word)
		}
	}
	for _, item := range f.Fill {
		if _, ok := reshape.ParseFill(item.Value); !ok {
			v.fail(
				item.Pos, "fill."+item.Key, "write down, heading, both, week 2027-10-11, or a date such as 2027-10-14",
				"%q is nothing that cells could be filled with", item.Value,
			)
		}
	}
}

func (v *validator) shape() {
	f := v.file
	for _, item := range f.Aliases {
		if item.Key == "" || len(item.Value) == 0 {
			v.fail(item.Pos, "aliases."+item.Key, "write the column's name in this mapping, then its other names", "no name is given")
		}
	}
	for _, item := range f.Joins {
		at := "joins." + item.Key
		if item.Key == "" || strings.ContainsAny(item.Key, ". ") {
			v.fail(item.Pos, at, "use one word", "this cannot be the name of a table")
		}
		if item.Value.On == "" || item.Value.Key == "" {
			v.fail(item.Pos, at, "give both on and key", "nothing says which columns have the same text")
		}
	}
	if g := &f.Grid; len(g.Columns) > 0 || g.Heading != "" || g.Cell != "" || g.Time != "" {
		v.grid(g)
	}
	if u := &f.Unroll; *u.said() != (saidUnroll{}) {
		v.unroll(u)
	}
	if a := &f.AllDay; a.Column != "" || a.Ends != "" || len(a.Values) > 0 {
		v.allDay(a)
	}
	if g := &f.Grid; len(f.Split) > 0 && (len(g.Columns) > 0 || len(f.Group) > 0 || f.Unroll.Start != "") {
		v.fail(yamldoc.Pos{}, "split", "keep one of them", "rows that are split can be neither of a grid nor grouped nor unrolled")
	}
	for i, name := range f.Group {
		if name == "" {
			v.fail(yamldoc.Pos{}, "group["+strconv.Itoa(i)+"]", "", "the name of a column is blank")
		}
	}
}

func (v *validator) grid(g *Grid) {
	switch {
	case len(g.Columns) == 0 || slices.Contains(g.Columns, ""):
		v.fail(g.Pos, "grid.columns", "list the columns of the rooms", "nothing says which cells are events")
	case g.Heading == "" || g.Cell == "" || g.Heading == g.Cell || g.Time != "" && (g.Time == g.Heading || g.Time == g.Cell):
		v.fail(
			g.Pos, "grid", "give heading and cell, such as Room and Session",
			"nothing says what the header and the text of a cell are called",
		)
	case len(v.file.Group) > 0 || v.file.Unroll.Start != "":
		v.fail(g.Pos, "grid", "keep one of them", "the rows of a grid can be neither grouped nor unrolled")
	}
}

// saidUnroll is what can be compared of an Unroll.
type saidUnroll struct {
	days, frequency, interval, start, end, until string
	clocks, limit                                int
}

func (u *Unroll) said() *saidUnroll {
	return &saidUnroll{u.Days, u.Frequency, u.Interval, u.Start, u.End, u.Until, len(u.Clocks), u.Limit}
}

func (v *validator) unroll(u *Unroll) {
	switch {
	case u.Days == "" && u.Frequency == "":
		v.fail(u.Pos, "unroll", "give the column of the weekdays as days", "nothing says on which days an event takes place")
	case u.Start == "" || u.Until == "":
		v.fail(u.Pos, "unroll", "give both start and until", "nothing says between which days an event takes place")
	case len(u.Clocks) != 0 && len(u.Clocks) != 2:
		v.fail(u.Pos, "unroll.clocks", "give the columns of the start's and the end's time", "%d columns, need two", len(u.Clocks))
	case u.Limit < 0 || u.Limit > maxUnroll:
		v.fail(u.Pos, "unroll.limit", "write a number from 1 to "+strconv.Itoa(maxUnroll), "no limit %d", u.Limit)
	}
}

// maxUnroll is the highest limit of the events of one row: a day for ten years.
const maxUnroll = 3660

func (v *validator) allDay(a *AllDay) {
	if a.Column == "" {
		v.fail(a.Pos, "all_day.column", "", "nothing says which rows take whole days")
	}
	for _, item := range a.Values {
		if _, fault := value.ParseBool(item.Value); fault != nil {
			v.fail(item.Pos, "all_day.values."+item.Key, "write true or false", "no answer %q", item.Value)
		}
	}
	switch a.Ends {
	case "", EndsLastDay, EndsNextDay:
	default:
		v.fail(a.Pos, "all_day.ends", "write last-day or next-day, or leave it out", "no kind of end %q", a.Ends)
	}
}
