package desk

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/own"
	"eventbatch/mapping/pattern"
)

// shownRow is a row as show has it, whose number is 0 of a key that is gone from its source.
type shownRow struct{ report.ShownRow }

// why returns why it became what it is.
func (r *shownRow) why() string { return plainRuns(cmp.Or(r.Error, r.Reason)) }

// op is what becomes of a row, or became of it, in words.
type op struct {
	Sheet  string   `json:"sheet"`
	Row    int      `json:"row"`
	Action string   `json:"action"`
	Sign   string   `json:"sign"`
	Does   string   `json:"does"`  // the sign in words
	Head   string   `json:"head"`  // that it stands below, in a plan that takes back
	Sends  bool     `json:"sends"` // of a row of the file, which may be left out of what is sent
	Title  string   `json:"title"`
	Words  string   `json:"words"`
	Fields []field  `json:"fields"`
	Asks   []string `json:"asks"` // what --rename says of a row that is held back until somebody says whether its event is new
}

// conflict is a field that both sides have changed, or an event that the platform has cancelled, whose field is empty.
type conflict struct {
	decision

	Title  string  `json:"title"`
	Ours   string  `json:"mine"` // in words, as the two others
	Theirs string  `json:"theirs"`
	Was    *string `json:"was"` // null where it is not known

	with []decision // about the fields that are decided together with it, whose values stand behind its own
}

// join adds a field that is decided together with it.
func (c *conflict) join(other *conflict) {
	words := "; " + plan.Called(other.Field) + ": "
	c.Ours += words + other.Ours
	c.Theirs += words + other.Theirs
	if c.Was != nil && other.Was != nil {
		*c.Was += words + *other.Was
	}
	c.with = append(c.with, other.decision)
}

// ops are the rows of a plan that do something or ask for something, in a file without a name, and what was counted of
// them. Where each stands is in memory.
type ops struct {
	file      *own.Temp
	at        []span // in the order in which they are shown
	shares    []share
	conflicts []conflict
	heads     *undoHeads     // nil of a plan that takes nothing back
	asks      []string       // of all rows
	asked     int            // rows that ask
	done      map[string]int // rows by their actions that a run which is gone on with has brought to an end
	undone    int            // rows whose events an undo has taken back
	gone      int            // those of them that nothing brings back, but which can be made anew

	edited func(sheet string, row int) []field // what a person has changed of a row on the page; nil of a plan that is not of the file
}

// sends reports whether something is sent for the row.
func (r *shownRow) sends() bool {
	return plan.Action(r.Action).Sends()
}

// ended reports whether a run that is gone on with does nothing more for the row.
func (r *shownRow) ended() bool {
	open := []finding.Status{"", finding.Pending, finding.InDoubt}
	return r.sends() && !slices.Contains(open, r.Status)
}

// span is where an op stands in the file.
type span struct {
	from int64
	len  int32
	rank int32
}

// signs are those of the actions in the order in which their rows are shown; what is unchanged is not.
var signs = []struct{ action, sign, does string }{
	{"conflict", "!", "in conflict"},
	{"cancel", "−", "to cancel"},
	{"update", "~", "to change"},
	{"create", "+", "to create"},
	{"blocked", "✗", "held back"},
	{"invalid", "✗", "with mistakes"},
	{"skip", "·", "left out"},
}

// rowOf is a row that changes are of.
type rowOf struct {
	file, sheet, eventID string
	row                  int
}

// of names the row as its changes do.
func (r *shownRow) of() rowOf { return rowOf{r.File, r.Sheet, r.EventID, r.Row} }

// changesOf returns the changes of each row.
func changesOf(changes []finding.ChangeLine) map[rowOf][]finding.ChangeLine {
	of := map[rowOf][]finding.ChangeLine{}
	for i := range changes {
		c := &changes[i]
		row := rowOf{c.File, c.Sheet, c.EventID, c.Row}
		of[row] = append(of[row], *c)
	}
	return of
}

