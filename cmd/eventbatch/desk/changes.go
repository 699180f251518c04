package desk

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"

	"eventbatch/batch/plan"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// mostCells is how many cells one step changes.
const mostCells = 200_000

// changesOf returns what an edit changes: cells that hold now what the tab thinks that they do.
func (d *reading) changesOf(ctx context.Context, said *change) ([]fix.Change, error) {
	list, err := said.Cells, error(nil)
	if said.Rule != "" {
		list, err = (&rule{found: &d.current.found, said: said}).changes(ctx)
	}
	if err != nil {
		return nil, err
	}
	if len(list) > mostCells {
		return nil, refuse(http.StatusRequestEntityTooLarge, "that is more than is done at once")
	}
	cells, dates := d.current.rows.cursor(), d.current.dates()
	changes := make([]fix.Change, 0, len(list))
	seen := map[[2]string]bool{}
	for _, c := range list {
		number, column, ok := c.Place()
		c.Cell = schema.Place{Row: number, Column: column}.Cell() // which may be posted as a02
		at, x := [2]string{c.Sheet, c.Cell}, d.current.rows.sheets[c.Sheet]
		if _, known := dates[c.Sheet]; !ok || x == nil || !known || seen[at] {
			return nil, refuse(http.StatusBadRequest, "that is not a cell of the file")
		}
		seen[at] = true
		i, found := x.find(number)
		source := d.current.source(c.Sheet)
		skips := said.Rule == "skip" || said.Rule == "in"
		if !found || !skips && (number <= source.Row || column < 0) || said.Rule == "" && column >= len(source.Header) {
			return nil, refuse(http.StatusBadRequest, c.Cell+" is not a cell of the rows")
		}
		if c.After, ok = writable(c.After); !ok {
			return nil, refuse(http.StatusBadRequest, c.Cell+": no cell can hold that")
		}
		raw, err := cells.row(x.cells[i])
		if err != nil {
			return nil, err
		}
		if column < 0 {
			if d.Sending.Limit {
				return nil, errLimit
			}
			if said.Rule == "in" {
				c.After = fix.RowText(&raw, dates[c.Sheet])
			}
			if c.Before, c.Row = d.Editing.Edits.rowHolds(c.Sheet, &raw), ""; c.Before != c.After {
				changes = append(changes, c)
			}
			continue
		}
		old := raw.Cell(column)
		if old.Marks.Has(sheet.ByFormula) || old.Kind == sheet.NoCache {
			return nil, refuse(http.StatusConflict, c.Cell+" holds a formula: change what it is computed of, in the workbook itself")
		}
		text := fix.RowText(&raw, dates[c.Sheet])
		d.Editing.Edits.Lay(c.Sheet, &raw)
		now := raw.Cell(column)
		switch holds := fix.Shown(&now, dates[c.Sheet]); {
		case holds != c.Before:
			return nil, refuse(http.StatusConflict, fmt.Sprintf("%s holds %q now", c.Cell, holds))
		case holds != c.After:
			changes = append(changes, fix.Change{Sheet: c.Sheet, Cell: c.Cell, Before: c.Before, After: c.After, Row: text})
		}
	}
	return changes, nil
}

// writable returns a text as a cell holds it; not ok where none can.
func writable(text string) (string, bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	bad := strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff || r == 0xfffd
	})
	return text, !bad && len(text) < 1<<17 && len(utf16.Encode([]rune(text))) <= 32_767
}

// rule is the doing of one rule to many rows: list has what it changes so far.
type rule struct {
	*found

	said *change
	list []fix.Change
}

// changes returns the cells that the rule changes.
func (r *rule) changes(ctx context.Context) ([]fix.Change, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := map[string][]int32{}
	switch {
	case r.said.Group == nil:
		x := r.rows.sheets[r.said.Sheet]
		for _, number := range r.said.Rows {
			if x == nil {
				break
			}
			if i, found := x.find(number); found {
				rows[r.said.Sheet] = append(rows[r.said.Sheet], int32(i))
			}
		}
	case *r.said.Group >= 0 && *r.said.Group < len(r.groups.All) && r.said.Kind == kindOf(r.groups.All[*r.said.Group]):
		rows = r.of[*r.said.Group]
	default: // they were counted anew since
		return nil, refuse(http.StatusConflict, "there are no such mistakes any more: look at them again")
	}
	for i := range r.sources {
		source := &r.sources[i]
		if len(rows[source.Sheet]) == 0 {
			continue
		}
		var err error
		switch r.said.Rule {
		case "paste":
			err = r.paste(source, rows[source.Sheet])
		case "proposals", "value":
			if r.said.Group == nil {
				return nil, refuse(http.StatusBadRequest, "that is not done to rows")
			}
			err = r.mend(ctx, source, rows[source.Sheet])
		case "skip":
			err = r.skip(i, rows[source.Sheet])
		case "in":
			err = r.takeIn(i, rows[source.Sheet])
		default:
			return nil, refuse(http.StatusBadRequest, "there is no such rule")
		}
		if err != nil {
			return nil, err
		}
	}
	return r.list, nil
}

