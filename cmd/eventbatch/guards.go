package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/profile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// registerAllow registers the leave to do something to people and money.
func (s *sendFlags) registerAllow(f *pflag.FlagSet) {
	f.StringSliceVar(
		&s.allow, "allow", nil,
		"give leave to what reaches people or money, in a list of `EFFECTS`: "+strings.Join(flagWords["allow"], ", "),
	)
}

// leave returns the effects that the command line and the profile give leave to.
func (s *sendFlags) leave(of *profile.Connection) ([]schema.Effect, error) {
	given := slices.Clone(of.Allow)
	for _, word := range s.allow {
		if !slices.Contains(flagWords["allow"], word) {
			return nil, &usageError{
				err:  fmt.Errorf("--allow: %q is not an effect", word),
				hint: cmp.Or(spelling.DidYouMean(word, flagWords["allow"]), "write "+strings.Join(flagWords["allow"], ", ")),
			}
		}
		given = append(given, schema.Effect(word))
	}
	slices.Sort(given)
	return slices.Compact(given), nil
}

// guardFlags refuse a whole plan that does more than is expected.
type guardFlags struct {
	maxCreate, maxUpdate, maxCancel, minRows, maxMail string
}

func (g *guardFlags) register(f *pflag.FlagSet) {
	const share = ", a `NUMBER` or a share of what the input had of late, such as 30%"
	f.StringVar(&g.maxCreate, "max-create", "", "refuse a plan that creates more rows"+share)
	f.StringVar(&g.maxUpdate, "max-update", "", "refuse a plan that updates more rows"+share)
	f.StringVar(&g.maxCancel, "max-cancel", "", "refuse a plan that cancels or removes more rows"+share)
	f.StringVar(&g.minRows, "min-rows", "", "refuse an input of fewer rows"+share)
	f.StringVar(&g.maxMail, "max-mail", "", "refuse a plan that tells more people, by mail or push notification, than this `NUMBER`")
}

// guards returns what the flags say.
func (g *guardFlags) guards() (guards batch.Guards, err error) {
	for _, bound := range []struct {
		flag, text string
		into       *batch.Bound
	}{
		{"max-create", g.maxCreate, &guards.MaxCreate},
		{"max-update", g.maxUpdate, &guards.MaxUpdate},
		{"max-cancel", g.maxCancel, &guards.MaxCancel},
		{"min-rows", g.minRows, &guards.MinRows},
	} {
		if bound.text == "" {
			continue
		}
		if *bound.into, err = batch.ParseBound(bound.text); err != nil {
			return guards, usagef("--%s: %q: %w", bound.flag, bound.text, err)
		}
	}
	if g.maxMail != "" {
		people, err := strconv.Atoi(g.maxMail)
		if err != nil || people < 0 {
			return guards, usagef("--max-mail: %q is not a number of people", g.maxMail)
		}
		guards.MaxMail = &people
	}
	return guards, nil
}
