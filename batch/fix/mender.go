package fix

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"eventbatch/mapping"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// mender mends the rows of one sheet.
type mender struct {
	rules  *Rules
	book   *book
	source *mapping.Source
	feeds  []mapping.Feed
	file   *mapfile.File  // nil without a mapping
	zone   string         // of rows that name none
	order  datetime.Order // of dates, where that is said
	d1904  bool           // dates of the workbook count from 1904
	width  int            // columns, with those that are added
	action int            // column of the action, -1 where there is none yet
	fills  []fill
	fields map[int]*mapping.Feed // by column; a column may feed several fields

	// The row at hand.
	cells  []sheet.Cell
	result *mapping.Result
	edits  []Edit // at most one a column
}

// fill is a Fill with its columns in this sheet.
type fill struct {
	Fill
	feed *mapping.Feed
	adds bool // the column is not there yet
}

func newMender(rules *Rules, b *book, source *mapping.Source, feeds []mapping.Feed, config *mapping.Config, d1904 bool) (*mender, error) {
	m := &mender{
		rules: rules, book: b, source: source, feeds: feeds, file: config.Mapping, zone: config.Timezone, d1904: d1904,
		width: len(source.Header), action: -1, fields: map[int]*mapping.Feed{},
	}
	m.order, _ = datetime.ParseOrder(config.DateOrder) // has been looked at by the reading
	if config.Mapping != nil {
		m.zone = cmp.Or(m.zone, config.Mapping.Timezone.Default)
		if m.order == datetime.Unknown {
			m.order, _ = datetime.ParseOrder(config.Mapping.DateOrder)
		}
	}
	for i := range feeds {
		for _, column := range feeds[i].Columns {
			m.fields[column] = &feeds[i]
		}
	}
	return m, m.place()
}

// feedOf finds what feeds a field; nil where nothing does.
func (m *mender) feedOf(field *schema.Field) *mapping.Feed {
	i := slices.IndexFunc(m.feeds, func(feed mapping.Feed) bool { return feed.Field == field })
	if i < 0 {
		return nil
	}
	return &m.feeds[i]
}

// add gives the place of a new column to the right. There is none where a mapping says
// which columns are read.
func (m *mender) add() (column int, ok bool) {
	if m.file != nil && len(m.file.Columns) > 0 {
		return 0, false
	}
	m.width++
	return m.width - 1, true
}

// place finds the columns of what is to be filled, and gives a field without one a
// new column.
func (m *mender) place() error {
	for _, f := range m.rules.Fills {
		feed := m.feedOf(f.Field)
		switch column, ok := 0, false; {
		case feed != nil && feed.Worked:
			return &RuleError{
				"--fill: " + f.Field.Path + ": the mapping makes its value of other words or columns",
				"say in the mapping what blank cells stand for: default",
			}
		case feed != nil:
			m.fills = append(m.fills, fill{Fill: f, feed: feed})
		default:
			if column, ok = m.add(); !ok {
				return &RuleError{
					"--fill: " + f.Field.Path + ": the mapping reads no column for it",
					"add it to the mapping, by its value or as an expression",
				}
			}
			m.fills = append(m.fills, fill{Fill: f, feed: &mapping.Feed{Field: f.Field, Columns: []int{column}}, adds: true})
		}
	}
	return nil
}

// header gives the headers of new columns that are filled.
func (m *mender) header() []Edit {
	var edits []Edit
	for _, f := range m.fills {
		if f.adds {
			edits = append(edits, m.head(ruleFill, f.Field.Path, f.feed.Columns[0]))
		}
	}
	return edits
}

// head gives the header of a new column.
func (m *mender) head(rule, path string, column int) Edit {
	place := schema.Place{File: m.source.File, Sheet: m.source.Sheet, Row: m.source.HeaderRow, Column: column, Header: path}
	return Edit{Place: place, Field: path, Rule: rule, After: path, Cell: text(path)}
}

// skip gives a row the action SKIP, in a new column where the sheet has none.
func (m *mender) skip(cells []sheet.Cell, result *mapping.Result, reason string) ([]Edit, error) {
	m.cells, m.result, m.edits = cells, result, nil
	path := schema.FieldAction.Path()
	var edits []Edit
	if feed := m.feedOf(schema.FieldAction.Field()); feed != nil && m.action < 0 {
		if feed.Worked {
			return nil, &RuleError{
				"--dedupe: the mapping makes the action of other words or columns",
				"leave the rows out by hand, or with a filter in the mapping",
			}
		}
		m.action = feed.Columns[0]
	}
	if m.action < 0 {
		var ok bool
		if m.action, ok = m.add(); !ok {
			return nil, &RuleError{
				"--dedupe: the mapping reads no column for the action",
				"add action to the columns of the mapping, and to the file",
			}
		}
		edits = append(edits, m.head(ruleDedupe, path, m.action))
	}
	skip := schema.Skip.String()
	m.put(m.action, ruleDedupe, path, skip, text(skip))
	m.edits[0].Reason = reason
	return append(edits, m.edits...), nil
}

