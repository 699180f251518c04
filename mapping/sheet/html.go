package sheet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	pages "golang.org/x/net/html/charset"

	"eventbatch/mapping/schema"
)

// mostHTMLCells bounds the cells of a page, which is held in memory as a whole.
const mostHTMLCells = 4 << 20

// htmlSource is a page with its tables as sheets, read whole when it is opened. A table that
// only lays out the page is none.
type htmlSource struct {
	in     *input
	chars  charset
	tables []*htmlTable
}

// beginsHTML reports whether a file begins as a page does, or with a table alone.
func beginsHTML(start []byte) bool {
	start = afterProlog(start)
	return slices.ContainsFunc([]string{"<!doctype html", "<html", "<head", "<meta", "<body", "<table"}, func(prefix string) bool {
		return hasPrefixFold(start, prefix)
	})
}

func openHTML(ctx context.Context, in *input, o Options) (source, error) {
	chars, err := findCharset(in, pageCharset(in, o.Encoding), proven)
	if err != nil {
		return nil, err
	}
	text, end, err := in.text(chars)
	if err != nil {
		return nil, err
	}
	defer end()
	s := &htmlSource{in: in, chars: chars}
	r := &htmlReader{
		limits: o.Limits, place: schema.Place{File: in.name, Column: -1}, tokens: html.NewTokenizer(text), names: map[string]bool{},
	}
	fill(&r.limits.Rows, 1<<20)
	r.tokens.SetMaxBuf(o.Limits.RowBytes)
	if err := r.read(ctx); err != nil {
		if bad, ok := errors.AsType[*badText](err); ok {
			err = refuse(bad.code, r.place, bad.hint, "%s", bad.message)
		}
		if errors.Is(err, html.ErrBufferExceeded) {
			err = refuse(schema.CodeTooLongRow, r.place, htmlHint, "a text of more than %d bytes", o.Limits.RowBytes)
		}
		return nil, err
	}
	if s.tables = r.tables; len(s.tables) == 0 {
		return nil, in.refuse(schema.CodeMissingPart,
			"a table of the page needs two rows and two columns at least", "the page has no table")
	}
	return s, nil
}

const htmlHint = "open it in a spreadsheet and save it as .xlsx"

// pageCharset returns the encoding that is asked for, else what the page says of itself.
func pageCharset(in *input, asked string) string {
	if asked != "" || bytes.HasPrefix(in.head, []byte(utf8BOM)) {
		return asked
	}
	head := bytes.ToLower(in.head[:min(len(in.head), 1024)]) // where it has to be said
	head = bytes.Map(func(r rune) rune { return min(r, unicode.MaxASCII) }, head)
	if _, name, _ := pages.DetermineEncoding(head, ""); bytes.Contains(head, []byte("charset")) && !strings.HasPrefix(name, "utf-16") {
		return name
	}
	return ""
}

func (s *htmlSource) sheets() []Info {
	all := make([]Info, len(s.tables))
	for i, t := range s.tables {
		all[i].Name = t.name
	}
	return all
}

func (s *htmlSource) notes() []schema.Problem {
	var all []schema.Problem
	if s.chars.note != nil {
		all = append(all, *s.chars.note)
	}
	for _, t := range s.tables {
		if t.read {
			all = append(all, t.seen.notes(s.in.name, t.name)...)
		}
	}
	return all
}

func (s *htmlSource) date1904() bool          { return false }
func (s *htmlSource) ownSheet(string) string  { return "" }
func (s *htmlSource) merges(n string) []Merge { return s.find(n).seen.merged }

func (s *htmlSource) hiddenColumns(name string) []int {
	t := s.find(name)
	return slices.DeleteFunc(slices.Clone(t.unseen), func(column int) bool { return column >= t.width })
}

func (s *htmlSource) find(name string) *htmlTable {
	for _, t := range s.tables {
		if t.name == name {
			return t
		}
	}
	return &htmlTable{}
}

func (s *htmlSource) batches(ctx context.Context, sheet string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		t := s.find(sheet)
		for rows := range slices.Chunk(t.rows, batchRows) {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&Batch{Rows: slices.Clone(rows)}, nil) {
				return
			}
		}
		t.read = true
	}
}

// htmlReader finds the tables of a page. It reads tag by tag, as end tags of rows and cells may
// be left away: what begins ends what cannot hold it.
type htmlReader struct {
	tokens *html.Tokenizer
	limits Limits
	place  schema.Place
	open   []*htmlTable // that are not at their end; the last is the innermost
	tables []*htmlTable
	names  map[string]bool // of tables
	cells  int             // of all tables
}