// newOps takes the rows of a document of show, and the changes of the plan, which may have been refused without a run. The
// rows of an undo stand below heads. What is sent is told as the event that it will be.
func newOps(
	shown []byte, changes []finding.ChangeLine, undo bool, will func(*shownRow) (*event, error), edited func(sheet string, row int) []field,
) (*ops, error) {
	var doc struct{ Lines []shownRow }
	if len(shown) > 0 {
		if err := json.Unmarshal(shown, &doc); err != nil {
			return nil, fmt.Errorf("reading the rows of a plan: %w", err)
		}
	}
	file, err := own.NewTemp("plan")
	if err != nil {
		return nil, err
	}
	o := &ops{file: file, conflicts: []conflict{}, edited: edited, done: map[string]int{}}
	if undo {
		o.heads = newUndoHeads()
	}
	of := changesOf(changes)
	out, stands := bufio.NewWriter(file), int64(0)
	fields, events := tally{by: map[string]int{}}, eventsOf(doc.Lines)
	for i := range doc.Lines {
		line := &doc.Lines[i]
		of := of[line.of()]
		fields.take(line, of)
		if line.ended() {
			o.done[line.Action]++
			continue
		}
		o.conflicts = append(o.conflicts, conflictsOf(line, of)...)
		told, rank, shown := o.place(line, of)
		if !shown {
			continue
		}
		partly := func(c finding.ChangeLine) bool { return stays[c.Decision] != "" } // the file does not say then what the event will be
		if line.Action == "create" || line.Action == "update" && !slices.ContainsFunc(of, partly) {
			e, err := will(line)
			if err != nil {
				return nil, err
			}
			if e != nil {
				told.Words = e.line()
			}
		}
		if edited != nil { // else nothing is ticked
			events.tick(&told)
		}
		text, err := json.Marshal(told)
		if err != nil {
			return nil, err
		}
		_, _ = out.Write(text) // Flush tells
		o.at = append(o.at, span{stands, int32(len(text)), int32(rank)})
		stands += int64(len(text))
	}
	o.shares = fields.shares()
	slices.SortStableFunc(o.at, func(a, b span) int { return cmp.Compare(a.rank, b.rank) })
	return o, out.Flush()
}

// perRow counts the events of rows: those of one row are sent, or left out, together.
type perRow map[rowName]int

func eventsOf(lines []shownRow) perRow {
	all := perRow{}
	for i := range lines {
		if l := &lines[i]; l.sends() && !l.ended() {
			all[rowName{l.Sheet, l.Row}]++
		}
	}
	return all
}

// tick has the first event of a row stand for all in what is ticked, and say so.
func (all perRow) tick(o *op) {
	if !o.Sends {
		return
	}
	row := rowName{o.Sheet, o.Row}
	switch n := all[row]; {
	case n == 0:
		o.Sends = false
	case n > 1:
		o.Words += "; with the " + printable.Pick(n-1, "other event", report.Number(n-1)+" other events") + " of the row"
		all[row] = 0
	}
}

// unknown tells of no row which event it will be.
func unknown(*shownRow) (*event, error) { return nil, nil }

