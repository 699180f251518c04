package match

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/sheet"
)

// rowKinds are the rows that are no events, or may be none.
type rowKinds struct {
	layout *reshape.Layout
	left   reshape.LeftOuts        // none of them is among the rows that columns are judged by
	hidden reshape.LeftOut         // hidden rows, which are
	struck reshape.LeftOut         // likewise, those struck through
	lone   map[int]reshape.LeftOut // headings that are no months, by column
	down   map[int]int             // cells below the first of those merged downwards, by column
	above  headingsAbove
}

// startTypes are the columns that the start of an event may be in.
var startTypes = []semantic{typeWhen, typeTime, typeStart, typeStartDate, typeStartTime}

// timeTypes are all columns that are about when an event is.
var timeTypes = append([]semantic{typeDoors, typeEnd, typeEndDate, typeEndTime, typeLength, typeAllDay, typeZone}, startTypes...)

// NamesStart reports whether a header has a column for the start of an event.
func NamesStart(header []string) bool {
	return slices.ContainsFunc(header, func(h string) bool {
		claims := claimsOf(h)
		return len(claims) > 0 && slices.Contains(startTypes, claims[0].semantic)
	})
}

// newRowKinds tells the rows below a header apart by what the header alone says of its columns.
func newRowKinds(header []string) rowKinds {
	var names, starts, cells []int // cells are those of a grid
	days := dayHeaders(header)
	for i, h := range header {
		switch claims := claimsOf(h); {
		case days[i] != nil, len(claims) > 0 && claims[0].semantic == typeRoom:
			cells = append(cells, i)
		case len(claims) == 0:
		case claims[0].semantic == typeName:
			names = append(names, i)
		case slices.Contains(startTypes, claims[0].semantic):
			starts = append(starts, i)
		}
	}
	switch {
	case len(names) > 0:
	case len(cells) > 1:
		names = cells
	default:
		names = starts
	}
	return rowKinds{
		layout: reshape.NewLayout(header, names, starts, false), hidden: reshape.LeftOut{Kind: reshape.Hidden},
		struck: reshape.LeftOut{Kind: reshape.Struck}, lone: map[int]reshape.LeftOut{}, down: map[int]int{}, above: newAbove(header),
	}
}

// leaveOut reports whether a row is no event, and notes it.
func (r *rowKinds) leaveOut(row *sheet.Row, date1904 bool) bool {
	kind := r.layout.Kind(row)
	if r.above.take(r.layout, row, date1904) {
		kind = reshape.Heading
	}
	if kind == reshape.Data {
		if row.Hidden {
			r.hidden.Add(row.Number, r.layout.Text(row))
		}
		if row.Struck {
			r.struck.Add(row.Number, r.layout.Text(row))
		}
		return false
	}
	r.left.Add(kind, row, r.layout)
	if kind == reshape.Heading {
		column := slices.IndexFunc(row.Cells, func(c sheet.Cell) bool { return strings.TrimSpace(c.Text) != "" })
		if lone := r.lone[column]; !isPeriod(row.Cells[column].Text) {
			lone.Kind = kind
			lone.Add(row.Number, r.layout.Text(row))
			r.lone[column] = lone
		}
	}
	return true
}

// isPeriod reports whether a text is a month or a year with it, which no event is named by.
func isPeriod(text string) bool {
	for _, whole := range []string{text, "1 " + text, "1 " + text + " 2000"} {
		if m, fault := datetime.Scan(whole, datetime.DayFirst); fault == datetime.OK && m.HasDate {
			return true
		}
	}
	_, err := strconv.Atoi(strings.TrimSpace(text))
	return err == nil
}

// rowStep says which rows are no events, and which cells take the value above.
type rowStep struct{ *builder }

// rows proposes what becomes of rows that are no events, and asks where they may be some.
func (b rowStep) rows() {
	all := &b.all.rowKinds
	b.p.LeftOut = all.left
	var found []string
	for i := range all.left {
		l := &all.left[i]
		if l.Kind == reshape.Heading && !b.areHeadings() {
			continue
		}
		b.p.File.SkipRows = append(b.p.File.SkipRows, l.Kind.Word())
		found = append(found, l.Kind.Word()+" "+l.Places())
	}
	if len(found) > 0 {
		b.say("skip_rows", Line{Basis: ByValues, Reason: "no events: " + strings.Join(found, "; ")})
	}
	b.p.File.Hidden = b.aside("hidden_rows", "hidden rows", "hidden", &all.hidden)
	b.p.File.Struck = b.aside("struck_rows", "rows that are struck through", "struck through", &all.struck)
}

// aside asks about rows that are set aside by how they look, and returns the word for what becomes of them.
func (b rowStep) aside(id, rows, are string, l *reshape.LeftOut) string {
	if l.Count == 0 {
		return ""
	}
	answer, ok := b.ask(Question{
		ID: id, Text: "are " + rows + " meant to be read?", Why: l.Words("is "+are, "are "+are),
		Choices: []Choice{{mapfile.HiddenRead, "read like the others"}, {mapfile.HiddenSkip, "left out"}}, Default: mapfile.HiddenSkip,
	})
	if !ok {
		return ""
	}
	b.say(id, Line{Basis: ByAnswer, Reason: "answered"})
	return answer
}

// areHeadings reports whether the rows with a text alone are headings. Where that text stands
// in the column of the name and is no month, it may be an event without a start: that is asked.
func (b rowStep) areHeadings() bool {
	name, ok := b.p.File.Columns.Get("name")
	if !ok || len(name.From) != 1 {
		return true
	}
	at := slices.IndexFunc(b.all.columns, func(c column) bool { return c.header == name.From[0] })
	lone, doubtful := b.all.lone[at]
	if !doubtful {
		return true
	}
	answer, ok := b.ask(Question{
		ID: "headings", At: "skip_rows",
		Text: "are the rows that hold nothing but a text in the column " + quoted(name.From[0]) + " headings?",
		Why:  lone.Words("holds nothing else", "hold nothing else"), Default: mapfile.HiddenSkip,
		Choices: []Choice{{mapfile.HiddenSkip, "headings, which are left out"}, {mapfile.HiddenRead, "events, which lack a start"}},
	}, &b.all.columns[at])
	return !ok || answer == mapfile.HiddenSkip
}
