package match

import (
	"slices"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// readsLine is a line of readings that stands in the mapping, or will once its question is answered.
type readsLine struct {
	yamldoc.Item[string]
	asked string // id of the open question
}

// taught is how the cells of a column are read: in an order of dates, and by lines of readings.
type taught struct {
	order datetime.Order
	lines []readsLine
	table *reads.Table // of the lines
}

// orderOf returns the order of dates for any field.
func (t *taught) orderOf(string) datetime.Order { return t.order }

// teach adds lines.
func (t *taught) teach(lines ...readsLine) {
	if len(lines) == 0 {
		return
	}
	t.lines = append(t.lines, lines...)
	table := make(yamldoc.Map[string], len(t.lines))
	for i := range t.lines {
		table[i] = t.lines[i].Item
	}
	t.table = reads.New(table, t.orderOf)
}

// lineOf returns the line that a text is read by; none for nearly all.
func (t *taught) lineOf(kind sheet.CellKind, text string) readsLine {
	if kind != sheet.Text && t.table != nil {
		if read, _ := t.table.Exact(text); read == text {
			return readsLine{}
		}
	}
	for _, line := range t.lines {
		if reads.New(yamldoc.Map[string]{line.Item}, t.orderOf).Apply(text) != text {
			return line
		}
	}
	return readsLine{}
}

// shaped reports whether a line is for texts of the shape of one already.
func (t *taught) shaped(text string) bool {
	return slices.ContainsFunc(t.lines, func(l readsLine) bool {
		_, isYear := reads.YearsOf(l.Value)
		return isYear && reads.Shape(l.Key) == reads.Shape(text)
	})
}

// again returns the line for a text whose year, half of the day, or number of events, the column has been asked for already.
func (t *taught) again(p *reads.Proposal, lacks lack, year bool) (line readsLine, ok bool) {
	at := slices.IndexFunc(t.lines, func(l readsLine) bool {
		_, isHalf := reads.HalfOf(l.Value)
		switch lacks {
		case lackHalf:
			return isHalf
		case lackWhole:
			return l.Value == reads.OneEvent
		}
		return year && l.Value == p.Reading
	})
	if at < 0 {
		return line, false
	}
	return readsLine{Item: yamldoc.Item[string]{Key: p.Example, Value: t.lines[at].Value}, asked: t.lines[at].asked}, true
}
