package desk

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/own"
	"eventbatch/mapping/pattern"
	"eventbatch/mapping/reads"
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

// field is one that changes, or stays, in words.
type field struct {
	Field  string  `json:"field"`
	Before *string `json:"before"` // null where it is not known
	After  string  `json:"after"`  // empty of one that is not sent
	Note   string  `json:"note"`   // of that, why
}

// share is how many rows change a field, of those that are there, or how many a bound of the plan counts, of those that it lets.
type share struct {
	Field   string `json:"field"` // empty: a bound of the plan
	Changes int    `json:"changes"`
	Words   string `json:"words"`
	Doubt   bool   `json:"doubt"` // all of the rows change it, as by a column out of step, or the bound is not kept
}

// shareOf returns how many of the rows change a field.
func shareOf(field string, changes, of int) share {
	s := share{field, changes, fmt.Sprintf("changes in %s of %s", report.Number(changes), report.Number(of)), of > 4 && changes == of}
	if s.Doubt {
		s.Words += ": is a column out of step?"
	}
	return s
}

// conflict is a field that both sides have changed, or an event that the platform has cancelled, whose field is empty.
type conflict struct {
	decision

	Title  string  `json:"title"`
	Ours   string  `json:"mine"` // in words, as the two others
	Theirs string  `json:"theirs"`
	Was    *string `json:"was"` // null where it is not known
}

// mostFields is how many fields a plan names with their shares.
const mostFields = 40

// ops are the rows of a plan that do something or ask for something, in a file without a name, and what was counted of
// them. Where each stands is in memory.
type ops struct {
	file      *own.Temp
	at        []span // in the order in which they are shown
	shares    []share
	conflicts []conflict
	heads     []head
	partly    int            // rows below another head than that of what is lost, which lose a field
	asks      []string       // of all rows
	asked     int            // rows that ask
	done      map[string]int // rows by their actions that a run which is gone on with has brought to an end
	undone    int            // rows whose events an undo has taken back
	gone      int            // those of them that nothing brings back, but which can be made anew

	edited func(sheet string, row int) []field // what a person has changed of a row on the page; nil of a plan that is not of the file
}

// head is what becomes of what a run has done, where it is taken back.
type head struct {
	Words string `json:"words"`
	Rows  int    `json:"rows"`
}

// The heads, in the order in which they are shown.
const (
	headBack = iota
	headKept
	headLost
)

// newHeads returns the heads without rows.
func newHeads() []head {
	return []head{headBack: {Words: "Goes back"}, headKept: {Words: "Kept, changed since"}, headLost: {Words: "Lost for good"}}
}

// told returns the heads of an undo, and of how many rows below the others a field is lost; none of any other plan.
func (o *ops) told() []head {
	if o.partly == 0 {
		return o.heads
	}
	return append(slices.Clip(o.heads), head{"Of these, with a field lost for good", o.partly})
}

// isLost reports whether nothing puts a field back.
func isLost(c finding.ChangeLine) bool { return c.Decision == "lost" }

// headOf returns below which of the heads a row of an undo stands: one that goes back may keep or lose fields, which say so.
func headOf(line *shownRow, of []finding.ChangeLine) int {
	other := func(c finding.ChangeLine) bool { return !isLost(c) }
	switch {
	case line.sends():
		return headBack
	case strings.HasPrefix(line.Reason, "lost: "), len(of) > 0 && !slices.ContainsFunc(of, other):
		return headLost
	}
	return headKept
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
	o := &ops{file: file, shares: []share{}, conflicts: []conflict{}, edited: edited, done: map[string]int{}}
	if undo {
		o.heads = newHeads()
	}
	of := changesOf(changes)
	out, stands := bufio.NewWriter(file), int64(0)
	there, changed, events := 0, map[string]int{}, eventsOf(doc.Lines)
	for i := range doc.Lines {
		line := &doc.Lines[i]
		of := of[line.of()]
		if line.Action == "update" || line.Action == "unchanged" || line.Action == "conflict" {
			there++
		}
		if line.ended() {
			o.done[line.Action]++
			continue
		}
		o.count(line, of, changed)
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
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		if changed[name] > 0 { // else it is in conflict wherever it would change
			o.shares = append(o.shares, shareOf(name, changed[name], there))
		}
	}
	slices.SortStableFunc(o.shares, func(a, b share) int { return b.Changes - a.Changes })
	o.shares = o.shares[:min(len(o.shares), mostFields)]
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
		at := headOf(line, of)
		told.Head = o.heads[at].Words
		o.heads[at].Rows++
		if at != headLost && slices.ContainsFunc(of, isLost) {
			o.partly++
		}
		rank += at * len(signs)
	}
	return told, rank, true
}

// count counts the fields of a row, and takes its conflicts.
func (o *ops) count(line *shownRow, of []finding.ChangeLine, changed map[string]int) {
	contested := false
	for i := range of {
		c := &of[i]
		if c.Decision == string(plan.Follow) {
			continue // which no column is behind
		}
		n := 0
		if c.Decision == "send" {
			n = 1
		}
		changed[c.Field] += n
		if c.Decision != "conflict" {
			continue
		}
		contested = true
		one := conflict{
			decision: decision{Key: c.Key, EventID: c.EventID, Field: c.Field, Live: c.Live, Mine: &c.Mine},
			Title:    line.title(),
		}
		one.Ours, one.Theirs = values(c.Zone, c.Mine, *cmp.Or(c.Live, new(string)))
		if c.Base != nil {
			was, _ := values(c.Zone, *c.Base, c.Mine)
			one.Was = &was
		}
		o.conflicts = append(o.conflicts, one)
	}
	if line.Action == "conflict" && !contested && line.Reason == plan.BothChanged && line.Key != "" && line.Row > 0 {
		o.conflicts = append(o.conflicts, conflict{
			decision: decision{Key: line.Key, EventID: line.EventID}, Title: line.title(),
		})
	}
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

// stays are the decisions by which a field is not sent.
var stays = map[string]string{"conflict": "in conflict", "leave": "stays", "lost": "cannot be put back"}

// values returns two values as they are shown beside each other. Nobody types on the page what takes one away.
func values(zone, before, after string) (string, string) {
	words := func(text string) string {
		if text == reads.Clear {
			return "nothing"
		}
		return text
	}
	before, after = report.Values(zone, before, after)
	return words(before), words(after)
}

// fieldsOf puts changes into words: of a run, or of what takes one back.
func fieldsOf(changes []finding.ChangeLine, undo bool) []field {
	list := []field{}
	for i := range changes {
		c := &changes[i]
		if c.Decision == "same" {
			continue
		}
		f := field{Field: c.Field}
		before := cmp.Or(c.Live, c.Base)
		was, is := values(c.Zone, *cmp.Or(before, new(string)), c.Mine)
		file := "; the file says " + is
		if undo {
			file = "" // it says nothing of what was before
		}
		if before != nil {
			f.Before = &was
		}
		switch stay := stays[c.Decision]; {
		case c.Decision == string(plan.Follow):
			f.After, f.Note = is, ", "+c.Why
		case stay == "":
			f.After = is
		case c.Why == "":
			f.Note = " " + stay + file
		default:
			f.Note = " " + stay + ", " + c.Why + file
		}
		list = append(list, f)
	}
	return list
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
