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
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/report/finding"
	"eventbatch/batch/report/page"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// GitHub is the name of the report that is no file: annotations on the output.
const GitHub = "github"

// Config is what the reports of one command share.
type Config struct {
	Command string    // that they are of: check, or the one that made the run
	Inputs  []string  // the files that it is about
	Keep    []string  // other files that no report may take the place of
	Out     io.Writer // where annotations go
	// Read opens the input anew, for a report that is made of it.
	Read sheet.Options
	Page page.Options
	// Until ends the making of a marked copy, which takes longer than what it is about; nil: nothing does.
	Until context.Context
}

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

// nameError returns why a report cannot be written under a name.
func nameError(name, reason, advice string) error {
	return failure.New(failure.Usage, errors.New(name+": "+reason), advice)
}

// kinds are the reports by the ending of their names.
var kinds = []struct {
	ending string
	cells  bool
	make   func(path string, config *Config) (finding.Sink, error)
}{
	{".html", true, htmlPage},
	{".xlsx", true, workbook},
	{".csv", false, kept(NewCSV)},
	{".json", false, kept(NewJSON)},
	{".xml", false, kept(NewJUnit)},
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
			r.reports = append(r.reports, report{name: name, sink: NewGitHub(config.Out)})
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

// sameFile gives the one of the paths that means the same file, or nothing.
func sameFile(path string, paths []string) string {
	info, err := os.Stat(path)
	for _, other := range paths {
		if filepath.Clean(other) == filepath.Clean(path) {
			return other
		}
		if known, failed := os.Stat(other); err == nil && failed == nil && info.Mode().IsRegular() && os.SameFile(info, known) {
			return other
		}
	}
	return ""
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

// kept makes the report of a sink that writes as it goes: what it wrote takes
// the place of the file at the end, whole.
func kept(begin func(io.Writer, string) finding.Sink) func(string, *Config) (finding.Sink, error) {
	return func(path string, config *Config) (finding.Sink, error) {
		r := &replacing{path: path}
		r.Sink = begin(r, config.Command)
		return r, nil
	}
}

// replacing keeps what a sink writes in a temporary file until its end.
type replacing struct {
	finding.Sink
	path string
	text *own.Temp // nil before the first byte
	out  *bufio.Writer
}

func (r *replacing) Write(text []byte) (int, error) {
	if r.text == nil {
		file, err := own.NewTemp("report")
		if err != nil {
			return 0, err
		}
		r.text, r.out = file, bufio.NewWriter(file)
	}
	return r.out.Write(text)
}

// reportMode is for its owner's eyes: a report holds rows of people's files.
const reportMode = 0o600

// End puts the whole report in place.
func (r *replacing) End(summary *finding.Summary) error {
	err := r.Sink.End(summary)
	if r.text == nil {
		return err
	}
	defer r.text.Close() // it has been copied
	if err == nil {
		err = r.out.Flush()
	}
	if err == nil {
		_, err = r.text.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	return durable.Replace(r.path, reportMode, func(w io.Writer) error {
		_, err := io.Copy(w, r.text)
		return err
	})
}
