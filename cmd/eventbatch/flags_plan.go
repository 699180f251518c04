package main

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/source"
)

// planFlags say what rows become.
type planFlags struct {
	plan.Options

	decisions    string // a file
	detailedExit bool
	guards       guardFlags
	source       sourceFlags
}

func (p *planFlags) register(f *pflag.FlagSet) {
	p.registerPage(f)
	p.registerCompare(f)
	f.BoolVar(&p.SkipInvalid, "skip-invalid", false, "leave out invalid rows instead of refusing the file")
	f.BoolVar(&p.ForgetMissing, "forget-missing", false, "make anew what was deleted from the service, or by an undo")
	f.BoolVar(&p.detailedExit, "detailed-exitcode", false, "exit with 2 where there are changes")
	f.BoolVar(&p.ReplaceDefault, "replace-default", false,
		"take the platform's free ticket type of an event away once rows have brought paid ones, where no guest has it")
}

// registerPage registers those that are not a page's to say.
func (p *planFlags) registerPage(f *pflag.FlagSet) {
	f.StringVar(&p.Slug, "slug", "derive",
		"`HOW` new events get a slug: derive makes one from the key, keep leaves a blank one to the service")
	p.guards.register(f)
	p.source.register(f)
}

// options returns the options of a plan.
func (p *planFlags) options(r *readingFlags) (plan.Options, error) {
	o := p.Options
	o.Operation = r.operation
	err := oneOf("slug", o.Slug)
	for _, f := range []struct{ name, word string }{{"compare", o.Compare}, {"first", o.First}, {"on-conflict", o.OnConflict}} {
		if f.word != "" && err == nil {
			err = oneOf(f.name, f.word)
		}
	}
	return o, err
}

// registerCompare registers what rows are compared with, and who is right where the two differ.
func (p *planFlags) registerCompare(f *pflag.FlagSet) {
	f.StringVar(
		&p.Compare, "compare", "", "`WITH` what rows are compared: sent leaves out what was sent before, live sends of an event only "+
			"the fields that the platform has otherwise and nobody has changed there, none sends every row (default live for an "+
			"export that comes back, else sent)",
	)
	f.StringVar(&p.OnConflict, "on-conflict", "",
		"`WHO` is right under --compare live where both sides have changed a field: fail leaves the row out, mine or theirs (default fail)")
	f.StringVar(
		&p.First, "first", "", "`WHO` is right where the sides differ and nothing is known of what they last agreed on, as of an event "+
			"that is found again: mine, theirs or fail (default mine)",
	)
}

// registerDecisions is for commands that a person gives, who has seen a plan before.
func registerDecisions(f *pflag.FlagSet, decisions *string) {
	f.StringVar(decisions, "decisions", "", "`FILE` of who is right about single fields under --compare live: an object a line with key, "+
		"field and decision, which is mine, theirs or leave; with live and mine, as plan --json has them, it is for these values only")
}

// decided reads the decisions, nil where there are none.
func (p *planFlags) decided() (*batch.Decisions, error) {
	switch {
	case p.decisions == "":
		return nil, nil
	case p.OnConflict == plan.Mine, p.OnConflict == plan.Theirs:
		return nil, usagef("--decisions says who is right field by field, and --on-conflict for all").hinted("leave one of the two out")
	}
	file, err := os.Open(p.decisions)
	if err != nil {
		return nil, err
	}
	defer file.Close() // nothing was written
	return batch.ReadDecisions(p.decisions, file)
}

// sourceFlags say which source the rows are of, and what becomes of those that are gone.
type sourceFlags struct {
	source.Config

	renames []string
}

func (s *sourceFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.Name, "source", "", "`NAME` of what feeds the same events again and again (default: the file's path)")
	f.StringVar(
		(*string)(&s.Missing), "missing", "report", "`WHAT` becomes of events that the source has made and no longer names: report "+
			"tells them, keep says nothing, cancel cancels those to come",
	)
	f.StringArrayVar(&s.renames, "rename", nil, "`OLD=NEW` key of an event, or none where new keys are new events (repeatable)")
	f.BoolVar(&s.Rebind, "rebind", false, "let the source feed another address, calendar, resource or key column than before")
	f.StringVar(&s.TakeOver, "take-over", "", "make the keys of another source this one's: its `NAME`, or the path of its file")
}

// config returns what the flags say. Flags that read only some of the rows do not go with
// those that count on all.
func (s *sourceFlags) config(r *readingFlags, guards *batch.Guards) (source.Config, error) {
	f := s.Config
	if err := oneOf("missing", string(f.Missing)); err != nil {
		return f, err
	}
	if s.Name != strings.TrimSpace(s.Name) || strings.ContainsAny(s.Name, `/\`) || s.Name == "none" {
		return f, usagef("--source: %q is not a name", s.Name).hinted("write a word such as members, without slashes")
	}
	if f.Missing == source.Cancel {
		if s.Name == "" {
			return f, usagef("--missing cancel needs the name of the source").
				hinted("say --source NAME, and the same name each time: what it has made is remembered under it")
		}
		if flag := r.part(); flag != "" {
			return f, usagef("--missing cancel and %s: only a reading of all rows tells which are gone", flag).
				hinted("leave one of the two out")
		}
		guards.LimitCancels()
	}
	if wrong := f.Rename(s.renames); wrong != "" {
		return f, usagef("--rename: %q names no two keys", wrong).hinted("write OLD=NEW, such as --rename tea-1=tea-2027-1, or none")
	}
	return f, nil
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

// guardFlags refuse a whole plan that does more than is expected.
type guardFlags struct{ profile.SyncGuards }

func (g *guardFlags) register(f *pflag.FlagSet) {
	const share = ", a `NUMBER` or a share of what the input had of late, such as 30%"
	f.StringVar(&g.MaxCreate, "max-create", "", "refuse a plan that creates more rows"+share)
	f.StringVar(&g.MaxUpdate, "max-update", "", "refuse a plan that updates more rows"+share)
	f.StringVar(&g.MaxCancel, "max-cancel", "", "refuse a plan that cancels or removes more rows"+share)
	f.StringVar(&g.MinRows, "min-rows", "", "refuse an input of fewer rows"+share)
	f.StringVar(&g.MaxMail, "max-mail", "", "refuse a plan that tells more people, by mail or push notification, than this `NUMBER`")
}

// guards returns what the flags say.
func (g *guardFlags) guards() (batch.Guards, error) {
	guards, err := batch.ParseGuards(&g.SyncGuards)
	if err != nil {
		err = &usageError{err: err}
	}
	return guards, err
}
