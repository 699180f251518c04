package main

import (
	"slices"

	"github.com/spf13/pflag"

	"eventbatch/batch/plan"
)

// compareFlags say what rows are compared with, and who is right where the two differ.
type compareFlags struct {
	with            string
	onConflict, who string
}

func (c *compareFlags) register(f *pflag.FlagSet) {
	f.StringVar(
		&c.with, "compare", "", "`WITH` what rows are compared: sent leaves out what was sent before, live sends of an event only "+
			"the fields that the platform has otherwise and nobody has changed there, none sends every row (default live for an "+
			"export that comes back, else sent)",
	)
	f.StringVar(
		&c.onConflict, "on-conflict", "",
		"`WHO` is right under --compare live where both sides have changed a field: fail leaves the row out, mine or theirs (default fail)",
	)
	f.StringVar(
		&c.who, "first", "", "`WHO` is right where the sides differ and nothing is known of what they last agreed on, as of an event that "+
			"is found again: mine, theirs or fail (default mine)",
	)
}

// into fills in the options of a plan, as far as they were said.
func (c *compareFlags) into(o *plan.Options) error {
	o.Compare, o.First, o.OnConflict = c.with, c.who, c.onConflict
	for _, f := range []struct{ name, word string }{{"compare", c.with}, {"first", c.who}, {"on-conflict", c.onConflict}} {
		if choices := flagWords[f.name]; f.word != "" && !slices.Contains(choices, f.word) {
			return wrongWord("--"+f.name, f.word, choices)
		}
	}
	return nil
}
