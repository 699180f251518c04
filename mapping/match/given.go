package match

import (
	"fmt"
	"slices"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/yamldoc"
)

// Given returns what a mapping that is there makes of the columns, in the form of a proposal. Nothing is asked, and nothing is
// taken but what the mapping says.
func (c *Columns) Given(o Config, f *mapfile.File) *Proposal {
	o.Answers = nil
	b := c.builder(o)
	b.given = true
	b.p.File = *f
	b.p.File.Columns = slices.Clone(f.Columns)
	because := Line{Basis: ByMapping, Reason: "the mapping says so"}
	presetStep{b}.says(because)
	for _, item := range f.Columns {
		if v := item.Value.Value; v != nil {
			b.say(item.Key, Line{Basis: ByMapping, Reason: quoted(fmt.Sprint(v)) + " for every row"})
		}
	}
	for _, line := range []struct{ at, says string }{
		{"timezone.default", f.Timezone.Default},
		{"date_order", f.DateOrder},
		{"filter", f.Filter},
		{"hidden_rows", f.Hidden},
		{"struck_rows", f.Struck},
	} {
		if line.says != "" {
			b.say(line.at, Line{Basis: ByMapping, Reason: line.says})
		}
	}
	shapeStep{b}.cells()
	for i := range b.all.columns {
		switch known := &b.all.columns[i]; {
		case known.header == "" && known.filled > 0:
			b.p.Nameless = append(b.p.Nameless, i)
		case b.used[i] || known.header == "":
		case f.Ignores(known.header):
			b.ignore(known, "the mapping leaves it behind")
		default:
			b.ignore(known, "the mapping does not name it")
		}
	}
	return b.p
}

// readingsOf returns the readings that a mapping has for a field already.
func (b shapeStep) readingsOf(path string) (lines []readsLine) {
	if !b.given && b.p.Source == "" {
		return nil
	}
	given, _ := b.p.File.Reads.Get(path)
	for _, item := range given {
		lines = append(lines, readsLine{Item: yamldoc.Item[string]{Key: item.Key, Value: item.Value}})
	}
	return lines
}
