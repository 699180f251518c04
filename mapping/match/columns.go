package match

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reshape"
	"eventbatch/mapping/sheet"
)

// The bounds of what is kept of a column, however long the file is.
const (
	sampleCells  = 3000    // that are looked at
	sampleRows   = 200     // that are kept whole
	mostDistinct = 40      // different values, to see whether a column is a choice
	mostRows     = 1 << 20 // of which it is kept whether they have a cell
	mostHashes   = 100_000 // cells that are compared, to see whether they name rows
)

// Columns gathers what the cells of a file's columns are like, a row at a time.
// Its memory does not grow with the file. It belongs to one goroutine.
type Columns struct {
	date1904 bool
	rows     int
	columns  []column
	sample   [][]string // the first rows, as a person would read them
	beyond   []int      // columns behind the header that have cells
	weekdays []int      // columns that may name the day of the week of the dates
	seed     maphash.Seed
	month    monthGrid
	rowKinds
}

// column is what is known of one column.
type column struct {
	index  int
	header string
	twice  bool // another column has the same header, so that a mapping cannot name it
	filled int
	has    rowBits // the rows that have a cell here
	profile
	values
	shapes
	uniqueness
	dateOrder
	days    map[string]string // the day of the week that another column says of a date
	seasons *seasons          // nil where no cell is a date without a year
	whole   datetime.Moment   // the last date that has one
	behind  int               // its year, where a date without one below it would be earlier in that; else 0
}

// profile is what the cells look like, as far as they were looked at.
type profile struct {
	looked   int
	counts   [valueTypes]int
	letters  int
	halves   bool // some say in which half of the day they are
	clock    datetime.Clock
	least    int // of the numbers, down to a whole one; the greatest up to one
	greatest int
}

// values are the different texts of the cells.
type values struct {
	distinct []string // in the order of the file
	times    map[string]int
	many     bool // more than are kept
	examples []string
	stated   []string // of those that are not kept, which say what becomes of a row
}

// uniqueness is whether the cells could name the rows.
type uniqueness struct {
	hashes   map[uint64]struct{}
	repeated string // a value that stands in two rows
	counted  bool   // 1, 2, 3: the rows are numbered
}

// dateOrder is what the cells say of the order of day and month.
type dateOrder struct {
	day, month proof
	ordered    int    // dates that need an order
	orders     string // one of them
	between    string // the separators of those dates
	proven     string // those of the dates that prove an order
}

// proof is the first cell that proves an order of dates.
type proof struct {
	row  int
	text string
}

// NewColumns makes room for the columns of a header. The serial dates of a
// workbook count from 1904 or 1900.
func NewColumns(header []string, date1904 bool) *Columns {
	c := &Columns{
		date1904: date1904, columns: make([]column, len(header)), seed: maphash.MakeSeed(), rowKinds: newRowKinds(header),
		month: newMonthGrid(header),
	}
	times := map[string]int{}
	for _, h := range header {
		times[h]++
	}
	for i, h := range header {
		if NamesDays(h) {
			c.weekdays = append(c.weekdays, i)
		}
		c.columns[i] = column{
			index: i, header: h, twice: times[h] > 1,
			days:   map[string]string{},
			values: values{times: map[string]int{}}, uniqueness: uniqueness{hashes: map[uint64]struct{}{}, counted: true},
		}
	}
	return c
}

// Rows is the number of rows that were added and could be events.
func (c *Columns) Rows() int { return c.rows }

// title takes the row above the header of a sheet, nil where there is none, and the sheet's name, before its rows: they may
// say the date of the first of them.
func (c *Columns) title(row *sheet.Row, name string) { c.above.title(c.layout, row, name, c.date1904) }