func (r *htmlReader) read(ctx context.Context) error {
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch r.tokens.Next() {
		case html.ErrorToken:
			if err := r.tokens.Err(); err != io.EOF {
				return err
			}
			for len(r.open) > 0 {
				if err := r.endTable(); err != nil {
					return err
				}
			}
			slices.SortStableFunc(r.tables, func(a, b *htmlTable) int { return a.index - b.index })
			r.name()
			return nil
		case html.TextToken:
			if t := r.table(); t != nil && t.aside == 0 {
				t.text(r.tokens.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if err := r.start(r.tokens.Token()); err != nil {
				return err
			}
		case html.EndTagToken:
			name, _ := r.tokens.TagName()
			if err := r.end(atom.Lookup(name)); err != nil {
				return err
			}
		}
	}
}

// table returns the innermost table, nil outside of all.
func (r *htmlReader) table() *htmlTable {
	if len(r.open) == 0 {
		return nil
	}
	return r.open[len(r.open)-1]
}

const mostNested = 64

// start takes in the beginning of an element.
func (r *htmlReader) start(tag html.Token) error {
	t := r.table()
	if tag.DataAtom == atom.Table {
		if len(r.open) == mostNested {
			return refuse(schema.CodeUnsupportedFeature, r.place, htmlHint, "tables in each other, more than %d deep", mostNested)
		}
		r.cells++ // each stands for something
		r.open = append(r.open, &htmlTable{index: r.cells})
		return nil
	}
	if t == nil {
		return nil
	}
	switch tag.DataAtom {
	case atom.Tr:
		if err := r.endRow(); err != nil {
			return err
		}
		t.begin(hides(tag))
	case atom.Td, atom.Th:
		if err := r.endCell(); err != nil {
			return err
		}
		return r.cell(t, tag)
	case atom.Style, atom.Script, atom.Title, atom.Template, atom.Textarea, atom.Select:
		if tag.Type == html.StartTagToken {
			t.aside++
		}
	case atom.Caption:
		t.captioned = true
	case atom.Del, atom.S, atom.Strike:
		t.striking++
	case atom.Br, atom.P, atom.Div, atom.Li, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol:
		t.block()
	case atom.Tbody, atom.Thead, atom.Tfoot:
		return r.endRow()
	}
	return nil
}

// end takes in the end of an element.
func (r *htmlReader) end(name atom.Atom) error {
	t := r.table()
	if t == nil {
		return nil
	}
	switch name {
	case atom.Table:
		return r.endTable()
	case atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot:
		return r.endRow()
	case atom.Td, atom.Th:
		return r.endCell()
	case atom.Style, atom.Script, atom.Title, atom.Template, atom.Textarea, atom.Select:
		t.aside = max(t.aside-1, 0)
	case atom.Caption:
		t.captioned = false
	case atom.Del, atom.S, atom.Strike:
		t.striking = max(t.striking-1, 0)
	case atom.P, atom.Div, atom.Li, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol:
		t.block()
	}
	return nil
}

// cell begins a cell.
func (r *htmlReader) cell(t *htmlTable, tag html.Token) error {
	if !t.inRow {
		t.begin(false)
	}
	place := r.place
	place.Row = t.row
	if t.row > r.limits.Rows {
		return refuse(schema.CodeTooManyRows, place, htmlHint, "the table has more than %d rows", r.limits.Rows)
	}
	right, down := span(tag, "colspan", 1000), span(tag, "rowspan", 65534)
	t.column = t.free(t.row, t.column)
	place.Column = t.column
	if t.column+right > r.limits.Columns {
		return refuse(schema.CodeTooManyColumns, place, htmlHint, "more than %d columns", r.limits.Columns)
	}
	if r.cells += t.column - len(t.cells) + 1; r.cells > mostHTMLCells {
		return refuse(schema.CodeTooManyRows, place, htmlHint, "the page has more than %d cells", mostHTMLCells)
	}
	t.take(t.row, t.column, right, down)
	if hides(tag) && !slices.Contains(t.unseen, t.column) {
		t.unseen = append(t.unseen, t.column)
	}
	t.inCell, t.next, t.striking, t.letters, t.lined = true, t.column+right, 0, 0, 0
	if style := attr(tag, "style"); strings.Contains(style, "line-through") {
		t.striking = 1
	}
	return nil
}

// endCell ends the cell at hand, if there is one.
func (r *htmlReader) endCell() error {
	t := r.table()
	if !t.inCell {
		return nil
	}
	text := t.taken()
	if len(text) > r.limits.CellBytes {
		place := r.place
		place.Row, place.Column = t.row, t.column
		return refuse(schema.CodeTooLongCell, place, htmlHint, "a text of more than %d bytes", r.limits.CellBytes)
	}
	t.end(text)
	return nil
}

func (r *htmlReader) endRow() error {
	if err := r.endCell(); err != nil {
		return err
	}
	r.table().endRow()
	return nil
}

// endTable ends the innermost table: what only lays out a page gives its text to the cell around.
func (r *htmlReader) endTable() error {
	if err := r.endRow(); err != nil {
		return err
	}
	t := r.table()
	r.open = r.open[:len(r.open)-1]
	if t.complete() {
		r.tables = append(r.tables, t)
		return nil
	}
	if outer := r.table(); outer != nil {
		for _, row := range t.rows {
			outer.block()
			for _, cell := range row.Cells {
				outer.text([]byte(cell.Text))
				outer.text([]byte(" "))
			}
		}
		outer.block()
	}
	return nil
}

// name gives each table the name that its caption says, else its number.
func (r *htmlReader) name() {
	for i, t := range r.tables {
		name := strings.Join(strings.Fields(t.caption.String()), " ")
		if n := fmt.Sprintf("Table %d", i+1); name == "" || r.names[name] {
			name = n
		}
		for r.names[name] {
			name += " "
		}
		t.name, r.names[name] = name, true
	}
}