// changeOf has a cell of a row hold a text.
func changeOf(source *plan.Sheet, row *sheet.Row, column int, after string) fix.Change {
	old, place := row.Cell(column), schema.Place{Row: row.Number, Column: column}
	return fix.Change{Sheet: source.Sheet, Cell: place.Cell(), Before: fix.Shown(&old, source.Date1904), After: after}
}

// paste has a block of cells hold the texts that were copied from a spreadsheet. What reaches over the right is left.
func (r *rule) paste(source *plan.Sheet, rows []int32) error {
	texts := pasted(r.said.Value)
	x, cells := r.rows.sheets[source.Sheet], r.rows.cursor()
	for k, i := range rows[:min(len(rows), len(texts))] {
		row, err := r.row(cells, source.Sheet, x.cells[i])
		if err != nil {
			return err
		}
		for n, after := range texts[k] {
			if r.said.Column < 0 || r.said.Column+n >= len(source.Header) {
				break
			}
			r.list = append(r.list, changeOf(source, &row, r.said.Column+n, after))
		}
	}
	return nil
}

// pasted parts what a spreadsheet gives to be pasted into rows and cells.
func pasted(text string) (block [][]string) {
	text = strings.TrimSuffix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	row := []string{}
	for {
		cell := ""
		if quoted, rest, ok := unquoted(text); ok {
			cell, text = quoted, rest
		} else if end := strings.IndexAny(text, "\t\n"); end >= 0 {
			cell, text = text[:end], text[end:]
		} else {
			cell, text = text, ""
		}
		row = append(row, cell)
		if text == "" || text[0] == '\n' {
			block, row = append(block, row), []string{}
		}
		if text == "" {
			return block
		}
		text = text[1:]
	}
}

// unquoted reads a cell between quotes, as those of several lines are.
func unquoted(text string) (cell, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", text, false
	}
	for i := 1; i < len(text); i++ {
		if text[i] != '"' {
			continue
		}
		if strings.HasPrefix(text[i:], `""`) {
			i++
			continue
		}
		rest = text[i+1:]
		return strings.ReplaceAll(text[1:i], `""`, `"`), rest, rest == "" || rest[0] == '\t' || rest[0] == '\n'
	}
	return "", text, false
}

// mend has the cells of a group hold what is proposed for them, or one value.
func (r *rule) mend(ctx context.Context, source *plan.Sheet, rows []int32) error {
	of := r.groups.All[*r.said.Group].First.Flat()
	x, findings := r.rows.sheets[source.Sheet], r.rows.cursor()
	return r.walk(ctx, source.Sheet, rows, func(i int32, row *sheet.Row) error {
		told, err := findings.said(x.told[i])
		if err != nil {
			return err
		}
		seen := map[int]bool{}
		for _, one := range told {
			problems, err := one.problems()
			if err != nil {
				return err
			}
			for k := range problems {
				p := &problems[k]
				column, at := schema.ColumnIndex(p.Column)
				if p.Code != of.Code || p.Field != of.Field || p.Column != of.Column || !at || seen[column] {
					continue
				}
				after := r.said.Value
				if r.said.Rule == "proposals" {
					after = p.Proposal
				}
				if r.said.Rule == "proposals" && after == "" {
					continue
				}
				seen[column] = true
				r.list = append(r.list, changeOf(source, row, column, after))
			}
		}
		return nil
	})
}

// skip gives rows the action SKIP, in a new column where the sheet has none.
func (r *rule) skip(source int, rows []int32) error {
	if r.kept == nil {
		return refuse(http.StatusConflict, "the file cannot be read so far")
	}
	of := &r.sources[source]
	column, adds, err := r.kept.ActionColumn(source)
	if err != nil { // no cell says so
		r.list = append(r.list, r.rowsOut(of.Sheet, rows)...)
		return nil
	}
	x, cells := r.rows.sheets[of.Sheet], r.rows.cursor()
	put := func(i int, after string) error {
		row, err := r.row(cells, of.Sheet, x.cells[i])
		if err != nil {
			return err
		}
		r.list = append(r.list, changeOf(of, &row, column, after))
		return nil
	}
	if header, found := x.find(of.Row); adds && found {
		if err := put(header, "action"); err != nil {
			return err
		}
	}
	for _, i := range rows {
		if err := put(int(i), schema.Skip.String()); err != nil {
			return err
		}
	}
	return nil
}

// takeIn takes rows in again that are left out one by one, be it here or by the action SKIP.
func (r *rule) takeIn(source int, rows []int32) error {
	of, skips := &r.sources[source], r.skips(source)
	x, cells := r.rows.sheets[of.Sheet], r.rows.cursor()
	for _, i := range rows {
		row, err := r.row(cells, of.Sheet, x.cells[i])
		if err != nil {
			return err
		}
		if r.edits.leaves(of.Sheet, row.Number) {
			r.list = append(r.list, fix.Change{Sheet: of.Sheet, Cell: strconv.Itoa(row.Number)})
		} else if column, is := skips(&row); is {
			r.list = append(r.list, changeOf(of, &row, column, ""))
		}
	}
	return nil
}