// Add takes a row of data. Nothing of it is kept but copies.
func (c *Columns) Add(row *sheet.Row) {
	c.month.add(row)
	if c.leaveOut(row, c.date1904) {
		return
	}
	row = c.above.complete(row, c.date1904)
	c.rows++
	var kept []string
	if c.rows <= sampleRows {
		kept = make([]string, len(c.columns))
	}
	day := DayOf(row, c.weekdays)
	for i := range c.columns {
		if i >= len(row.Cells) {
			break
		}
		text := c.columns[i].add(row.Number, &row.Cells[i], day, c)
		if kept != nil {
			kept[i] = text
		}
	}
	for i := len(c.columns); i < len(row.Cells) && len(c.beyond) < mostDistinct; i++ {
		if strings.TrimSpace(row.Cells[i].Text) != "" && !slices.Contains(c.beyond, i) {
			c.beyond = append(c.beyond, i)
		}
	}
	if kept != nil {
		c.sample = append(c.sample, kept)
	}
}

// DayOf returns the day of the week that one of some columns names for the date of a row; empty where none does.
func DayOf(row *sheet.Row, columns []int) string {
	for _, i := range columns {
		if text := strings.Trim(row.Cell(i).Text, " .,"); datetime.IsWeekday(text) {
			return text
		}
	}
	return ""
}

// add takes a cell and gives its text. Beside it stands the day of the week of the row's date, where anything says it.
func (c *column) add(row int, cell *sheet.Cell, day string, all *Columns) string {
	text := strings.TrimSpace(cell.Text)
	if cell.Kind == sheet.Blank || text == "" || text == "<clear>" || text == "<empty>" {
		return ""
	}
	text = strings.Clone(text)
	c.filled++
	c.has.set(all.rows - 1)
	look := c.looked < sampleCells
	switch cell.Kind {
	case sheet.Fault, sheet.NoCache:
		return text
	case sheet.Date:
		m, fault := datetime.Serial(text, all.date1904)
		if fault == datetime.OK {
			text = string(m.Append(nil))
			if len(text) > 10 && text[10] == 'T' {
				text = text[:10] + " " + text[11:]
			}
			if look {
				c.looked++
				c.counts[valueOf(&m)]++
				c.counts[valueSpreadsheet]++
			}
		}
	default:
		c.prove(row, text, day)
		if look {
			c.looked++
			c.look(text, cell.Kind)
		}
	}
	c.values.add(text)
	c.shapes.add(cell.Kind, all.above.marked(c.index, text))
	c.uniqueness.add(text, c.filled, all.seed)
	return text
}

func (v *values) add(text string) {
	n := v.times[text]
	if n == 0 && len(v.examples) < 3 {
		v.examples = append(v.examples, text)
	}
	switch {
	case n > 0:
		v.times[text] = n + 1
	case len(v.distinct) < mostDistinct && len(text) <= 80:
		v.times[text] = 1
		v.distinct = append(v.distinct, text)
	default:
		v.many = true
		if len(v.stated) < mostDistinct && len(text) <= mostStated && says(text) {
			v.times[text] = 1
			v.stated = append(v.stated, text)
		}
	}
}

// add takes the text of the cell that is the filled-th of its column.
func (u *uniqueness) add(text string, filled int, seed maphash.Seed) {
	if u.counted {
		n, err := strconv.Atoi(text)
		u.counted = err == nil && n == filled
	}
	if u.hashes == nil {
		return
	}
	h := maphash.String(seed, text)
	if _, again := u.hashes[h]; again {
		u.repeated, u.hashes = text, nil
	} else if len(u.hashes) < mostHashes {
		u.hashes[h] = struct{}{}
	}
}

