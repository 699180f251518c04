package main

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/plan"
	"eventbatch/batch/source"
)

// planFlags say what rows become.
type planFlags struct {
	slug          string
	compare       compareFlags
	skipInvalid   bool
	forgetMissing bool
	detailedExit  bool
	// replaceDefault has the platform's free ticket types give way to paid ones.
	replaceDefault bool
	guards         guardFlags
	source         sourceFlags
	owns           []string // no flag: fields about which the file is right, whatever the platform says
}

func (p *planFlags) register(f *pflag.FlagSet) {
	p.registerPage(f)
	p.compare.register(f)
	f.BoolVar(&p.skipInvalid, "skip-invalid", false, "leave out invalid rows instead of refusing the file")
	f.BoolVar(&p.forgetMissing, "forget-missing", false, "make anew what was deleted from the service, or by an undo")
	f.BoolVar(&p.detailedExit, "detailed-exitcode", false, "exit with 2 where there are changes")
	f.BoolVar(
		&p.replaceDefault, "replace-default", false,
		"take the platform's free ticket type of an event away once rows have brought paid ones, where no guest has it",
	)
}

// registerPage registers those that are not a page's to say.
func (p *planFlags) registerPage(f *pflag.FlagSet) {
	f.StringVar(
		&p.slug, "slug", "derive",
		"`HOW` new events get a slug: derive makes one from the key, keep leaves a blank one to the service",
	)
	p.guards.register(f)
	p.source.register(f)
}

// options returns the options of a plan.
func (p *planFlags) options(r *readingFlags) (plan.Options, error) {
	if choices := flagWords["slug"]; !slices.Contains(choices, p.slug) {
		return plan.Options{}, wrongWord("--slug", p.slug, choices)
	}
	o := plan.Options{Operation: r.operation, Slug: p.slug, SkipInvalid: p.skipInvalid, ForgetMissing: p.forgetMissing, Owns: p.owns}
	o.ReplaceDefault = p.replaceDefault
	err := p.compare.into(&o)
	return o, err
}

// compareFlags say what rows are compared with, and who is right where the two differ.
type compareFlags struct {
	with            string
	onConflict, who string
	decisions       string // a file
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

// registerDecisions is for commands that a person gives, who has seen a plan before.
func (c *compareFlags) registerDecisions(f *pflag.FlagSet) {
	f.StringVar(
		&c.decisions, "decisions", "", "`FILE` of who is right about single fields under --compare live: an object a line with key, "+
			"field and decision, which is mine, theirs or leave; with live and mine, as plan --json has them, it is for these values only",
	)
}

// decided reads the decisions, nil where there are none.
func (c *compareFlags) decided() (*batch.Decisions, error) {
	switch {
	case c.decisions == "":
		return nil, nil
	case c.onConflict == plan.Mine, c.onConflict == plan.Theirs:
		return nil, usagef("--decisions says who is right field by field, and --on-conflict for all").hinted("leave one of the two out")
	}
	file, err := os.Open(c.decisions)
	if err != nil {
		return nil, err
	}
	defer file.Close() // nothing was written
	return batch.ReadDecisions(c.decisions, file)
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

// sourceFlags say which source the rows are of, and what becomes of those that are gone.
type sourceFlags struct {
	name, missing, takeOver string
	renames                 []string
	rebind                  bool
}

func (s *sourceFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.name, "source", "", "`NAME` of what feeds the same events again and again (default: the file's path)")
	f.StringVar(
		&s.missing, "missing", "report", "`WHAT` becomes of events that the source has made and no longer names: report tells them, "+
			"keep says nothing, cancel cancels those to come",
	)
	f.StringArrayVar(&s.renames, "rename", nil, "`OLD=NEW` key of an event, or none where new keys are new events (repeatable)")
	f.BoolVar(&s.rebind, "rebind", false, "let the source feed another address, calendar, resource or key column than before")
	f.StringVar(&s.takeOver, "take-over", "", "make the keys of another source this one's: its `NAME`, or the path of its file")
}

// config returns what the flags say. Flags that read only some of the rows do not go with
// those that count on all.
func (s *sourceFlags) config(r *readingFlags, guards *batch.Guards) (source.Config, error) {
	f := source.Config{Name: s.name, Missing: source.Missing(s.missing), TakeOver: s.takeOver, Rebind: s.rebind}
	if words := flagWords["missing"]; !slices.Contains(words, s.missing) {
		return f, wrongWord("--missing", s.missing, words)
	}
	if s.name != strings.TrimSpace(s.name) || strings.ContainsAny(s.name, `/\`) || s.name == "none" {
		return f, usagef("--source: %q is not a name", s.name).hinted("write a word such as members, without slashes")
	}
	if f.Missing == source.Cancel {
		if s.name == "" {
			return f, usagef("--missing cancel needs the name of the source").
				hinted("say --source NAME, and the same name each time: what it has made is remembered under it")
		}
		if flag := r.part(); flag != "" {
			return f, usagef("--missing cancel and %s: only a reading of all rows tells which are gone", flag).
				hinted("leave one of the two out")
		}
		guards.LimitCancels()
	}
	return f, s.parseRenames(&f)
}

// part returns a flag that has only some of the rows read, empty where none has.
func (r *readingFlags) part() string {
	switch {
	case r.rows != "":
		return "--rows"
	case r.limit != 0:
		return "--limit"
	case r.sheet != "":
		return "--sheet"
	}
	return ""
}

func (s *sourceFlags) parseRenames(f *source.Config) error {
	f.Renames = map[string]string{}
	for _, text := range s.renames {
		if text == "none" {
			f.NoRenames = true
			continue
		}
		old, key, ok := strings.Cut(text, "=")
		old, key = strings.TrimSpace(old), strings.TrimSpace(key)
		if !ok || old == "" || key == "" {
			return usagef("--rename: %q names no two keys", text).hinted("write OLD=NEW, such as --rename tea-1=tea-2027-1, or none")
		}
		f.Renames[old] = key
	}
	return nil
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
		into       *plan.Bound
	}{
		{"max-create", g.maxCreate, &guards.MaxCreate},
		{"max-update", g.maxUpdate, &guards.MaxUpdate},
		{"max-cancel", g.maxCancel, &guards.MaxCancel},
		{"min-rows", g.minRows, &guards.MinRows},
	} {
		if bound.text == "" {
			continue
		}
		if *bound.into, err = plan.ParseBound(bound.text); err != nil {
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
