// Package file writes what was found into report files.
//
// The name of a report says what it is: a page (.html), the input with marks at its
// cells (.xlsx), a line a problem (.csv), the document of --json (.json), JUnit
// (.xml), a comment for a pull request (.md), or annotations on the output (github).
// Each is a finding.Sink. [Reports] is all of them as one sink: a report that cannot
// be written does not hold up the others, and End says which it was.
//
// No file is touched before End. A report that grows with its rows waits in a
// temporary file until then, and takes the place of the old report whole.
package file

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// GitHub is the name of the report that is no file: annotations on the output.
const GitHub = "github"

// Reports are the reports of one command in the making: one sink for all of
// them. A report that cannot be made does not hold up the others; End tells.
type Reports struct {
	// Cells reports that rows are wanted with all that is known of them.
	Cells bool
	// Changes reports that what each update changes is wanted.
	Changes bool
	// Unwritten returns how the command ends where reports cannot be written, for those
	// that are completed after them. It may be nil.
	Unwritten func(error) finding.Exit
	reports   []report
}

// report is one of them.
type report struct {
	name string // of its file; empty where it has none
	what string // it is, where it is no report
	sink finding.Sink
	fail error
}

// kinds are the reports by the ending of their names.
var kinds = []struct {
	ending string
	cells  bool
	make   func(path string, config *Config) (finding.Sink, error)
}{
	{".html", true, htmlPage},
	{".xlsx", true, workbook},
	{".csv", false, kept(newCSV)},
	{".json", false, kept(NewJSON)},
	{".xml", false, kept(newJUnit)},
	{".md", false, kept(NewMarkdown)},
}

// Endings lists how the names of reports end.
func Endings() []string {
	endings := make([]string, len(kinds))
	for i, k := range kinds {
		endings[i] = k.ending
	}
	return endings
}

// Begin prepares the reports. Nothing is written before End. The error is
// of the kind [failure.Usage].
func Begin(names []string, config Config) (*Reports, error) {
	r := &Reports{}
	taken := slices.Concat(config.Inputs, config.Keep)
	for i, name := range names {
		if name == GitHub {
			if slices.Contains(names[:i], GitHub) {
				return nil, nameError(name, "it is asked for twice", "")
			}
			r.reports = append(r.reports, report{name: name, sink: newGitHub(config.Out)})
			continue
		}
		if other := sameFile(name, taken); other != "" {
			if sameFile(name, names[:i]) != "" {
				return nil, nameError(name, "two reports would go to this file", "give each report a name of its own")
			}
			return nil, nameError(name, "the report would take the place of "+other, "give the report a name of its own")
		}
		taken = append(taken, name)
		if err := r.begin(name, &config); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Reports) begin(name string, config *Config) error {
	if name == "" {
		return nameError("a report", "its name is empty", "give it one that ends in "+strings.Join(Endings(), ", "))
	}
	ending := strings.ToLower(filepath.Ext(name))
	for _, k := range kinds {
		if k.ending != ending {
			continue
		}
		sink, err := k.make(name, config)
		if err != nil {
			return err
		}
		r.Cells = r.Cells || k.cells
		r.Changes = r.Changes || k.cells || ending == ".json" || ending == ".md"
		r.reports = append(r.reports, report{name: name, sink: sink})
		return nil
	}
	return nameError(
		name, "the name does not say which report is wanted",
		"let it end in "+strings.Join(Endings(), ", ")+", or say "+GitHub+" for annotations on the output",
	)
}

// Add adds a sink that the command has chosen itself. What names it in an error.
func (r *Reports) Add(what string, sink finding.Sink) {
	r.reports = append(r.reports, report{what: what, sink: sink})
}

// Row passes a row on.
func (r *Reports) Row(row *finding.Row) {
	for _, one := range r.reports {
		one.sink.Row(row)
	}
}

// Problem passes a problem of a whole file on.
func (r *Reports) Problem(problem schema.Problem) {
	for _, one := range r.reports {
		one.sink.Problem(problem)
	}
}

// End completes the reports and returns which could not be written.
func (r *Reports) End(summary *finding.Summary) error {
	var failed []error
	for i := range r.reports {
		one := &r.reports[i]
		if one.fail = one.sink.End(summary); one.fail == nil {
			continue
		}
		failed = append(failed, fmt.Errorf("writing %s: %w", cmp.Or(one.what, "the report"), one.fail))
		if r.Unwritten != nil {
			summary.Exit = r.Unwritten(errors.Join(failed...))
		}
	}
	return errors.Join(failed...)
}

// Written lists the files that could be written, once End was called.
func (r *Reports) Written() []string {
	var names []string
	for _, one := range r.reports {
		if one.name != "" && one.name != GitHub && one.fail == nil {
			names = append(names, one.name)
		}
	}
	return names
}
