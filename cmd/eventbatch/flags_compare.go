package main

import (
	"cmp"
	"errors"
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
		&c.with, "compare", "sent", "`WITH` what rows are compared: sent leaves out what was sent before, live sends of an event only "+
			"the fields that the platform has otherwise and nobody has changed there, none sends every row",
	)
	f.StringVar(
		&c.onConflict, "on-conflict", "",
		"`WHO` is right under --compare live where both sides have changed a field: fail leaves the row out, mine or theirs (default fail)",
	)
	f.StringVar(
		&c.who, "first", "", "`WHO` is right under --compare live where the sides differ and nothing is known of what they last agreed "+
			"on: mine, theirs or fail (default mine)",
	)
}

// into fills in the options of a plan.
func (c *compareFlags) into(o *plan.Options) error {
	if choices := flagWords["compare"]; !slices.Contains(choices, c.with) {
		return wrongWord("--compare", c.with, choices)
	}
	o.Compare = c.with
	for _, f := range []struct {
		name, word, instead string
		to                  *string
	}{{"first", c.who, plan.Mine, &o.First}, {"on-conflict", c.onConflict, plan.Fail, &o.OnConflict}} {
		switch choices := flagWords[f.name]; {
		case f.word != "" && !slices.Contains(choices, f.word):
			return wrongWord("--"+f.name, f.word, choices)
		case c.with == "live":
			*f.to = cmp.Or(f.word, f.instead)
		case f.word != "":
			return &usageError{err: errors.New("--" + f.name + " is about what is live"), hint: "add --compare live"}
		}
	}
	return nil
}
