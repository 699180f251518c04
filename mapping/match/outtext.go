package match

import (
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

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
		v.out[compared(text)] = line.asked
		return
	}
	v.teach(line)
}

// isOut reports whether rows with a text are left out, and by which open question.
func (v *shownColumn) isOut(text string) (asked string, out bool) {
	asked, out = v.out[compared(text)]
	return asked, out
}

// outShape shows a text by which rows are left out.
func (v *shownColumn) outShape(k *cells, text, asked string) Shape {
	s := Shape{
		Field: v.uses[0].field.Path, Column: v.uses[0].header, Example: text, Count: k.times[text], Becomes: "left out", Asked: asked,
	}
	if asked == "" && !v.given {
		s.Settled = s.Field + ":" + flat(text)
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
			switch asked, out := v.isOut(text); {
			case !out:
			case asked == "":
				off = append(off, text)
			default:
				open = append(open, text)
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
