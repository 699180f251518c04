package mapping

import (
	"cmp"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

// Input is what one sheet of a file is read as. A file of which each row says several things, such
// as an order of a ticket with its event, is several.
type Input struct {
	File     string
	Sheet    string           // empty for a text file
	Mapping  *mapfile.File    // nil: the headers say what they are
	Resource *schema.Resource // what the rows are about; nil: the Mapping's
	Join     []JoinFile
}

// Of returns what the rows are about.
func (in *Input) Of() *schema.Resource {
	if in.Resource == nil && in.Mapping != nil {
		r, _ := catalog.ResourceNamed(in.Mapping.Resource)
		return r
	}
	return catalog.RowsOf(in.Resource)
}

// InOrder puts inputs into the order in which their rows need each other. Of guests those come first whose rows say who
// does not come, which the others do not know.
func InOrder(inputs []Input) {
	slices.SortStableFunc(inputs, func(a, b Input) int {
		return cmp.Or(slices.Index(catalog.Resources, a.Of())-slices.Index(catalog.Resources, b.Of()), a.silent()-b.silent())
	})
}

// silent is 1 of guests whose rows do not say who does not come, else 0.
func (in *Input) silent() int {
	if in.Of() != catalog.Guests || in.Mapping == nil {
		return 0
	}
	if status, _ := in.Mapping.Columns.Get(catalog.GuestStatus().Path); status.Value != nil && in.Mapping.Filter == "" {
		return 1
	}
	return 0
}

// inputOptions are the options by which one file is read.
type inputOptions struct {
	*options

	path string
}

// inputs returns what is read, in its order.
func (o *options) inputs() ([]inputOptions, error) {
	var list []inputOptions
	if len(o.Inputs) == 0 {
		for _, path := range o.Files {
			list = append(list, inputOptions{o, path})
		}
		return list, nil
	}
	for i := range o.Inputs {
		in := &o.Inputs[i]
		c := o.Config
		c.Mapping, c.Resource, c.Sheet, c.Join = in.Mapping, in.Of(), exactly.Replace(in.Sheet), in.Join
		c.Inputs, c.Set = nil, setOf(in.Of(), c.Set)
		each, err := c.options()
		if err != nil {
			return nil, err
		}
		list = append(list, inputOptions{each, in.File})
	}
	return list, nil
}

// exactly makes a pattern that fits one name alone.
var exactly = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