// prove looks for what shows whether the day or the month comes first. That is
// asked of every cell of the file: the only proof may stand in its last row. The day of the week of a date is a proof
// where it is that of one order only.
func (c *column) prove(row int, text, day string) {
	if len(text) > 60 || c.day.row > 0 && c.month.row > 0 || !hasDigit(text) {
		return
	}
	if c.looked >= sampleCells && c.ordered == 0 && c.seasons == nil {
		return // no date of numbers was among so many
	}
	if day != "" && len(c.days) < mostShapes*mostTexts {
		c.days[text] = day
	}
	parts := sides(text)
	if list := datetime.List(text); list != nil {
		parts = list
	}
	for i, part := range parts {
		m, fault := datetime.Scan(part, datetime.Unknown)
		if i == 0 && day != "" && fault == datetime.NeedsOrder && m.Proof == datetime.Unknown {
			if on, _ := datetime.Scan(day+" "+part, datetime.Unknown); on.Proof != datetime.Unknown {
				m, text = on, day+" "+text
			}
		}
		if fault == datetime.NotATime {
			if yearless, why, ok := datetime.ScanYearless(part, datetime.Unknown); ok {
				c.note(part)
				if yearless.Year = c.whole.Year; c.whole.HasDate && why == datetime.OK && yearless.Wall() < c.whole.Wall() {
					c.behind = c.whole.Year
				}
				m, fault = yearless, why
			}
		} else if fault == datetime.OK && m.HasDate {
			c.whole = m
		}
		switch {
		case m.Proof == datetime.DayFirst && c.day.row == 0:
			c.day = proof{row, text}
		case m.Proof == datetime.MonthFirst && c.month.row == 0:
			c.month = proof{row, text}
		}
		if fault == datetime.NeedsOrder || m.Proof != datetime.Unknown {
			if c.ordered++; c.orders == "" {
				c.orders = part
			}
			c.between = together(c.between, datetime.Separator(part))
			if m.Proof != datetime.Unknown {
				c.proven = together(c.proven, datetime.Separator(part))
			}
		}
	}
}

// rowBits is a set of rows, counted from 0.
type rowBits []uint64

func (r *rowBits) set(row int) {
	if row >= mostRows {
		return
	}
	for len(*r) <= row/64 {
		*r = append(*r, 0)
	}
	(*r)[row/64] |= 1 << (row % 64)
}

func (r rowBits) at(row int) bool { return row/64 < len(r) && r[row/64]&(1<<(row%64)) != 0 }

// share is the part of the cells looked at that are of one of the types.
func (p *profile) share(wanted ...valueType) float64 {
	if p.looked == 0 {
		return 0
	}
	n := 0
	for _, s := range wanted {
		n += p.counts[s]
	}
	return float64(n) / float64(p.looked)
}

// most reports whether nearly all cells are of one of the types.
func (p *profile) most(wanted ...valueType) bool { return p.share(wanted...) >= 0.8 }

func (p *profile) blank() bool { return p.looked == 0 }

// length is the mean length of a cell in letters.
func (p *profile) length() int {
	if p.looked == 0 {
		return 0
	}
	return p.letters / p.looked
}

// names reports whether the rows have a value of their own, at least nearly all.
func (c *column) names(rows int) bool { return c.repeated == "" && c.filled*10 >= rows*9 && rows > 0 }

// merged takes the merged cells of a sheet whose header is in that row: a value in several rows
// of its column is meant for each of them.
func (c *Columns) merged(merges []sheet.Merge, headerRow int) {
	for _, m := range merges {
		if m.Top <= headerRow {
			continue
		}
		for column := m.Left; column <= min(m.Right, len(c.columns)-1); column++ {
			c.down[column] += m.Bottom - m.Top
		}
	}
}

// timesOf counts the cells of some values.
func (v *values) timesOf(texts []string) int { return total(v.times, texts) }

// timedCells counts the different texts of some columns, those that have one time of day among them, and those of
// these with a range of two.
func (c *Columns) timedCells(headers []string) (texts, timed, ranged int) {
	for i := range c.columns {
		if !slices.Contains(headers, c.columns[i].header) {
			continue
		}
		for _, text := range c.columns[i].distinct {
			if !strings.ContainsFunc(text, unicode.IsLetter) {
				continue
			}
			texts++
			for line := range strings.Lines(text) {
				clock, _, ok := reshape.CutTime(line)
				if ok {
					timed++
					if _, _, two := datetime.CutRange(clock); two {
						ranged++
					}
					break
				}
			}
		}
	}
	return texts, timed, ranged
}

// rangesIn reports whether a cell of some columns says from when to when.
func (c *Columns) rangesIn(headers []string) bool {
	_, _, ranged := c.timedCells(headers)
	return ranged > 0
}