// row mends one row.
func (m *mender) row(cells []sheet.Cell, result *mapping.Result) []Edit {
	m.cells, m.result, m.edits = cells, result, nil
	if m.rules.Trim {
		m.trim()
	}
	for i := range m.feeds {
		f := &m.feeds[i]
		switch {
		case f.Worked:
		case f.Field.Kind == schema.Timestamp && m.rules.Dates != KeepDates:
			m.dates(f)
		case f.Field.Kind == schema.Slug:
			m.slug(f)
		case m.rules.Enums && (f.Field.Kind == schema.Enum || f.Field.Kind == schema.Bool || f.Field.Kind == schema.Verb):
			m.enum(f)
		}
	}
	if result.Skipped == "" && result.Draft.Action != schema.Cancel {
		for i := range m.fills {
			m.fill(&m.fills[i])
		}
	}
	slices.SortStableFunc(m.edits, func(a, b Edit) int { return a.Place.Column - b.Place.Column })
	return m.edits
}

// put records what a cell becomes. Two rules may mend the same cell: the second
// says what it becomes, and both are named. A cell that feeds two fields is mended by
// one rule twice.
func (m *mender) put(column int, rule, field, shown string, cell sheet.Out) {
	for i := range m.edits {
		if e := &m.edits[i]; e.Place.Column == column {
			if e.Rule != rule && !strings.HasSuffix(e.Rule, ", "+rule) {
				e.Rule += ", " + rule
			}
			e.Field, e.After, e.Cell = field, shown, cell
			return
		}
	}
	place := m.result.Draft.Place
	place.Column, place.Header = column, ""
	if column < len(m.source.Header) {
		place.Header = m.source.Header[column]
	} else {
		place.Header = field // of a new column
	}
	before := ""
	if column < len(m.result.Cells) {
		before = m.result.Cells[column]
	}
	m.edits = append(m.edits, Edit{Place: place, Field: field, Rule: rule, Before: strings.Clone(before), After: shown, Cell: cell})
}

func text(s string) sheet.Out {
	if s == "" {
		return sheet.Out{}
	}
	return sheet.Out{Kind: sheet.Text, Text: s}
}

// cell gives a cell of the row, blank where the row is shorter.
func (m *mender) cell(column int) sheet.Cell { return sheet.Row{Cells: m.cells}.Cell(column) }

// words gives the text of a cell without white space around it; not ok where it
// holds no text.
func (m *mender) words(column int) (string, bool) {
	c := m.cell(column)
	return trimmed(c.Text), c.Kind == sheet.Text
}

// trim takes white space away from around texts. Markdown is kept to the letter.
func (m *mender) trim() {
	for column := range m.cells {
		c := &m.cells[column]
		feed := m.fields[column]
		if c.Kind != sheet.Text || feed != nil && feed.Field.Kind == schema.Markdown {
			continue
		}
		if short := trimmed(c.Text); short != c.Text {
			path := ""
			if feed != nil {
				path = feed.Field.Path
			}
			m.put(column, ruleTrim, path, short, text(short))
		}
	}
}

// trimmed is text without white space, and what nobody sees, around it.
func trimmed(text string) string {
	return strings.TrimFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || r == '\ufeff' || r == '\u200b' || r == '\u2060'
	})
}

// wrong reports whether a cell has an error of that code; the empty code is any.
func (m *mender) wrong(column int, code schema.Code) bool {
	return slices.ContainsFunc(m.result.Problems, func(p schema.Problem) bool {
		return p.Severity == schema.Error && p.Place.Column == column && (code == "" || p.Code == code)
	})
}

// enum replaces a word that is not understood by the value that is meant.
func (m *mender) enum(f *mapping.Feed) {
	column := f.Columns[0]
	word, ok := m.words(column)
	if !ok || word == "" || strings.HasPrefix(word, "<") || !m.wrong(column, "") {
		return
	}
	if value := m.meant(f.Field, word); value != "" && value != word {
		m.put(column, ruleEnum, f.Field.Path, value, text(value))
	}
}

// meant gives the value that a word means, or nothing: a synonym, else one that is near.
func (m *mender) meant(field *schema.Field, word string) string {
	if m.rules.Meaning != nil && field.Kind != schema.Verb {
		if value, ok := m.rules.Meaning(field.ID, word); ok {
			return value
		}
	}
	if field.Kind == schema.Bool {
		return schema.Suggest(word, []string{"true", "false"})
	}
	return schema.Suggest(word, field.Values)
}

// slug makes a slug of a text that is none. Which slugs are taken is known when all
// rows have been seen.
func (m *mender) slug(f *mapping.Feed) {
	column := f.Columns[0]
	word, ok := m.words(column)
	if !ok || word == "" {
		return
	}
	if !m.wrong(column, schema.CodeBadSlug) {
		m.book.slugs[strings.Clone(word)] = true
		return
	}
	if !m.rules.Slugs {
		return
	}
	slug := schema.Slugify(word, schema.SlugMax)
	if len(slug) < schema.SlugMin {
		slug = schema.Slugify(m.result.Draft.Text(schema.FieldName), schema.SlugMax)
	}
	if len(slug) < schema.SlugMin {
		return
	}
	m.put(column, ruleSlug, f.Field.Path, slug, text(slug))
	m.book.wants = append(m.book.wants, want{m.result.Draft.Place.Row, column, m.source.Sheet, slug})
}
