package page

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// fineness is how much of what is kept the page carries, in characters.
type fineness struct {
	cell, bad, change, words int
	rows, problems           int
}

// fit encodes as much as the room allows, and says what is left out.
func (s *Sink) fit(summary *finding.Summary, room int) ([]byte, []string, error) {
	f := fineness{cell: keptCell, bad: keptWords, change: keptCell, words: keptWords, rows: s.config.Rows, problems: s.config.Problems}
	coarser := []fineness{
		{cell: 120, bad: 300, change: 160, words: 400},
		{cell: 60, bad: 160, change: 80, words: 300},
		{cell: 30, bad: 100, change: 60, words: 200},
		{cell: 0, bad: 100, change: 60, words: 200},
	}
	room = max(room, 1)
	for {
		e := &encoder{sink: s, summary: summary, fineness: f, seen: make([]int, len(s.groups.list))}
		e.choose()
		last := f.rows == 0 && f.problems == 0
		data, size, err := e.encode(room, last)
		if err != nil || size <= room || last {
			return data, e.notes(), err
		}
		if size > 3*room && len(coarser) > 1 {
			coarser = coarser[1:] // the next step is not enough
		}
		if len(coarser) > 0 {
			coarser[0].rows, coarser[0].problems = f.rows, f.problems
			f, coarser = coarser[0], coarser[1:]
			continue
		}
		// What is carried is the measure, not what may be: the limit may lie far above.
		part := 0.92 * float64(room) / float64(size)
		f.rows, f.problems = int(part*float64(min(f.rows, len(e.rows)))), int(part*float64(min(f.problems, e.carried)))
	}
}

// encoder makes the data of one page.
type encoder struct {
	fineness
	sink    *Sink
	summary *finding.Summary
	texts   dictionary
	cut     bool

	rows    []*kept
	files   []keptProblem
	seen    []int // problems carried by group
	carried int
}

// choose takes the rows and problems that are carried: rows with problems before
// others, and of each group the first problems in any case.
func (e *encoder) choose() {
	for _, p := range e.sink.files {
		if e.room(p.group) {
			e.files = append(e.files, p)
		}
	}
	bad := make(map[*kept][]keptProblem, min(e.sink.bad, e.fineness.rows))
	for _, k := range e.sink.rows {
		rare := func(p keptProblem) bool { return e.seen[p.group] < always && e.fineness.problems > 0 }
		if len(k.problems) == 0 || len(bad) >= e.fineness.rows && !slices.ContainsFunc(k.problems, rare) {
			continue
		}
		var list []keptProblem
		for _, p := range k.problems {
			if e.room(p.group) {
				list = append(list, p)
			}
		}
		if len(list) > 0 {
			bad[k] = list
		}
	}
	left := e.fineness.rows - len(bad)
	for _, k := range e.sink.rows {
		list, ok := bad[k]
		if !ok {
			if left <= 0 {
				continue
			}
			left--
		}
		copied := *k
		copied.problems = list
		if len(list) == 0 {
			copied.cells = nil
		}
		e.rows = append(e.rows, &copied)
	}
}

// room reports whether a problem is carried, and counts it.
func (e *encoder) room(group int) bool {
	if e.carried >= e.fineness.problems && (e.seen[group] >= always || e.fineness.problems == 0) {
		return false
	}
	e.seen[group]++
	e.carried++
	return true
}

// encode draws the data twice: first to count the texts. Where these alone take
// more than the room, it is left at that, unless it is the last attempt. The size
// is then what the data would have at least.
func (e *encoder) encode(room int, last bool) (data []byte, size int, err error) {
	e.texts = dictionary{seen: map[string]int{}}
	e.data()
	for text := range e.texts.seen {
		size += len(text) + len(`"",`)
	}
	if size > room && !last {
		return nil, size, nil
	}
	e.texts.settle()
	data, err = json.Marshal(e.data())
	return data, len(data), err
}

func (e *encoder) data() *dataJSON {
	usage, _ := charts(e.summary.Usage)
	d := &dataJSON{
		Version: 1, Run: e.summary.Run != "", Read: e.sink.read, Severity: e.sink.words, Strings: e.texts.list,
		Sources: []sourceJSON{}, Codes: []codeJSON{}, Days: e.sink.days.encode(), Usage: usage,
	}
	files := namesOf(e.summary.Sources)
	for i, source := range e.summary.Sources {
		header := []string{}
		for _, name := range source.Header[:min(len(source.Header), keptCells)] {
			header = append(header, visible(cut(name, 80)))
		}
		d.Sources = append(d.Sources, sourceJSON{
			File: visible(files[i]), Sheet: visible(source.Sheet), Row: source.HeaderRow, Header: header,
		})
	}
	d.Groups = e.groups(&d.Codes)
	d.Rows = e.rowColumns()
	d.Problems = e.problemColumns()
	return d
}

func (e *encoder) groups(codes *[]codeJSON) groupsJSON {
	var severity, code, source, place, col, header, field, total []any
	known := map[schema.Code]int{}
	for _, g := range e.sink.groups.list {
		i, ok := known[g.code]
		if !ok {
			i = len(*codes)
			known[g.code] = i
			info, _ := schema.Lookup(g.code)
			*codes = append(*codes, codeJSON{visible(string(g.code)), info.Title, info.Explain, info.Example})
		}
		from, where := g.source, ""
		if from < 0 {
			from, where = e.source(g.file, g.sheet)
		} else if from >= len(e.summary.Sources) {
			from = -1
		}
		severity, code, source = append(severity, int(g.severity)), append(code, i), append(source, from)
		place, col, header = append(place, e.text(where, keptCell)), append(col, g.column), append(header, e.text(visible(g.header), 80))
		field, total = append(field, e.text(visible(g.field), 80)), append(total, g.n)
	}
	return groupsJSON{
		N: len(e.sink.groups.list), Severity: column(severity), Code: column(code), Source: column(source), Place: column(place),
		Column: column(col), Header: column(header), Field: column(field), Total: column(total),
	}
}

