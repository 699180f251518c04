package file

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"eventbatch/batch/report/finding"
	"eventbatch/batch/report/page"
	"eventbatch/mapping/annotate"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// htmlPage makes the report page.
func htmlPage(path string, config *Config) (finding.Sink, error) {
	return kept(func(w io.Writer, _ string) finding.Sink { return page.New(w, config.Page) })(path, config)
}

// workbook makes the annotated copy of the input.
func workbook(path string, config *Config) (finding.Sink, error) {
	switch {
	case len(config.Inputs) != 1:
		return nil, nameError(
			path, "a workbook is the copy of one file, and there are several",
			"give the files one by one, or write .csv or .html",
		)
	case config.Inputs[0] == "-":
		return nil, nameError(
			path, "a workbook is the copy of a file, and standard input is none",
			"save it to a file first, or write .csv or .html",
		)
	case !sheet.Markable(context.Background(), config.Inputs[0], config.Read):
		return nil, nameError(config.Inputs[0], annotate.Unmarked, annotate.UnmarkedHint)
	}
	return &workbookReport{path: path, input: config.Inputs[0], read: config.Read, until: config.Until}, nil
}

// workbookReport gathers what is shown in the user's own workbook.
type workbookReport struct {
	path, input string
	read        sheet.Options
	until       context.Context
	verdicts    [][]rowVerdict // by source
	problems    []schema.Problem
}

// Remark returns a sink that marks a workbook in its own place, instead of the marks that
// are in it.
func Remark(path string, read sheet.Options) finding.Sink {
	return &remarking{workbookReport{path: path, input: path, read: read}}
}

type remarking struct{ workbookReport }

func (r *remarking) End(s *finding.Summary) error {
	folder, err := os.MkdirTemp(filepath.Dir(r.input), ".eventbatch-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // nothing is in it but the copy
	r.path = filepath.Join(folder, filepath.Base(r.input))
	if err := r.workbookReport.End(s); err != nil {
		return err
	}
	return os.Rename(r.path, r.input)
}

// rowVerdict is what is said of a row in the column of verdicts.
type rowVerdict struct {
	row  int
	text string
}

func (r *workbookReport) Row(row *finding.Row) {
	for len(r.verdicts) <= row.Source {
		r.verdicts = append(r.verdicts, nil)
	}
	if !row.Missing {
		r.verdicts[row.Source] = append(r.verdicts[row.Source], rowVerdict{row.Number, rowWords(row)})
	}
	for i := range row.Problems {
		r.Problem(row.Problems[i])
	}
}

// Problem keeps a problem, but not the text of the file that its value is cut from.
func (r *workbookReport) Problem(p schema.Problem) {
	p.Value = strings.Clone(p.Value)
	r.problems = append(r.problems, p)
}

// End writes the copy. An interruption of what it is about is none of its own, unless it is to end with it.
func (r *workbookReport) End(s *finding.Summary) error {
	copied := annotate.Config{Source: r.input, Options: r.read, Out: r.path, Problems: r.problems}
	for i, source := range s.Sources {
		marked := annotate.Sheet{
			Name: source.Sheet, Header: source.Header, HeaderRow: source.Row, Marks: annotate.MarksOf(source.Sheet, r.problems),
		}
		if i < len(r.verdicts) {
			marked.Verdicts = eachVerdict(withLeftOut(r.verdicts[i], source.LeftOut))
		}
		copied.SHA256 = source.SHA256
		copied.Sheets = append(copied.Sheets, marked)
	}
	if r.until == nil {
		return annotate.Copy(context.Background(), copied)
	}
	if err := annotate.Copy(r.until, copied); r.until.Err() == nil || err == nil {
		return err
	}
	return fmt.Errorf("there is no marked copy: %w", context.Cause(r.until))
}

// withLeftOut adds the verdicts on the rows that are no events, and puts all in their order.
func withLeftOut(verdicts []rowVerdict, rows map[string][]int) []rowVerdict {
	for kind, numbers := range rows {
		for _, n := range numbers {
			verdicts = append(verdicts, rowVerdict{n, kind + ", left out"})
		}
	}
	slices.SortStableFunc(verdicts, func(a, b rowVerdict) int { return cmp.Compare(a.row, b.row) }) // an undo comes in another order
	return verdicts
}

func eachVerdict(verdicts []rowVerdict) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, v := range verdicts {
			if !yield(v.row, v.text) {
				return
			}
		}
	}
}

// rowWords says in a few words what the row came to.
func rowWords(row *finding.Row) string {
	switch {
	case row.Status == finding.Invalid:
		return cmp.Or(problemWords(row.Problems, schema.Error), row.Reason)
	case row.Action == "skip" && row.Status == finding.Valid:
		return strings.TrimSuffix("left out: "+row.Reason, ": ")
	case row.Status == finding.Valid:
		if words := problemWords(row.Problems, schema.Warning); words != "" {
			return "ok, but " + words
		}
		return "ok"
	case row.Told != "" && !row.Status.Bad():
		return row.Status.Words() + ": " + row.Told
	case !row.Status.Bad() || row.Why() == "":
		return row.Status.Words()
	case row.Told != "":
		return row.Status.Words() + ": " + row.Why() + "; " + row.Told
	}
	return row.Status.Words() + ": " + row.Why()
}

// problemWords says the first problem of a severity in full, with its column, and how many
// there are besides.
func problemWords(problems []schema.Problem, severity schema.Severity) (words string) {
	more := -1
	for i := range problems {
		p := &problems[i]
		if p.Severity != severity {
			continue
		}
		if more++; more > 0 {
			continue
		}
		words = p.Message
		if p.Value != "" && utf8.RuneCountInString(p.Value) <= longestQuoted && !strings.Contains(words, p.Value) {
			words = strconv.Quote(p.Value) + ": " + words
		}
		if p.Place.Header != "" {
			words = p.Place.Header + ": " + words
		}
	}
	if more > 0 {
		words += ", and " + strconv.Itoa(more) + " more"
	}
	return words
}

// longestQuoted is the longest value that is shown beside the words for it.
const longestQuoted = 40
