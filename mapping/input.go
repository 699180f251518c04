package mapping

import (
	"context"
	"slices"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/match"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// input is one open file with the sheets of it that are read.
type input struct {
	options *options
	path    string
	called  string // where it was got from; empty for a file of the user's own
	file    *sheet.File
	names   []string // of the sheets
	left    []string // visible sheets that are not read, where nothing says which are
	whole   bool     // the sheets are chosen by their names, which are those of resources
	unread  []string // these, and hidden ones that would be read
	notices []schema.Problem
	bases   bases
	absent  *absence // nil where the file has no baselines of all its rows, or is not read whole
}

func open(ctx context.Context, o *options, path string) (*input, error) {
	so := o.sheetOptions()
	so.Name, so.Bytes = o.Names[path], o.Held[path]
	f, err := sheet.Open(ctx, path, so)
	if err != nil {
		return nil, err
	}
	in := &input{options: o, path: path, called: so.Name, file: f}
	if err := in.choose(o); err != nil {
		_ = f.Close() // the error that matters is already known
		return nil, err
	}
	in.passOver(ctx, o)
	return in, nil
}

// name returns the file's name in places.
func (in *input) name() string {
	switch {
	case in.called != "":
		return in.called
	case in.path == "-":
		return "stdin"
	}
	return in.path
}

// better names the first sheet that is not read and has a row like the header of events.
func (in *input) better(ctx context.Context) string {
	for _, name := range in.left {
		if match.NamesStart(in.header(ctx, name)) {
			return name
		}
	}
	return ""
}

// header returns the texts of the row of a sheet that looks most like a header; none where no row does.
func (in *input) header(ctx context.Context, name string) []string {
	head := in.head(ctx, name)
	at, _ := match.Header(head)
	if at < 0 {
		return nil
	}
	return match.HeaderTexts(&head[at], in.file.Date1904())
}

// head returns the rows of a sheet among which its header is, as far as they can be read.
func (in *input) head(ctx context.Context, name string) (head []sheet.Row) {
	again, err := in.file.Again(ctx)
	if err != nil {
		return nil
	}
	defer again.Close() // nothing was written to it
	for row, err := range again.Rows(ctx, name) {
		if err != nil || len(head) == sheet.HeaderRows {
			break
		}
		head = append(head, row)
	}
	return head
}

// feed reads all inputs and makes jobs of their rows.
func (r *Reading) feed(ctx context.Context, line *line) {
	f := &feeder{r: r, line: line, left: r.options.Limit}
	for _, in := range r.inputs {
		if !f.input(ctx, in) {
			return
		}
	}
	line.say(ctx, func() error {
		line.complete = true
		if f.wrong != nil {
			return &HeaderError{f.wrong}
		}
		return nil
	})
}

// feeder is the reader's side of the line.
type feeder struct {
	r       *Reading
	line    *line
	sources int
	left    int // rows that --limit still admits; 0: any number where there is no limit
	tables  map[string]*reshape.Table
	sieved  []*binding // of the sheets of which rows are left out or filled
	// wrong is what is said of headers that the rows below cannot be read by. The other
	// sheets are read all the same, for their own mistakes.
	wrong []schema.Problem
}

// input reads one file; false where the line has stopped.
func (f *feeder) input(ctx context.Context, in *input) bool {
	notices := in.notices
	if !f.note(ctx, notices) {
		return false
	}
	var err error
	var records map[string]baseline.Record
	if in.bases, records, err = basesOf(ctx, in.file); err != nil {
		f.line.say(ctx, func() error { return err })
		return false
	}
	if o := f.r.options; len(records) > 0 && o.Limit == 0 && len(o.Rows) == 0 && o.Sheet == "" && len(in.unread) == 0 {
		in.absent = &absence{records: records, read: map[string]bool{}}
	}
	for _, name := range in.names {
		if !f.sheet(ctx, in, name) {
			return false
		}
	}
	sum, file := in.file.SHA256(), in.name()
	notes := f.notes(in)
	notes = slices.DeleteFunc(notes, func(p schema.Problem) bool {
		// The rows say the one themselves, and know the header; the other is decided.
		m := in.options.mapping
		return p.Code == schema.CodeRaggedRow ||
			m != nil && (p.Code == schema.CodeHiddenRows && m.Hidden != "" || p.Code == schema.CodeStruckRows && m.Struck != "")
	})
	return f.line.say(ctx, func() error {
		for i := range f.r.sheets {
			if f.r.sheets[i].File == file {
				f.r.sheets[i].SHA256 = sum
			}
		}
		f.r.problems = append(f.r.problems, notes...)
		if in.absent != nil {
			f.r.problems = append(f.r.problems, in.absent.problems(file)...)
		}
		return nil
	})
}

// sheet reads one sheet; false where the line has stopped.
func (f *feeder) sheet(ctx context.Context, in *input, name string) bool {
	var held []*sheet.Batch // until the header is found
	var rows *sheetFeeder
	n := 0
	begin := func() bool {
		rows = f.begin(ctx, in, name, held)
		return rows != nil && rows.jobs(ctx, held)
	}
	for batch, err := range in.file.Batches(ctx, name) {
		if err != nil {
			if rows == nil && len(held) > 0 && !begin() && rows != nil {
				return false
			}
			f.line.say(ctx, func() error { return err })
			return false
		}
		if rows != nil {
			if !rows.rows(ctx, batch, batch.Rows) {
				return false
			}
			continue
		}
		held = append(held, batch)
		if n += len(batch.Rows); n >= max(sheet.HeaderRows, in.options.HeaderRow) && !begin() {
			return rows == nil && ctx.Err() == nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return false
	case rows == nil && n == 0 && in.whole && (f.sources > 0 || f.wrong != nil || name != in.names[len(in.names)-1]):
		return true // nothing is asked of this resource
	case rows == nil && !begin():
		return rows == nil && ctx.Err() == nil
	}
	return rows.b.sieve == nil || rows.leftOut(ctx)
}

// begin finds the header among the rows held and binds the mapping to it. It gives
// nil where the rows cannot be read; why is kept, or the merge has been told.
func (f *feeder) begin(ctx context.Context, in *input, name string, held []*sheet.Batch) *sheetFeeder {
	o, err := in.options.forSheet(name)
	if err != nil {
		f.line.say(ctx, func() error { return err })
		return nil
	}
	b := &binding{source: f.sources, absent: in.absent, feeds: feeds{bases: in.bases}}
	b.columns = columns{file: in.name(), sheet: name, d1904: in.file.Date1904()}
	header, above, problem := findHeaderRow(held, o, b.d1904)
	if problem != nil {
		problem.Place.File, problem.Place.Sheet = b.file, name
		if other := in.better(ctx); other != "" {
			problem.Hint = "the sheet " + quoted(other) +
				" looks like one of events: say --sheet, or have eventbatch map propose a mapping for it"
		}
		f.wrong = append(f.wrong, *problem)
		return nil
	}
	b.header = match.HeaderTexts(header, b.d1904)
	place := schema.Place{File: b.file, Sheet: name, Row: header.Number, Line: header.Line, Column: -1}
	o, preset, told := o.forHeader(b.header, place, in.file.OwnColumns())
	b, problems := bind(o, b, place)
	problems = append(told, problems...)
	b.dates.first = header.Number + 1
	if b.sieve != nil {
		b.sieve.Title(rowAbove(held, header.Number), name)
	}
	b.expected = f.expected(in, held)
	b.dates.look(held)
	b.dates.open = in.file.Again
	if above != nil {
		above.Place.File, above.Place.Sheet = b.file, name
		problems = append([]schema.Problem{*above}, problems...)
	}
	if slices.ContainsFunc(problems, func(p schema.Problem) bool { return p.Severity == schema.Error }) {
		f.wrong = append(f.wrong, problems...)
		return nil
	}
	f.sources++
	rows := &sheetFeeder{feeder: f, in: in, b: b}
	source := Source{
		File: b.file, Sheet: name, Header: b.header[:b.width:b.width], HeaderRow: header.Number, Date1904: b.d1904, Preset: preset,
	}
	if !f.line.say(ctx, func() error {
		f.r.sheets, f.r.bindings = append(f.r.sheets, source), append(f.r.bindings, b)
		if b.absent != nil {
			b.absent.read[b.options.Resource.Name] = true
		}
		f.r.problems = append(f.r.problems, problems...)
		return nil
	}) || !rows.reshaped(ctx) || !rows.ofSeveral(ctx) {
		return nil
	}
	return rows
}

// rowAbove returns the last row before another; nil where there is none.
func rowAbove(held []*sheet.Batch, number int) (above *sheet.Row) {
	for _, batch := range held {
		for i := range batch.Rows {
			if batch.Rows[i].Number < number {
				above = &batch.Rows[i]
			}
		}
	}
	return above
}

// expected estimates how many rows are going to be taken.
func (f *feeder) expected(in *input, held []*sheet.Batch) int {
	o := f.r.options
	if len(held) == 0 || len(o.Rows) > 0 {
		return 0
	}
	n := in.file.RowsLike(held[len(held)-1].Rows)
	if o.Limit > 0 {
		n = min(n, f.left)
	}
	return n
}
