package fix

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// sheetFixer knows where the rules find and put what they need in one sheet.
type sheetFixer struct {
	Sheet
	rules  *Rules
	slugs  map[string]bool
	width  int // columns, with those that are added
	action int // column of the action, -1 where there is none yet
	place  int // column of the place, likewise
	fills  []fill
	fields map[int]*Columns // by column; a column may feed several fields
}

// fill is a Fill with its columns in this sheet.
type fill struct {
	Fill
	columns *Columns
	adds    bool // the column is not there yet
}

func newSheetFixer(rules *Rules, slugs map[string]bool, sheet Sheet) (*sheetFixer, error) {
	s := &sheetFixer{Sheet: sheet, rules: rules, slugs: slugs, width: len(sheet.Header), action: -1, place: -1, fields: map[int]*Columns{}}
	for i := range s.Columns {
		for _, column := range s.Columns[i].At {
			s.fields[column] = &s.Columns[i]
		}
	}
	for _, f := range rules.Fills {
		columns := s.of(f.Field)
		if columns != nil && columns.Worked {
			return nil, failure.New(
				failure.Usage, errors.New("--fill: "+f.Field.Path+": the mapping makes its value of other words or columns"),
				"say in the mapping what blank cells stand for: default",
			)
		}
		if columns != nil {
			s.fills = append(s.fills, fill{Fill: f, columns: columns})
			continue
		}
		column, ok := s.add()
		if !ok {
			return nil, failure.New(
				failure.Usage, errors.New("--fill: "+f.Field.Path+": the mapping reads no column for it"),
				"add it to the mapping, by its value or as an expression",
			)
		}
		s.fills = append(s.fills, fill{Fill: f, columns: &Columns{Field: f.Field, At: []int{column}}, adds: true})
	}
	return s, nil
}

// of returns the columns that feed a field; nil where none does.
func (s *sheetFixer) of(field *schema.Field) *Columns {
	i := slices.IndexFunc(s.Columns, func(c Columns) bool { return c.Field == field })
	if i < 0 {
		return nil
	}
	return &s.Columns[i]
}

// add returns the place of a new column to the right. There is none where a mapping says
// which columns are read.
func (s *sheetFixer) add() (column int, ok bool) {
	if s.Closed {
		return 0, false
	}
	s.width++
	return s.width - 1, true
}

// head returns the header of a new column.
func (s *sheetFixer) head(rule, path string, column int) Edit {
	place := schema.Place{File: s.File, Sheet: s.Name, Row: s.HeaderRow, Column: column, Header: path}
	return Edit{Place: place, Field: path, Rule: rule, After: path, Cell: sheet.TextOut(path)}
}

// rowFixer mends one row.
type rowFixer struct {
	*sheetFixer
	Row
	edits []Edit // at most one a column, and one for a new header
	left  []Left
}

// skip gives the row the action SKIP, in a new column where the sheet has none.
func (r *rowFixer) skip(reason string) error {
	path := catalog.Path(schema.FieldAction)
	var edits []Edit
	if r.action < 0 {
		column, adds, err := r.Action()
		if err != nil {
			return fmt.Errorf("--dedupe: %w", err)
		}
		if r.action = column; adds {
			r.action, _ = r.add() // behind the columns of fills
			edits = append(edits, r.head(ruleDedupe, path, r.action))
		}
	}
	skip := schema.Skip.String()
	r.put(r.action, ruleDedupe, path, skip, sheet.TextOut(skip))
	r.edits[0].Reason = reason
	r.edits = append(edits, r.edits...)
	return nil
}

// Action returns the column in which a row says what it does, and whether that is a new one to the right. The error is of
// the kind [failure.Usage].
func (s *Sheet) Action() (column int, adds bool, err error) {
	i := slices.IndexFunc(s.Columns, func(c Columns) bool { return c.Field.ID == schema.FieldAction })
	switch {
	case i >= 0 && s.Columns[i].Worked:
		return 0, false, failure.New(
			failure.Usage, errors.New("the mapping makes the action of other words or columns"),
			"leave the rows out by hand, or with a filter in the mapping",
		)
	case i >= 0:
		return s.Columns[i].At[0], false, nil
	case s.Closed:
		return 0, false, failure.New(
			failure.Usage, errors.New("the mapping reads no column for the action"),
			"add action to the columns of the mapping, and to the file",
		)
	}
	return len(s.Header), true, nil
}

