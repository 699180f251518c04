package desk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/own"
	"eventbatch/mapping/schema"
)

// Sending is how the page plans and sends: by commands, which are carried out in this process. The page says no word of
// theirs but row numbers, decisions and the effects that were ticked.
type Sending struct {
	Allow []string // the effects that may be ticked
	Flags []string // of plan, as the page was opened with
	Pace  []string // flags of commands that send, likewise
	Part  bool     // with them some rows are read only
	// Plan carries out a command that plans. It has leave to nothing, and nobody agrees to what it plans: nothing is sent.
	Plan func(ctx context.Context, words ...string) []byte
	// Send carries out a command that sends, with leave to these effects and no others, until it has come to its end, or
	// until the context ends and what had left is recorded. Each line of its log is one Write.
	Send func(ctx context.Context, lines io.Writer, allow []string, words ...string) []byte
	// Line returns a command line as a person writes it.
	Line func(words ...string) string
	// Folder is where the page keeps what was decided about a file with this sum.
	Folder func(sum string) (string, error)
}

// outgoing is what is planned of the file, or of a run, and what is sent of it.
type outgoing struct {
	reading

	decided     []decision // nil: not read yet; as the two that follow, for who says how the file is read
	leave       []rowName  // out of what is sent
	skipInvalid bool
	planning    sync.Mutex   // held by whoever plans, or begins to send
	showing     sync.RWMutex // held by whoever asks what is planned, or sent
	plan        *held        // nil: none
	sending     *sending     // nil: nothing was sent
}

// held is the plan that the page shows, whichever command has made it: what is sent is that, and no other.
type held struct {
	document
	ops        *ops
	line       string // that has planned it
	generation int    // of the file as it was read; -1 of a plan that is about no reading
	made       time.Time
}

// document is the document of a command that plans or sends, but for its long lists.
type document struct {
	Run      string
	Checksum string
	Rows     map[string]int
	Needs    []string
	Effects  finding.Effects
	Changes  []finding.ChangeLine
	Guards   []report.Guard
	Requests finding.Requests
	FinishAt *time.Time `json:"finish_at"`
	Exit     finding.Exit

	head map[string]json.RawMessage
}

// readDocument takes the lists out of a document.
func readDocument(text []byte) (doc document, err error) {
	if err := cmp.Or(json.Unmarshal(text, &doc.head), json.Unmarshal(text, &doc)); err != nil {
		return doc, fmt.Errorf("reading the document of a plan: %w", err)
	}
	for _, list := range []string{"changes", "problems", "missing"} {
		delete(doc.head, list)
	}
	return doc, nil
}

// asked is what a page asks a plan for: of its file, or of the run that waits to be gone on with.
type asked struct {
	Generation  int        `json:"generation"`
	Decisions   []decision `json:"decisions"`    // are added to those before; one without a decision takes it back
	Leave       *[]rowName `json:"leave"`        // the rows that are left out; nil: those that were
	SkipInvalid *bool      `json:"skip_invalid"` // nil: as before
	Run         string     `json:"run"`
	Doubt       *judgement `json:"doubt"` // about a row of that run
}

// rowName names a row.
type rowName struct {
	Sheet string `json:"sheet"`
	Row   int    `json:"row"`
}

// judgement is what a person has found out about a row in doubt: the event that it made, none where it is empty.
type judgement struct {
	rowName

	EventID string `json:"event_id"`
}

// makePlan makes a plan, and answers with it.
func (d *outgoing) makePlan(w http.ResponseWriter, r *http.Request) error {
	var said asked
	if err := body(r, &said); err != nil {
		return err
	}
	return d.planBy(w, r, func() (words []string, generation int, err error) {
		if said.Run != "" {
			words, err = d.goesOn(r.Context(), &said)
			return words, -1, err
		}
		words, err = d.ofFile(r.Context(), &said)
		return words, said.Generation, err
	})
}

// planOf returns what has a command plan what it does about a run that there is. Nobody agrees to it here.
func (d *outgoing) planOf(command ...string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		var said struct {
			Run string `json:"run"`
		}
		if err := body(r, &said); err != nil {
			return err
		}
		if !runID.MatchString(said.Run) {
			return refuse(http.StatusBadRequest, "that is not the id of a run")
		}
		return d.planBy(w, r, func() ([]string, int, error) { return append(slices.Clone(command), "--", said.Run), -1, nil })
	}
}