// source finds the source that a problem names, or gives its place in words.
func (e *encoder) source(file, sheet string) (index int, place string) {
	for i, s := range e.summary.Sources {
		if s.File == file && s.Sheet == sheet {
			return i, ""
		}
	}
	if sheet != "" {
		sheet = ":" + sheet
	}
	if file == "" {
		return -1, ""
	}
	return -1, visible(filepath.Base(file) + sheet)
}

func (e *encoder) rowColumns() rowsJSON {
	var source, num, line, action, status, reason, name, start, end, zone, calendar, key, id, base, url, cells, changes []any
	lastNumber, lastLine := 0, 0
	for _, k := range e.rows {
		source = append(source, k.source)
		num, line = append(num, k.number-lastNumber), append(line, k.line-lastLine)
		lastNumber, lastLine = k.number, k.line
		action, status = append(action, e.text(k.action, keptCell)), append(status, e.text(k.status, keptCell))
		reason = append(reason, e.text(k.reason, e.fineness.words))
		name = append(name, e.text(k.event.Name, max(e.fineness.cell, 60)))
		begins, lasts, where := times(&k.event)
		start, end, zone = append(start, begins), append(end, lasts), append(zone, e.text(where, keptCell))
		calendar = append(calendar, e.text(k.event.Calendar, keptCell))
		key, id = append(key, e.text(k.event.Key, 80)), append(id, e.text(k.event.ID, 80))
		slash := strings.LastIndexByte(k.event.URL, '/') + 1
		base, url = append(base, e.text(k.event.URL[:slash], keptWords)), append(url, e.text(k.event.URL[slash:], keptWords))
		cells, changes = append(cells, e.cells(k)), append(changes, e.changes(k))
	}
	return rowsJSON{
		N: len(e.rows), Source: column(source), Number: num, Line: column(line), Action: column(action), Status: column(status),
		Reason: column(reason), Name: column(name), Start: column(start), End: column(end), Zone: column(zone), Calendar: column(calendar),
		Key: column(key), ID: column(id), Base: column(base), URL: column(url), Cells: cells, Changes: changes,
	}
}

// times gives the start on the event's own clock, how long it lasts, and the zone.
func times(event *finding.Event) (start, end any, zone string) {
	if event.Start.IsZero() {
		return nil, nil, ""
	}
	_, offset := event.Start.Zone()
	start = (event.Start.Unix() + int64(offset)) / 60
	if !event.End.IsZero() {
		end = int64(event.End.Sub(event.Start).Minutes())
	}
	zone = event.Start.Location().String()
	if zone == "" || zone == "Local" {
		zone = event.Start.Format("-07:00")
	}
	return start, end, visible(zone)
}

func (e *encoder) cells(k *kept) any {
	if k.cells == nil || e.fineness.cell == 0 {
		return 0
	}
	limits := make([]int, len(k.cells))
	for _, p := range k.problems {
		if c := e.sink.groups.list[p.group].column; c >= 0 && c < len(limits) {
			limits[c] = e.fineness.bad
		}
	}
	list := make([]any, len(k.cells))
	for i, text := range k.cells {
		list[i] = e.text(text, max(e.fineness.cell, limits[i]))
	}
	return list
}

func (e *encoder) changes(k *kept) any {
	if len(k.changes) == 0 || e.fineness.change == 0 {
		return 0
	}
	list := make([]any, 0, 4*len(k.changes))
	for _, c := range k.changes {
		known := 0
		if c.Known {
			known = 1
		}
		list = append(list, e.text(c.Field, keptCell), e.text(c.Before, e.fineness.change), e.text(c.After, e.fineness.change), known)
	}
	return list
}

func (e *encoder) problemColumns() problemsJSON {
	var group, row, message, hint, value, num, line []any
	add := func(p keptProblem, at int, k *kept) {
		number, physical := p.row, p.line
		shown := false
		if k != nil {
			number, physical = 0, 0
			c := e.sink.groups.list[p.group].column
			shown = e.fineness.cell > 0 && c >= 0 && c < len(k.cells) && k.cells[c] == p.value
		}
		if shown {
			p.value = ""
		}
		group, row = append(group, p.group), append(row, at)
		message, hint = append(message, e.text(p.message, e.fineness.words)), append(hint, e.text(p.hint, e.fineness.words))
		value, num, line = append(value, e.text(p.value, e.bad)), append(num, number), append(line, physical)
	}
	for _, p := range e.files {
		add(p, -1, nil)
	}
	for i, k := range e.rows {
		for _, p := range k.problems {
			add(p, i, k)
		}
	}
	return problemsJSON{
		N: len(group), Group: column(group), Row: column(row), Message: column(message), Hint: column(hint), Value: column(value),
		Number: column(num), Line: column(line),
	}
}

// text cuts a text and gives what stands for it.
func (e *encoder) text(text string, limit int) any {
	short := cut(text, limit)
	e.cut = e.cut || len(short) < len(text)
	return e.texts.text(short)
}