// put records what a cell becomes. Two rules may mend the same cell: the second
// says what it becomes, and both are named. A cell that feeds two fields is mended by
// one rule twice.
func (r *rowFixer) put(column int, rule, field, shown string, cell sheet.Out) {
	for i := range r.edits {
		if e := &r.edits[i]; e.Place.Column == column {
			if e.Rule != rule && !strings.HasSuffix(e.Rule, ", "+rule) {
				e.Rule += ", " + rule
			}
			e.Field, e.After, e.Cell = field, shown, cell
			return
		}
	}
	place := r.Draft.Place
	place.Column, place.Header = column, ""
	if column < len(r.Header) {
		place.Header = r.Header[column]
	} else {
		place.Header = field // of a new column
	}
	before := ""
	if column < len(r.Shown) {
		before = r.Shown[column]
	}
	r.edits = append(r.edits, Edit{Place: place, Field: field, Rule: rule, Before: strings.Clone(before), After: shown, Cell: cell})
}

// leave records that a cell stays as it is.
func (r *rowFixer) leave(column int, reason string) {
	place := r.Draft.Place
	place.Column, place.Header = column, r.Header[column]
	r.left = append(r.left, Left{place, reason})
}

// cell gives a cell of the row, blank where the row is shorter.
func (r *rowFixer) cell(column int) sheet.Cell { return sheet.Row{Cells: r.Cells}.Cell(column) }

// words gives the text of a cell without white space around it; not ok where it
// holds no text.
func (r *rowFixer) words(column int) (string, bool) {
	c := r.cell(column)
	return trimmed(c.Text), c.Kind == sheet.Text
}

// trim takes white space away from around texts. Markdown is kept to the letter.
func (r *rowFixer) trim() {
	for column := range r.Cells {
		c := &r.Cells[column]
		feeds := r.fields[column]
		if c.Kind != sheet.Text || feeds != nil && feeds.Field.Kind == schema.Markdown {
			continue
		}
		if short := trimmed(c.Text); short != c.Text {
			path := ""
			if feeds != nil {
				path = feeds.Field.Path
			}
			r.put(column, ruleTrim, path, short, sheet.TextOut(short))
		}
	}
}

// trimmed is text without white space, and what nobody sees, around it.
func trimmed(text string) string {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' || r == '\u2060'
	})
}

// proposed returns the problem of a cell that comes with what it should hold; nil where none does.
func (r *rowFixer) proposed(column int) *schema.Problem {
	i := slices.IndexFunc(r.Problems, func(p schema.Problem) bool { return p.Proposal != "" && p.Place.Column == column })
	if i < 0 {
		return nil
	}
	return &r.Problems[i]
}

// take has a cell hold what is proposed for it.
func (r *rowFixer) take(f *Columns, rule string) {
	if p := r.proposed(f.At[0]); p != nil {
		r.put(f.At[0], rule, f.Field.Path, p.Proposal, sheet.TextOut(p.Proposal))
	}
}

// slug makes a slug of a text that is none. Which slugs are taken is known when all
// rows have been seen.
func (r *rowFixer) slug(f *Columns) {
	if word, ok := r.words(f.At[0]); ok && word != "" && !r.wrong(f.At[0], schema.CodeBadSlug) {
		r.slugs[strings.Clone(word)] = true
	}
	if r.rules.Slugs {
		r.take(f, ruleSlug)
	}
}

// wrong reports whether a cell has an error of that code.
func (r *rowFixer) wrong(column int, code schema.Code) bool {
	return slices.ContainsFunc(r.Problems, func(p schema.Problem) bool { return p.Place.Column == column && p.Code == code })
}