// planBy has a command plan, one at a time, and answers with what it has planned. The generation is -1 of a plan that is
// about no reading of the file.
func (d *outgoing) planBy(w http.ResponseWriter, r *http.Request, words func() ([]string, int, error)) error {
	if !d.planning.TryLock() {
		return refuse(http.StatusConflict, "something is being planned already: wait until that is done")
	}
	defer d.planning.Unlock()
	if d.busy() {
		return refuse(http.StatusConflict, "rows are being sent: wait for their end, or stop it")
	}
	command, generation, err := words()
	if err != nil {
		return err
	}
	h, err := d.hold(r.Context(), command, generation)
	if err != nil {
		return err
	}
	d.showing.Lock()
	old := d.plan
	d.plan = h
	d.showing.Unlock()
	if old != nil {
		_ = old.ops.file.Close() // it goes with the plan
	}
	return d.showPlan(w, r)
}

// hold carries out a command that plans, and takes what it says.
func (d *outgoing) hold(ctx context.Context, command []string, generation int) (*held, error) {
	text := d.Sending.Plan(ctx, command...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	doc, err := readDocument(text)
	if err != nil {
		return nil, err
	}
	h := &held{document: doc, line: d.Sending.Line(command...), generation: generation, made: time.Now()}
	var rows []byte
	if doc.Run != "" {
		rows = d.Document(ctx, "show", "--all", "--", doc.Run)
	}
	h.ops, err = newOps(rows, doc.Changes, command[0] == "undo")
	h.Changes = nil
	return h, err
}

// ofFile returns the command that plans the file, as it is read at present and with what was decided about it.
func (d *outgoing) ofFile(ctx context.Context, said *asked) ([]string, error) {
	d.answering.Lock()
	defer d.answering.Unlock()
	if d.Session == nil || said.Generation != d.generation {
		return nil, errMoved
	}
	if err := d.current.wait(ctx); err != nil {
		return nil, err
	}
	words := append([]string{"plan"}, d.Sending.Flags...)
	words = append(words, "--compare=live")
	if d.by != "" {
		if err := d.saveText(d.by); err != nil {
			return nil, err
		}
		words = append(words, "--mapping="+d.Mapping.Save)
	}
	decided, err := d.decide(ctx, said.Decisions)
	if err != nil {
		return nil, err
	}
	if decided != "" {
		words = append(words, "--decisions="+decided)
	}
	if said.Leave != nil {
		d.leave = *said.Leave
	}
	if len(d.leave) > 0 {
		rows, err := d.but(d.leave)
		if err != nil {
			return nil, err
		}
		words = append(words, "--rows="+rows)
	}
	if said.SkipInvalid != nil {
		d.skipInvalid = *said.SkipInvalid
	}
	if d.skipInvalid {
		words = append(words, "--skip-invalid")
	}
	file, err := d.mended(ctx)
	return append(words, "--", file), err
}

// but returns the value of --rows that leaves these rows out.
func (d *outgoing) but(leave []rowName) (string, error) {
	if d.Sending.Part {
		return "", refuse(http.StatusBadRequest, "the page was opened with some of the rows: leave the others out there, by --rows")
	}
	d.reads.RLock()
	sheets := d.current.State().Sheets
	d.reads.RUnlock()
	var words []string
	for i := range sheets {
		name, before := sheets[i].Name, ""
		if len(sheets) > 1 {
			before = name + "!"
		}
		if strings.Contains(before, ",") {
			return "", refuse(http.StatusBadRequest, "no rows of a sheet with a comma in its name can be left out here")
		}
		var out []int
		for _, l := range leave {
			if l.Sheet == name && l.Row > 0 {
				out = append(out, l.Row)
			}
		}
		slices.Sort(out)
		from := 1
		for _, row := range slices.Compact(out) {
			if row > from {
				words = append(words, before+strconv.Itoa(from)+"-"+strconv.Itoa(row-1))
			}
			from = row + 1
		}
		words = append(words, before+strconv.Itoa(from)+"-")
	}
	return strings.Join(words, ","), nil
}

// goesOn returns the command that tells what is left of a run of the file that was not brought to its end. It sends
// nothing, for nobody agrees to it.
func (d *outgoing) goesOn(ctx context.Context, said *asked) ([]string, error) {
	waits := d.unfinished(ctx)
	if waits == nil || waits.Run != said.Run {
		return nil, refuse(http.StatusConflict, "that run does not wait to be gone on with")
	}
	words := append([]string{"apply"}, d.Sending.Pace...)
	if said.Doubt != nil {
		if said.Doubt.EventID != "" && !eventID.MatchString(said.Doubt.EventID) {
			return nil, refuse(http.StatusBadRequest, "that is not the id of an event")
		}
		row, err := d.inDoubt(ctx, said.Run, said.Doubt.rowName)
		if err != nil {
			return nil, err
		}
		if said.Doubt.EventID == "" {
			words = append(words, "--not-created="+row)
		} else {
			words = append(words, "--adopt="+row+"="+said.Doubt.EventID)
		}
	}
	return append(words, "--", said.Run), nil
}

var eventID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,80}$`)

// inDoubt returns the name of a row in doubt as apply takes it.
func (d *outgoing) inDoubt(ctx context.Context, run string, name rowName) (string, error) {
	var shown struct{ Lines []shownRow }
	err := json.Unmarshal(d.Document(ctx, "show", "--", run), &shown)
	i := slices.IndexFunc(shown.Lines, func(o shownRow) bool {
		return o.Status == string(finding.InDoubt) && o.Sheet == name.Sheet && o.Row == name.Row
	})
	if err != nil || i < 0 {
		return "", refuse(http.StatusConflict, "that row is not in doubt")
	}
	row, sheet := strconv.Itoa(name.Row), ""
	if name.Sheet != "" {
		sheet = name.Sheet + "!"
	}
	return shown.Lines[i].File + ":" + sheet + row, nil
}

// unfinished is a run of the file that was begun and not brought to its end.
type unfinished struct {
	Run     string    `json:"run"`
	Created time.Time `json:"created"`
	Command string    `json:"command"`
	State   string    `json:"state"`
	Open    int       `json:"open"` // rows
}

// unfinished returns the run to be gone on with, nil where there is none.
func (d *outgoing) unfinished(ctx context.Context) *unfinished {
	var doc struct {
		Runs []struct {
			unfinished

			Files []string
		}
	}
	if json.Unmarshal(d.Document(ctx, "runs"), &doc) != nil {
		return nil
	}
	d.showing.RLock()
	defer d.showing.RUnlock()
	for i := range doc.Runs {
		run := &doc.Runs[i]
		about := slices.ContainsFunc(run.Files, func(name string) bool { return sameFile(name, d.File) || sameFile(name, d.Editing.Copy) })
		if d.sending != nil && d.sending.run == run.Run {
			about = true // as of an undo
		}
		if about && run.Open > 0 && strings.HasPrefix(run.State, "unfinished") {
			return &run.unfinished
		}
	}
	return nil
}

// applies returns the command that sends a plan, with leave to these effects.
func (d *outgoing) applies(h *held, allow ...string) []string {
	words := append([]string{"apply"}, d.Sending.Pace...)
	words = append(words, "--checksum="+h.Checksum)
	for _, effect := range allow {
		words = append(words, "--allow="+effect)
	}
	return append(words, "--", h.Run)
}

// sameFile reports whether two names are of one place.
func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	one, err := filepath.Abs(a)
	other, failed := filepath.Abs(b)
	return err == nil && failed == nil && one == other
}

// planState is the plan as the page shows it, with the document of the command that has made it.
type planState struct {
	Format      string                     `json:"format"`
	Plan        map[string]json.RawMessage `json:"plan"`    // null where nothing was planned
	OfFile      bool                       `json:"of_file"` // and not of a run that there is
	Command     string                     `json:"command"`
	Apply       string                     `json:"apply"` // the command that sends it, without leave; empty where there is nothing to send
	Made        *time.Time                 `json:"made"`
	Totals      string                     `json:"totals"`  // what becomes of the rows, in words
	Changes     int                        `json:"changes"` // rows that are sent
	Refusal     *finding.Exit              `json:"refusal"` // why nothing can be sent; null where nothing is left
	Reach       []reach                    `json:"reach"`
	Cancels     int                        `json:"cancels"` // the number to be typed; 0: none
	Guards      []guarded                  `json:"guards"`
	Fields      []share                    `json:"fields"`
	Heads       []head                     `json:"heads"`     // of a plan that takes back: what becomes of what was done
	Conflicts   []conflict                 `json:"conflicts"` // the first of them
	Contested   int                        `json:"contested"` // all
	Decided     []decision                 `json:"decided"`
	Leave       []rowName                  `json:"leave"`
	SkipInvalid bool                       `json:"skip_invalid"`
	Unfinished  *unfinished                `json:"unfinished"` // null where nothing waits to be gone on with
}

// showPlan answers with the plan that the page shows.
func (d *outgoing) showPlan(w http.ResponseWriter, r *http.Request) error {
	s := planState{
		Format: "eventbatch/desk-plan/1", Fields: []share{}, Conflicts: []conflict{}, Leave: []rowName{},
		Decided: []decision{}, Heads: []head{},
		Guards: []guarded{}, Reach: []reach{},
	}
	if !d.busy() {
		s.Unfinished = d.unfinished(r.Context())
	}
	d.answering.Lock()
	s.SkipInvalid, s.Leave = d.skipInvalid, append(s.Leave, d.leave...)
	s.Decided = append(s.Decided, d.decided...)
	generation := d.generation
	d.answering.Unlock()
	d.showing.RLock()
	defer d.showing.RUnlock()
	if h := d.plan; h != nil && (h.generation < 0 || h.generation == generation) {
		s.Plan, s.OfFile, s.Command, s.Made = h.head, h.generation >= 0, h.line, &h.made
		s.Fields, s.Totals, s.Changes = h.ops.shares, h.totals(), h.Rows["create"]+h.Rows["update"]+h.Rows["cancel"]
		s.Reach, s.Heads = h.reach(d.Sending.Allow), append(s.Heads, h.ops.heads...)
		for _, g := range h.Guards {
			s.Guards = append(s.Guards, guarded{
				strings.ReplaceAll(g.Name, "-", " ") + ": " + report.Number(g.Rows) + " of " + report.Number(g.Limit), g.Rows, g.Limit,
			})
		}
		s.Conflicts, s.Contested = h.ops.conflicts[:min(len(h.ops.conflicts), mostWindow)], len(h.ops.conflicts)
		switch {
		case h.Checksum == "" && h.Exit.Error != "":
			s.Refusal = &h.Exit
		case h.Checksum != "":
			s.Cancels = h.Effects.Cancel.Events
			s.Apply = d.Sending.Line(d.applies(h)...)
		}
	}
	return writeJSON(w, s)
}

// guarded is a bound of the plan in words.
type guarded struct {
	Words string `json:"words"`
	Rows  int    `json:"rows"`
	Limit int    `json:"limit"`
}

// reach is what a plan does to people or money.
type reach struct {
	Effect string `json:"effect"`
	Words  string `json:"words"`
	Needs  bool   `json:"needs"` // leave, which is ticked
	May    bool   `json:"may"`   // be ticked
}

// reach returns what a plan does to people and money, in the words of the terminal.
func (h *held) reach(allow []string) []reach {
	e := report.Effects{Effects: h.Effects, Asked: h.Effects.Mail}
	e.Asked.Events, e.Asked.Guests = max(0, e.Asked.Events-e.Cancel.Events), max(0, e.Asked.Guests-e.Cancel.Guests)
	list := []reach{}
	for _, effect := range schema.Leaves {
		of, needs := e.Of(effect), slices.Contains(h.Needs, string(effect))
		if effect == schema.Mails {
			of = &e.Asked
		}
		if needs || of.Any() {
			words := e.Words(effect, "")
			words = strings.ToUpper(words[:1]) + words[1:]
			list = append(list, reach{string(effect), words, needs, slices.Contains(allow, string(effect))})
		}
	}
	if e.Push.Any() {
		list = append(list, reach{string(schema.Pushes), "May push a new time or place to " + e.Push.People(""), false, false})
	}
	return list
}

// counted are the members of a document's rows that a plan tells, in their order.
var counted = []struct{ member, words string }{
	{"create", "to create"},
	{"update", "to change"},
	{"cancel", "to cancel"},
	{"unchanged", "as they are"},
	{"conflict", "in conflict"},
	{"blocked", "held back"},
	{"invalid", "with mistakes, left out"},
	{"skip", "left out"},
}

// totals says how many rows become what, and when that is done.
func (h *held) totals() string {
	var words []string
	for _, c := range counted {
		if n := h.Rows[c.member]; n > 0 {
			words = append(words, report.Number(n)+" "+c.words)
		}
	}
	if len(words) == 0 {
		words = []string{"nothing to do"}
	}
	if n := h.Requests.Planned; n > 0 {
		requests := report.Count(n, "request")
		if h.FinishAt != nil {
			requests += ", done about " + h.FinishAt.Local().Format("15:04:05")
		}
		words = append(words, requests)
	}
	return strings.Join(words, " · ")
}

// planOps answers with a window of what becomes of the rows.
func (d *outgoing) planOps(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	from, n := numberIn(q.Get("from"), 0, 1<<30), numberIn(q.Get("n"), mostWindow, mostWindow)
	d.showing.RLock()
	defer d.showing.RUnlock()
	if d.plan == nil {
		return refuse(http.StatusConflict, "nothing was planned yet")
	}
	rows, err := d.plan.ops.window(from, n)
	if err != nil {
		return err
	}
	return writeJSON(w, map[string]any{"format": "eventbatch/desk-ops/1", "from": from, "total": len(d.plan.ops.at), "rows": rows})
}

// decision is what was decided about a field, as --decisions has it.
type decision struct {
	Key      string  `json:"key"`
	EventID  string  `json:"event_id"`
	Field    string  `json:"field"`
	Live     *string `json:"live,omitempty"`
	Mine     *string `json:"mine,omitempty"`
	Decision string  `json:"decision"`
}

// of names what it is about.
func (d *decision) of() [3]string { return [3]string{d.Key, d.EventID, d.Field} }

// mostDecisions is how many decisions a page keeps.
const mostDecisions = 10_000

// decide adds decisions to those before and returns the file that has them, empty where there are none. What a page
// decides are conflicts that it shows, with the values that were shown. The caller has d.answering.
func (d *outgoing) decide(ctx context.Context, more []decision) (string, error) {
	d.reads.RLock()
	sum := d.current.Sum(ctx)
	d.reads.RUnlock()
	folder, err := d.Sending.Folder(sum)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "decisions.ndjson")
	if d.decided == nil {
		if d.decided, err = readDecisions(file); err != nil {
			return "", err
		}
	}
	all := slices.Clone(d.decided)
	for i := range more {
		one := &more[i]
		at := slices.IndexFunc(all, func(o decision) bool { return o.of() == one.of() })
		if one.Decision == "" {
			if at >= 0 {
				all = slices.Delete(all, at, at+1)
			}
			continue
		}
		shown, err := d.contested(one)
		if err != nil {
			return "", err
		}
		if at >= 0 {
			all[at] = shown
		} else {
			all = append(all, shown)
		}
	}
	if len(all) > mostDecisions {
		return "", refuse(http.StatusBadRequest, "more decisions than a page keeps: say --on-conflict mine or theirs, for all of them")
	}
	if len(more) > 0 {
		if err := writeDecisions(file, all); err != nil {
			return "", err
		}
		d.decided = all
	}
	if len(all) == 0 {
		return "", nil
	}
	return file, nil
}

// contested returns a decision with the values that the page has shown.
func (d *outgoing) contested(one *decision) (decision, error) {
	d.showing.RLock()
	defer d.showing.RUnlock()
	if !slices.Contains([]string{"mine", "theirs", "leave"}, one.Decision) {
		return decision{}, refuse(http.StatusBadRequest, "that is no decision")
	}
	if d.plan != nil {
		for i := range d.plan.ops.conflicts {
			if shown := d.plan.ops.conflicts[i].decision; shown.of() == one.of() {
				shown.Decision = one.Decision
				return shown, nil
			}
		}
	}
	return decision{}, refuse(http.StatusConflict, "that is not in conflict: look at the plan again")
}

func readDecisions(file string) ([]decision, error) {
	list := []decision{}
	text, err := own.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	for line := range bytes.Lines(text) {
		var one decision
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, refuse(http.StatusConflict, file+" is not as this page wrote it: "+err.Error())
		}
		list = append(list, one)
	}
	return list, err
}

func writeDecisions(file string, list []decision) error {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	for i := range list {
		if err := to.Encode(list[i]); err != nil {
			return err
		}
	}
	if err := own.ReplaceText(file, text.Bytes()); err != nil {
		return refuse(http.StatusInsufficientStorage, "writing what was decided: "+err.Error())
	}
	return nil
}

// errNoPlan refuses what is about another plan than the one that is shown.
var errNoPlan = refuse(http.StatusConflict, "that is not the plan that is shown now: look at it again")

// agreed is what a person agrees to: one plan, with the effects that were ticked and the number that was typed.
type agreed struct {
	Generation int      `json:"generation"`
	Run        string   `json:"run"`
	Checksum   string   `json:"checksum"`
	Allow      []string `json:"allow"`
	Typed      string   `json:"typed"`
}

// may refuses what nobody may send so. The caller has d.showing.
func (h *held) may(said *agreed, generation int, bound []string) error {
	switch {
	case h == nil || h.Checksum == "" || said.Run != h.Run || said.Checksum != h.Checksum:
		return errNoPlan
	case h.generation >= 0 && (h.generation != generation || said.Generation != generation):
		return errMoved
	}
	for _, effect := range said.Allow {
		if !slices.Contains(bound, effect) {
			return refuse(http.StatusForbidden, "leave to "+effect+" is not given here: open the file with --allow "+effect)
		}
	}
	for _, effect := range h.Needs {
		if !slices.Contains(said.Allow, effect) {
			return refuse(http.StatusForbidden, "nothing is sent: leave to "+effect+" was not ticked")
		}
	}
	if n := h.Effects.Cancel.Events; n > 0 && said.Typed != strconv.Itoa(n) {
		return refuse(http.StatusForbidden, "nothing is sent: the number of the events that are cancelled was not typed")
	}
	return nil
}
