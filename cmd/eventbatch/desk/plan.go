package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
)

// Sending is how the page plans and sends: by commands, which are carried out in this process. The page says no word of
// theirs but row numbers, decisions and the effects that were ticked.
type Sending struct {
	To    string         // what is planned against and sent to, in words behind a file's name
	Allow []string       // the effects that may be ticked
	Flags []string       // of plan, as the page was opened with
	Pace  []string       // flags of commands that send, likewise
	Rows  mapping.RowSet // that are read with them
	Limit bool           // with them the first rows are read only
	Fresh time.Duration  // how old a plan may be that is sent as it was shown
	// Plan carries out a command that plans. It has leave to nothing, and nobody agrees to what it plans: nothing is sent.
	Plan func(ctx context.Context, words ...string) []byte
	// Send carries out a command that sends, with leave to these effects and no others, until it has come to its end, or
	// until the context ends and what had left is recorded. Each line of its log is one Write.
	Send func(ctx context.Context, lines io.Writer, allow []string, words ...string) []byte
	// Line returns a command line as a person writes it.
	Line func(words ...string) string
	// Open returns the command line that opens the page with leave to these effects besides.
	Open func(effects ...string) string
	// Folder is where the page keeps what was decided about a file with this sum.
	Folder func(sum string) (string, error)
}

// applies returns the command that sends a plan, with leave to these effects.
func (s *Sending) applies(h *held, allow ...string) []string {
	words := append([]string{"apply"}, s.Pace...)
	words = append(words, "--checksum="+h.Checksum)
	for _, effect := range allow {
		words = append(words, "--allow="+effect)
	}
	return append(words, "--", h.Run)
}

// outgoing is what is planned of the file, or of a run, and what is sent of it.
type outgoing struct {
	reading
	choices
	display

	planning sync.Mutex // held by whoever plans, or begins to send
}

// display is what is planned and what is sent, as tabs look at it. The plan is changed by who has planning too.
type display struct {
	showing sync.RWMutex // held by whoever asks what is planned, or sent
	plan    *held        // nil: none
	sending *sending     // nil: nothing was sent
}

// now returns what is planned, and what is sent.
func (d *display) now() (*held, *sending) {
	d.showing.RLock()
	defer d.showing.RUnlock()
	return d.plan, d.sending
}

// sentRun returns the run that is sent, or was sent last; empty where none was.
func (d *display) sentRun() string {
	if _, sending := d.now(); sending != nil {
		return sending.run
	}
	return ""
}

// busy reports whether rows are being sent.
func (d *display) busy() bool {
	_, sending := d.now()
	return sending != nil && !sending.ended()
}

// held is the plan that the page shows, whichever command has made it: what is sent is that, and no other.
type held struct {
	document
	ops        *ops
	line       string // that has planned it
	command    []string
	generation int // of the file as it was read; -1 of a plan that is about no reading
	made       time.Time
	moved      *moved // since one that was shown before it, and that was too old
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
	Decided  schema.Decided
	Requests finding.Requests
	FinishAt *time.Time `json:"finish_at"`
	Exit     finding.Exit

	head map[string]json.RawMessage
}

// readDocument reads the document of a command that plans or sends, without its lists.
func readDocument(text []byte) (doc document, err error) {
	doc.head, err = membersOf(text, &doc, "changes", "problems", "missing")
	return doc, err
}

// membersOf reads the document of a command, and returns its members but for some long lists.
func membersOf(text []byte, into any, lists ...string) (head map[string]json.RawMessage, err error) {
	if err := cmp.Or(json.Unmarshal(text, &head), json.Unmarshal(text, into)); err != nil {
		return nil, fmt.Errorf("reading the document of a command: %w", err)
	}
	maps.DeleteFunc(head, func(name string, _ json.RawMessage) bool { return slices.Contains(lists, name) })
	return head, nil
}

