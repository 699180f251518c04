package desk

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf16"

	"eventbatch/batch/report/finding"
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
		list, err = d.current.changesBy(ctx, said)
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
		if !found || !skips && (number <= source.HeaderRow || column < 0) || said.Rule == "" && column >= len(source.Header) {
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
			if c.Before = d.Editing.Edits.rowHolds(c.Sheet, &raw); c.Before != c.After {
				changes = append(changes, c)
			}
			continue
		}
		old := raw.Cell(column)
		if old.Marks.Has(sheet.ByFormula) || old.Kind == sheet.NoCache {
			return nil, refuse(http.StatusConflict, c.Cell+" holds a formula: change what it is computed of, in the workbook itself")
		}
		d.Editing.Edits.Lay(c.Sheet, &raw)
		now := raw.Cell(column)
		switch holds := fix.Shown(&now, dates[c.Sheet]); {
		case holds != c.Before:
			return nil, refuse(http.StatusConflict, fmt.Sprintf("%s holds %q now", c.Cell, holds))
		case holds != c.After:
			changes = append(changes, fix.Change{Sheet: c.Sheet, Cell: c.Cell, Before: c.Before, After: c.After})
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

// changesBy returns the cells that a rule changes.
func (s *Session) changesBy(ctx context.Context, said *change) ([]fix.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := map[string][]int32{}
	switch {
	case said.Group == nil:
		x := s.rows.sheets[said.Sheet]
		for _, number := range said.Rows {
			if x == nil {
				break
			}
			if i, found := x.find(number); found {
				rows[said.Sheet] = append(rows[said.Sheet], int32(i))
			}
		}
	case *said.Group >= 0 && *said.Group < len(s.groups.All) && said.Kind == kindOf(s.groups.All[*said.Group]):
		rows = s.of[*said.Group]
	default: // they were counted anew since
		return nil, refuse(http.StatusConflict, "there are no such mistakes any more: look at them again")
	}
	var list []fix.Change
	for i := range s.sources {
		source := &s.sources[i]
		if len(rows[source.Sheet]) == 0 {
			continue
		}
		var err error
		switch said.Rule {
		case "paste":
			list, err = s.paste(list, source, rows[source.Sheet], said)
		case "proposals", "value":
			if said.Group == nil {
				return nil, refuse(http.StatusBadRequest, "that is not done to rows")
			}
			list, err = s.mend(ctx, list, source, rows[source.Sheet], said)
		case "skip":
			list, err = s.skip(list, i, rows[source.Sheet])
		case "in":
			list, err = s.takeIn(list, i, rows[source.Sheet])
		default:
			return nil, refuse(http.StatusBadRequest, "there is no such rule")
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// kindOf names the kind of mistakes that a group has.
func kindOf(g *finding.Group) string {
	of := g.First.Flat()
	return string(of.Code) + " " + of.Column
}

// changeOf has a cell of a row hold a text.
func changeOf(source *finding.Source, row *sheet.Row, column int, after string) fix.Change {
	old, place := row.Cell(column), schema.Place{Row: row.Number, Column: column}
	return fix.Change{Sheet: source.Sheet, Cell: place.Cell(), Before: fix.Shown(&old, source.Date1904), After: after}
}

// paste has a block of cells hold the texts that were copied from a spreadsheet. What reaches over the right is left.
func (s *Session) paste(list []fix.Change, source *finding.Source, rows []int32, said *change) ([]fix.Change, error) {
	texts := pasted(said.Value)
	x, cells := s.rows.sheets[source.Sheet], s.rows.cursor()
	for k, i := range rows[:min(len(rows), len(texts))] {
		row, err := s.row(cells, source.Sheet, x.cells[i])
		if err != nil {
			return nil, err
		}
		for n, after := range texts[k] {
			if said.Column < 0 || said.Column+n >= len(source.Header) {
				break
			}
			list = append(list, changeOf(source, &row, said.Column+n, after))
		}
	}
	return list, nil
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
func (s *Session) mend(
	ctx context.Context, list []fix.Change, source *finding.Source, rows []int32, said *change,
) ([]fix.Change, error) {
	of := s.groups.All[*said.Group].First.Flat()
	x, findings := s.rows.sheets[source.Sheet], s.rows.cursor()
	err := s.walk(ctx, source.Sheet, rows, func(i int32, row *sheet.Row) error {
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
				after := said.Value
				if said.Rule == "proposals" {
					after = p.Proposal
				}
				if said.Rule == "proposals" && after == "" {
					continue
				}
				seen[column] = true
				list = append(list, changeOf(source, row, column, after))
			}
		}
		return nil
	})
	return list, err
}

// skip gives rows the action SKIP, in a new column where the sheet has none.
func (s *Session) skip(list []fix.Change, source int, rows []int32) ([]fix.Change, error) {
	if s.kept == nil {
		return nil, refuse(http.StatusConflict, "the file cannot be read so far")
	}
	of := &s.sources[source]
	column, adds, err := s.kept.ActionColumn(source)
	if err != nil { // no cell says so
		return append(list, s.rowsOut(of.Sheet, rows)...), nil
	}
	x, cells := s.rows.sheets[of.Sheet], s.rows.cursor()
	put := func(i int, after string) error {
		row, err := s.row(cells, of.Sheet, x.cells[i])
		if err != nil {
			return err
		}
		list = append(list, changeOf(of, &row, column, after))
		return nil
	}
	if header, found := x.find(of.HeaderRow); adds && found {
		if err := put(header, "action"); err != nil {
			return nil, err
		}
	}
	for _, i := range rows {
		if err := put(int(i), schema.Skip.String()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// takeIn takes rows in again that are left out one by one, be it here or by the action SKIP.
func (s *Session) takeIn(list []fix.Change, source int, rows []int32) ([]fix.Change, error) {
	of, skips := &s.sources[source], s.skips(source)
	x, cells := s.rows.sheets[of.Sheet], s.rows.cursor()
	for _, i := range rows {
		row, err := s.row(cells, of.Sheet, x.cells[i])
		if err != nil {
			return nil, err
		}
		if s.edits.leaves(of.Sheet, row.Number) {
			list = append(list, fix.Change{Sheet: of.Sheet, Cell: strconv.Itoa(row.Number)})
		} else if column, is := skips(&row); is {
			list = append(list, changeOf(of, &row, column, ""))
		}
	}
	return list, nil
}

// skips returns what reports whether a row of a source has the action SKIP, and in which column.
func (s *Session) skips(source int) func(row *sheet.Row) (column int, is bool) {
	if s.kept == nil {
		return func(*sheet.Row) (int, bool) { return 0, false }
	}
	column, _, err := s.kept.ActionColumn(source)
	return func(row *sheet.Row) (int, bool) {
		return column, err == nil && strings.EqualFold(strings.TrimSpace(row.Cell(column).Text), schema.Skip.String())
	}
}

// may returns what names the rule by which a row of a source is left out, or taken in again: none, where its file says that it is
// no event, and while the file is read.
func (s *Session) may(source int) func(row *sheet.Row, state string) string {
	select {
	case <-s.ended:
	default:
		return func(*sheet.Row, string) string { return "" }
	}
	skips, name := s.skips(source), s.sources[source].Sheet
	return func(row *sheet.Row, state string) string {
		switch _, skipped := skips(row); {
		case skipped, s.edits.leaves(name, row.Number):
			return "in"
		case state == states[good], state == states[wrong]:
			return "skip"
		}
		return ""
	}
}

// rowsOut has rows be left out as they are, and with a row those of the same event.
func (s *Session) rowsOut(name string, rows []int32) (list []fix.Change) {
	seen := map[int]bool{}
	out := func(number int) {
		if !seen[number] {
			seen[number] = true
			list = append(list, fix.Change{Sheet: name, Cell: strconv.Itoa(number)})
		}
	}
	x := s.rows.sheets[name]
	for _, i := range rows {
		number := int(x.marks[i] >> 2)
		out(number)
		for _, part := range s.parts[name][number] {
			out(part)
		}
	}
	return list
}
