package mapping

import (
	"context"
	"slices"

	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// ruleEdits is what the changes of a person are called in what is shown.
const ruleEdits = "edits"

// Change reads one file and decides what becomes of it by changes of a person. Nothing is written. A cell that no longer
// holds what it did when it was changed is left, and so is one of a formula.
func Change(ctx context.Context, config Config, changes []fix.Change) (*Mended, error) {
	changed := &Mended{path: config.Files[0], options: config.Opening()}
	f, err := editable(ctx, config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	if changed.options.SHA256, err = f.Sum(ctx); err != nil {
		return nil, err
	}
	for len(changes) > 0 {
		name := changes[0].Sheet
		n := 1
		for n < len(changes) && changes[n].Sheet == name {
			n++
		}
		if !slices.ContainsFunc(f.Sheets(), func(s sheet.Info) bool { return s.Name == name }) {
			for i := range changes[:n] {
				changed.leave(config.Files[0], &changes[i], "there is no such sheet")
			}
		} else if err := changed.sheet(ctx, f, config.Files[0], changes[:n]); err != nil {
			return nil, err
		}
		changes = changes[n:]
	}
	return changed, nil
}

// sheet decides what becomes of the cells of one sheet, which come in the order of its rows.
func (m *Mended) sheet(ctx context.Context, f *sheet.File, file string, changes []fix.Change) error {
	for row, err := range f.Rows(ctx, changes[0].Sheet) {
		if err != nil {
			return err
		}
		for len(changes) > 0 {
			c := &changes[0]
			number, column, _ := c.Place()
			if number > row.Number {
				break
			}
			changes = changes[1:]
			if c.OfRow() {
				m.leave(file, c, "the page leaves the row out, and the copy has it: say --rows of the others where that is read")
				continue
			}
			if number < row.Number {
				m.leave(file, c, noRow)
				continue
			}
			cell := row.Cell(column)
			out, why := c.Becomes(&cell, f.Date1904())
			switch {
			case fix.Shown(&cell, f.Date1904()) == c.After: // somebody has changed it so since
			case why != "":
				m.leave(file, c, why)
			case c.Strays(fix.RowText(&row, f.Date1904())):
				m.leave(file, c, "the cell was blank, and another row stands there now")
			default:
				place := placeOf(file, c)
				place.Line = row.Line
				m.Edits = append(m.Edits, fix.Edit{Place: place, Rule: ruleEdits, Before: c.Before, After: c.After, Cell: out})
			}
		}
		if len(changes) == 0 {
			return nil
		}
	}
	for i := range changes {
		m.leave(file, &changes[i], noRow)
	}
	return nil
}

const noRow = "there is no such row, or nothing is in it"

func (m *Mended) leave(file string, c *fix.Change, why string) {
	m.Left = append(m.Left, fix.Left{Place: placeOf(file, c), Reason: why})
}

func placeOf(file string, c *fix.Change) schema.Place {
	p := schema.Place{File: file, Sheet: c.Sheet}
	p.Row, p.Column, _ = c.Place()
	return p
}