// place puts a row into words, and returns where it stands among the others; not shown is what stays as it is,
// but for what was taken back.
func (o *ops) place(line *shownRow, of []finding.ChangeLine) (told op, rank int, shown bool) {
	undo, action, why := o.heads != nil, line.Action, line.Reason
	switch takenBack := strings.Contains(why, "undone by run "); {
	case action != "unchanged":
	case undo:
		action = "skip" // it stays as others have it
	case takenBack:
		o.undone++
		action = "skip" // the file asks for it, and nothing is sent
		if before, _, gone := strings.Cut(why, ": --forget-missing "); gone {
			o.gone++
			why = before + ": it was cancelled, and can be made anew"
		} else {
			why += ": to have it again, take that back under Runs"
		}
	}
	rank = slices.IndexFunc(signs, func(s struct{ action, sign, does string }) bool { return s.action == action })
	if rank < 0 {
		return told, 0, false
	}
	if action == "create" || action == "update" {
		why = "" // the sign says it
	}
	told = line.told(signs[rank].sign, signs[rank].does, why)
	told.Fields = fieldsOf(of, undo)
	if line.Action == "blocked" && !undo && len(line.Asks) > 0 {
		told.Asks, o.asks = line.Asks, append(o.asks, line.Asks...)
		o.asked++
		if o.edited != nil { // which may be why it looks like another event
			told.Fields = append(told.Fields, o.edited(line.Sheet, line.Row)...)
		}
	}
	if undo {
		var at int
		at, told.Head = o.heads.take(line, of)
		rank += at * len(signs)
	}
	return told, rank, true
}

// conflictsOf returns the conflicts of a row.
func conflictsOf(line *shownRow, of []finding.ChangeLine) (list []conflict) {
	for i := range of {
		c := &of[i]
		if c.Decision != "conflict" {
			continue
		}
		one := conflict{
			decision: decision{Key: c.Key, EventID: c.EventID, Field: c.Field, Live: c.Live, Mine: &c.Mine},
			Title:    line.title(),
		}
		one.Ours, one.Theirs = values(c.Ours(), c.Theirs())
		if c.Base != nil {
			was, _ := values(c.Was(), c.Ours())
			if beside, _ := values(c.Was(), c.Theirs()); len(beside) > len(was) { // with its offset
				was = beside
			}
			one.Was = &was
		}
		if at := slices.IndexFunc(list, func(o conflict) bool { return plan.Together(o.Field, one.Field) }); at >= 0 {
			list[at].join(&one)
		} else {
			list = append(list, one)
		}
	}
	if line.Action == "conflict" && len(list) == 0 && line.Reason == plan.BothChanged && line.Key != "" && line.Row > 0 {
		list = append(list, conflict{decision: decision{Key: line.Key, EventID: line.EventID}, Title: line.title()})
	}
	return list
}

// title names a row.
func (r *shownRow) title() string {
	words := plan.Title(r.Key, r.Name)
	switch {
	case r.Row > 0 && words == "":
		return "row " + report.Number(r.Row)
	case r.Row > 0:
		words += " (row " + report.Number(r.Row) + ")"
	}
	return words
}

// namedRun is a run as reasons name it.
var namedRun = pattern.New(`\brun \d{8}-\d{6}-[0-9a-z]+`)

// plainRuns leaves out the ids of runs, by which nobody finds one on the page.
func plainRuns(why string) string {
	const since = " has changed it since"
	return strings.ReplaceAll(namedRun().ReplaceAllString(why, "an earlier run"), "an earlier run"+since, "a later run"+since)
}

// told puts a row into words.
func (r *shownRow) told(sign, does, why string) op {
	why = plainRuns(why)
	words := why
	if r.StartAt != nil {
		words = strings.TrimSuffix(r.StartAt.Format("Mon 2 Jan 2006 15:04")+" · "+why, " · ")
	}
	return op{
		Sheet: r.Sheet, Row: r.Row, Action: r.Action, Sign: sign, Does: does, Title: r.title(), Words: words,
		Sends:  r.Row > 0 && r.sends(),
		Fields: []field{}, Asks: []string{},
	}
}

// window returns some of the ops, the first at least.
func (o *ops) window(from, n int) ([]json.RawMessage, error) {
	rows := []json.RawMessage{}
	from = min(from, len(o.at))
	var room room
	for _, at := range o.at[from:min(from+n, len(o.at))] {
		if !room.takes(int(at.len)) {
			break
		}
		text := make([]byte, at.len)
		if _, err := o.file.ReadAt(text, at.from); err != nil {
			return nil, err
		}
		rows = append(rows, text)
	}
	return rows, nil
}
