package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// entry is one event as it will be: in the order of starts, with where it stands.
type entry struct {
	starts int64
	sheet  int32 // index in the sources
	row    int32 // in the sheet
	told   int64
}

// calendar is the events of a file, as they will be.
type calendar struct{ *found }

// window returns a window of the events as they will be, in the order of their starts: those of the rows without a mistake.
func (c calendar) window(ctx context.Context, text string, from, n int) (*Window, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.events == nil {
		if err := c.entries(ctx); err != nil {
			return nil, err
		}
	}
	said := c.rows.cursor()
	w := &Window{Format: windowFormat, From: from, Rows: []WindowRow{}}
	var room room
	full := false
	for i, e := range c.events {
		if text == "" && (i < from || i >= from+n) {
			w.Total++
			continue
		}
		record, err := said.record(e.told)
		if err != nil {
			return nil, err
		}
		what, err := decodeTold(record)
		if err != nil {
			return nil, err
		}
		cells := what.Event.cells()
		if text != "" && !slices.ContainsFunc(cells, func(cell string) bool { return strings.Contains(strings.ToLower(cell), text) }) {
			continue
		}
		if w.Total >= from && w.Total < from+n {
			source := &c.sources[e.sheet]
			row := WindowRow{
				Row: int(c.rows.sheets[source.Sheet].marks[e.row] >> 2), Sheet: source.Sheet, State: states[good], Cells: cells,
				Problems: []json.RawMessage{}, Read: []string{"Read as " + what.Event.Words},
			}
			if full = full || !room.takes(row.size()); !full {
				w.Rows = append(w.Rows, row)
			}
		}
		w.Total++
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return w, nil
}

// heads are the columns of a view.
type heads struct {
	Header []string `json:"header"`
	Title  int      `json:"title"` // column that names the rows, from 1
}

// calendarHeads are those of the cells.
var calendarHeads = heads{[]string{"Weekday", "Day", "Start", "End", "Event", "Place", "Seats", "Who may see it", "Time zone"}, 5}

// cells are an event as a line of the calendar shows it.
func (e *event) cells() []string {
	weekday, day, _ := strings.Cut(e.Day, " ")
	return []string{weekday, day, e.Start, e.End, e.Name, e.Place, e.Seats, e.Seen, e.Zone}
}

// will returns what tells which event a row of a plan is read as; nil where that is not known. A row may be several events.
func (c calendar) will() func(*shownRow) (*event, error) {
	records := c.rows.cursor()
	return func(line *shownRow) (*event, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		x := c.rows.sheets[line.Sheet]
		if x == nil || line.StartAt == nil {
			return nil, nil
		}
		i, found := x.find(line.Row)
		if !found {
			return nil, nil
		}
		said, err := records.said(x.told[i])
		for _, one := range said {
			if one.Event != nil && one.Event.starts == line.StartAt.Unix() {
				return one.Event, err
			}
		}
		return nil, err
	}
}

// entries finds all events.
func (c calendar) entries(ctx context.Context) error {
	c.events = []entry{}
	said := c.rows.cursor()
	for k := range c.sources {
		x := c.rows.sheets[c.sources[k].Sheet]
		if x == nil {
			continue
		}
		for i := range x.told {
			if i%1024 == 0 && ctx.Err() != nil {
				c.events = nil
				return ctx.Err()
			}
			for at := x.told[i]; at > 0 && x.verdict(i) == good; {
				record, err := said.record(at)
				if err != nil {
					return err
				}
				before, starts := toldAt(record)
				if starts != 0 {
					c.events = append(c.events, entry{starts, int32(k), int32(i), at})
				}
				at = before
			}
		}
	}
	slices.SortStableFunc(c.events, func(x, y entry) int { return cmp.Compare(x.starts, y.starts) })
	return nil
}
