package check

import (
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Rows checks rows against the rows before them. It remembers sixteen bytes for
// each key, event id and slug, so that a million rows fit beside their reader. The
// zero value is ready; it belongs to one goroutine.
type Rows struct {
	set    set
	sheets []sheetRows

	saidHost, saidKey bool // the warning has been given
}

// sheetRows is one sheet that rows came from: its row r is ordinal base+r.
type sheetRows struct {
	file, sheet string
	base, last  uint32
}

// Expect makes room for about so many claims more, which costs less than making it
// bit by bit. An estimate that is wrong does no harm.
func (r *Rows) Expect(claims int) { r.set.expect(claims) }

// Add checks the claims of a batch against those added before, which come in the
// order of the files. It calls emit with each problem and the index of its row. Rows
// of one physical number, which a row of several events makes, are rows like any other.
//
// The first row that nothing names is warned of, since such a row makes a new event when it is renamed or moved
// later, and the first with a picture where the rules know no address for pictures.
func (r *Rows) Add(c *Claims, rules *Rules, emit func(row int, p schema.Problem)) {
	if len(c.list) == 0 && c.unnamed == nil && c.pictured == nil {
		return
	}
	sheet := r.at(c.file, c.sheet)
	if c.pictured != nil && rules.ImageBase == "" && !r.saidHost {
		r.saidHost = true
		emit(c.pictured.row, c.pictured.problem)
	}
	if c.unnamed != nil && !r.saidKey {
		r.saidKey = true
		emit(c.unnamed.row, c.unnamed.problem)
	}
	r.set.fetch(c.list)
	for i := range c.list {
		claim := &c.list[i]
		ordinal := sheet.base + claim.number
		sheet.last = max(sheet.last, ordinal)
		if before, twice := r.set.add(claim.print, ordinal); twice {
			emit(int(claim.row), r.duplicate(c, claim, before))
		}
	}
}

// at finds the sheet that a row belongs to.
func (r *Rows) at(file, sheet string) *sheetRows {
	if n := len(r.sheets); n > 0 && r.sheets[n-1].file == file && r.sheets[n-1].sheet == sheet {
		return &r.sheets[n-1]
	}
	for i := range r.sheets {
		if r.sheets[i].file == file && r.sheets[i].sheet == sheet {
			return &r.sheets[i]
		}
	}
	var base uint32
	for _, s := range r.sheets {
		base = max(base, s.last)
	}
	r.sheets = append(r.sheets, sheetRows{file: file, sheet: sheet, base: base, last: base})
	return &r.sheets[len(r.sheets)-1]
}

var duplicates = [...]struct {
	field  schema.ID
	code   schema.Code
	is     string
	remedy string
}{
	ofKey: {schema.FieldKey, schema.CodeDuplicateKey, "the key ", "give each event a key of its own"},
	ofEventID: {
		catalog.FieldEventID, schema.CodeDuplicateEventID, "the event ",
		"give a copied row, if it is a new event, no event id and a slug of its own; else make them one row",
	},
	ofSlug:   {catalog.FieldSlug, schema.CodeDuplicateSlug, "the slug ", "give each event a slug of its own"},
	ofRecord: {code: schema.CodeDuplicateKey},
	ofOther:  {code: schema.CodeDuplicateKey},
	ofCreate: {
		catalog.FieldName, schema.CodeDuplicateCreate, "an event of this name and start", "remove one of the two, or give each a key",
	},
}

// duplicate is the problem of a claim that the row of an ordinal has made before.
func (r *Rows) duplicate(c *Claims, by *claim, before uint32) schema.Problem {
	dup := &duplicates[by.of]
	p := schema.Problem{Code: dup.code, Field: catalog.Path(dup.field), Value: by.text, Message: dup.is, Hint: dup.remedy}
	if by.of == ofRecord || by.of == ofOther {
		if p.Field = c.resource.Named; by.of == ofOther {
			p.Field = c.resource.Or
		}
		p.Message = "the " + c.resource.One + " "
		p.Hint = "keep one row for each " + c.resource.One
	}
	p.Place = schema.Place{File: c.file, Sheet: c.sheet, Row: int(by.number), Line: int(by.line), Column: int(by.column)}
	if by.of != ofCreate {
		p.Message += strconv.Quote(p.Value)
	}
	if before == r.at(c.file, c.sheet).base+by.number {
		p.Message += " is that of an earlier event of the same row"
		p.Hint = "the row becomes several events: leave the cell blank, or have the mapping make a value of its own for each"
		return p
	}
	p.Message += " is already in " + r.where(before, &p.Place)
	return p
}

// where names the row of an ordinal, with its file and sheet where they are not those of p.
func (r *Rows) where(ordinal uint32, p *schema.Place) string {
	for _, s := range r.sheets {
		if s.base < ordinal && ordinal <= s.last {
			row := "row " + strconv.FormatUint(uint64(ordinal-s.base), 10)
			switch {
			case s.file != p.File && s.sheet != "":
				return row + " of " + s.file + ":" + s.sheet
			case s.file != p.File:
				return row + " of " + s.file
			case s.sheet != p.Sheet:
				return row + " of sheet " + s.sheet
			}
			return row
		}
	}
	return "an earlier row"
}