// asked is what a page asks a plan for: of its file, or of the run that waits to be gone on with.
type asked struct {
	Generation  int        `json:"generation"`
	Decisions   []decision `json:"decisions"`    // are added to those before; one without a decision takes it back
	Leave       *[]rowName `json:"leave"`        // the rows that are left out; nil: those that were
	SkipInvalid *bool      `json:"skip_invalid"` // nil: as before
	Remake      *bool      `json:"remake"`       // what was taken back is made anew; nil: as before
	Rename      *string    `json:"rename"`       // is added to those before; empty: none of them is said any more; nil: as before
	Run         string     `json:"run"`
	Doubt       *judgement `json:"doubt"` // about a row of that run
	Since       string     `json:"since"` // checksum of the plan that is shown, which is made anew and compared with that
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
	return d.planBy(w, r, said.Since, func(shown *held) (words []string, generation int, err error) {
		if shown != nil && shown.generation < 0 {
			return shown.command, -1, nil
		}
		if said.Run != "" {
			words, err = d.goesOn(r.Context(), &said, d.sentRun())
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
		if !runID().MatchString(said.Run) {
			return refuse(http.StatusBadRequest, "that is not the id of a run")
		}
		return d.planBy(w, r, "", func(*held) ([]string, int, error) {
			return append(slices.Clone(command), "--", said.Run), -1, nil
		})
	}
}

// planBy has a command plan, one at a time, and answers with what it has planned. The generation is -1 of a plan that is
// about no reading of the file. Where the plan of a checksum is made anew, that is handed to words.
func (d *outgoing) planBy(
	w http.ResponseWriter, r *http.Request, since string, words func(shown *held) (command []string, generation int, err error),
) error {
	if !d.planning.TryLock() {
		return refuse(http.StatusConflict, "something is being planned already: wait until that is done")
	}
	defer d.planning.Unlock()
	if d.busy() {
		return refuse(http.StatusConflict, "rows are being sent: wait for their end, or stop it")
	}
	old, _ := d.now() // which nobody else changes meanwhile
	var shown *held
	if since != "" {
		if shown = old; old == nil || old.Checksum != since {
			return errNoPlan
		}
	}
	command, generation, err := words(shown)
	if err != nil {
		return err
	}
	h, err := d.hold(r.Context(), command, generation)
	if err != nil {
		return err
	}
	if shown != nil {
		if h.moved, err = h.ops.since(shown.ops); err != nil {
			return errors.Join(err, h.ops.file.Close())
		}
	}
	d.showing.Lock()
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
	h := &held{document: doc, line: d.Sending.Line(command...), command: command, generation: generation, made: time.Now()}
	var rows []byte
	if doc.Run != "" {
		rows = d.Document(ctx, "show", "--all", "--", doc.Run)
	}
	d.reads.RLock()
	defer d.reads.RUnlock()
	will, edited := unknown, (func(sheet string, row int) []field)(nil)
	if generation >= 0 { // else it is about the events of a run, and not of the file as it is read
		will, edited = d.current.will(), d.editedFields()
	}
	h.ops, err = newOps(rows, doc.Changes, command[0] == "undo", will, edited)
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
	read, _, err := d.current.Summary(ctx)
	if err != nil {
		return nil, err
	}
	if why := d.unanswered(ctx, read); why != "" {
		return nil, refuse(http.StatusConflict, why)
	}
	flags := d.Sending.Flags
	words := []string{"--compare=live"}
	if d.by != "" {
		if err := d.saveText(d.by); err != nil {
			return nil, err
		}
		words = append(words, "--mapping="+d.Mapping.Save)
	}
	folder, err := d.folder(ctx)
	if err != nil {
		return nil, err
	}
	shown, _ := d.now()
	decided, err := d.decide(folder, said.Decisions, shown)
	if err != nil {
		return nil, err
	}
	if decided != "" {
		words = append(words, "--decisions="+decided)
	}
	if said.Leave != nil {
		edited, err := d.leaveOut(*said.Leave, d.current, d.Editing.Edits)
		if edited {
			d.readBehind()
		}
		if err != nil {
			return nil, err
		}
	}
	if out := d.out(d.Editing.Edits); len(out) > 0 {
		rows, err := d.but(out)
		if err != nil {
			return nil, err
		}
		flags = slices.DeleteFunc(slices.Clone(flags), func(flag string) bool { return strings.HasPrefix(flag, "--rows=") })
		words = append(words, "--rows="+rows)
	}
	words = append(words, d.switches.flags(said)...)
	if err := d.renames.take(said.Rename, d.generation, shown); err != nil {
		return nil, err
	}
	for _, keys := range d.renames.keys {
		words = append(words, "--rename="+keys)
	}
	if d.Editing.Edits != nil && d.Editing.Edits.changed(ctx) {
		return nil, refuse(http.StatusConflict, filepath.Base(d.File)+" has been saved since it was read: read it again first")
	}
	file, err := d.mended(ctx)
	return slices.Concat([]string{"plan"}, flags, words, []string{"--", file}), err
}

// folder returns where the page keeps what was decided about its file. The caller has d.answering.
func (d *outgoing) folder(ctx context.Context) (string, error) {
	d.reads.RLock()
	sum := d.current.Sum(ctx)
	d.reads.RUnlock()
	folder, err := d.Sending.Folder(sum)
	if err != nil {
		return "", refuse(http.StatusConflict, "what was decided is not read: "+err.Error())
	}
	return folder, nil
}

// newKeys is what --rename takes where new keys are those of new events.
const newKeys = "none"

// anew reports whether a plan is refused, unless new keys are those of new events.
func (h *held) anew() bool {
	return h.Checksum == "" && strings.Contains(h.Exit.Hint, "--rename "+newKeys)
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

// errOld refuses a plan that is too old to be sent as it was shown: the page makes it anew.
var errOld = refuse(http.StatusPreconditionRequired, "the plan is older than ten minutes: see what has moved since")

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
	for _, effect := range said.leave() {
		if !slices.Contains(bound, effect) {
			return refuse(http.StatusForbidden, "leave to "+effect+" is not given here: open the file with --allow "+effect)
		}
	}
	for _, effect := range h.Needs {
		if !slices.Contains(said.Allow, effect) {
			return refuse(http.StatusForbidden, "nothing is sent: leave to "+effect+" was not ticked")
		}
	}
	if h.pushes() && !slices.Contains(said.Allow, string(schema.Pushes)) {
		return refuse(http.StatusForbidden, "nothing is sent: that guests may be told of a new time or place was not ticked")
	}
	if n := h.Effects.Cancel.Events; n > 0 && said.Typed != strconv.Itoa(n) {
		return refuse(http.StatusForbidden, "nothing is sent: the number of the events that are cancelled was not typed")
	}
	return nil
}
