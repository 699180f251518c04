package match

import (
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

// outText is the question by which a text leaves its rows out. It has no id where a mapping that is there says so.
type outText struct {
	id   string
	open bool
}

// mayLeave reports whether rows may be left out by a text of the column: the filter sees its cells as they are.
func (v *shownColumn) mayLeave() bool {
	c := v.uses[0].column
	return !v.given && v.p.Source == "" && !v.completes(c) && !v.splits(c) && len(v.p.File.Grid.Columns) == 0
}

// leaves reports whether it is an answer about a text of the column that its rows are left out: where no row can do without
// the field, and where the text calls the event off.
func (v *shownColumn) leaves(text string) bool {
	return v.mayLeave() && v.lacking(text) == nothing && (v.needs(v.uses[0].field.Path) || v.saysOff(text))
}

// saysOff reports whether a text calls an event off, by itself or by how it begins.
func (v *shownColumn) saysOff(text string) bool {
	return stateOf(v.resource(), text, false) == Off || v.resource().Takes(schema.Cancel) && CallsOff(text)
}

// take takes what a text stands for, or that its rows are left out.
func (v *shownColumn) take(line readsLine, text string) {
	if line.Value == mapfile.HiddenSkip {
		v.out[compared(text)] = outText{id: v.uses[0].field.Path + ":" + flat(line.Key), open: line.asked != ""}
		return
	}
	v.teach(line)
}

// isOut reports whether rows with a text are left out, and by which question.
func (v *shownColumn) isOut(text string) (by outText, out bool) {
	by, out = v.out[compared(text)]
	return by, out
}

// outShape shows a text by which rows are left out.
func (v *shownColumn) outShape(k *cells, text string, by outText) Shape {
	s := Shape{Field: v.uses[0].field.Path, Column: v.uses[0].header, Example: text, Count: k.times[text], Becomes: "left out"}
	if by.open {
		s.Asked = by.id
	} else {
		s.Settled = by.id
	}
	return s
}

// filterOut puts the texts by which rows are left out into the filter, as far as that is answered.
func (v *shownColumn) filterOut() {
	if v.given {
		return
	}
	c := v.uses[0].column
	var off, open []string
	for i := range v.uses[0].kinds {
		for _, text := range v.uses[0].kinds[i].texts {
			switch by, out := v.isOut(text); {
			case !out:
			case by.open:
				open = append(open, text)
			default:
				off = append(off, text)
			}
		}
	}
	if len(open) > 0 {
		v.outBy(c, open)
	}
	if len(off) > 0 {
		v.filter(c, off, Line{Basis: ByAnswer, Reason: "answered: such rows are left out"})
	}
}
