package main

import (
	"slices"

	"github.com/spf13/pflag"

	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/report/page"
	"eventbatch/mapping/failure"
)

// pageFlags are those of the .html report.
type pageFlags struct{ title, logo, audience string }

func (f *pageFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.title, "title", "", "`TEXT` above the .html report, in the place of the files' names")
	flags.StringVar(&f.logo, "logo", "", "picture `FILE` above the .html report: PNG, JPEG or SVG")
	flags.StringVar(&f.audience, "for", string(page.Customer),
		"who reads the .html report: customer, or engineer with rules, runs and requests")
}

// options returns how the page looks. The logo is read here, before any work.
func (f *pageFlags) options() (page.Options, error) {
	o := page.Options{Title: f.title, For: page.Audience(f.audience)}
	if !slices.Contains(page.Audiences, o.For) {
		return o, usagef("--for %q is no reader of a report", f.audience).hinted("say --for customer or --for engineer")
	}
	var err error
	if f.logo != "" {
		o.Logo, err = page.LoadLogo(f.logo)
	}
	return o, err
}

// reports are those that a command writes.
type reports struct {
	*env
	*file.Reports
}

// beginReports prepares the reports that --report or -o asks for, before any
// work: a wrong name is a mistake of the command line.
func beginReports(a *env, flag string, names []string, look *pageFlags, config file.Config) (*reports, error) {
	var err error
	if config.Page, err = look.options(); err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == file.GitHub && a.global.json {
			return nil, usagef("--%s %s and --json both want the output", flag, file.GitHub).
				hinted("write the document to a file with --" + flag + " FILE.json")
		}
		if name != file.GitHub {
			if err := canHold(flag, name); err != nil {
				return nil, err
			}
		}
	}
	config.Out = a.stdout
	begun, err := file.Begin(names, config)
	return &reports{a, begun}, err
}

// end completes the reports. exit returns how the command ends; what is printed
// comes last, so that it says also which file could not be written.
func (r *reports) end(summary *found.Summary, exit func(unwritten error) found.Exit) error {
	summary.Version, summary.Exit = version(), exit(nil)
	r.Unwritten = func(err error) found.Exit { return exit(failure.New(failure.Output, err, "")) }
	if err := r.End(summary); err != nil {
		return failure.New(failure.Output, err, "")
	}
	return nil
}

// tell names the reports that were written.
func (r *reports) tell() {
	for _, name := range r.Written() {
		r.say("report: %s\n", r.screen.Path(name))
	}
}
