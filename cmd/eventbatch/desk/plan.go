package desk

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

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

// errSending refuses what has to wait until rows are sent.
var errSending = refuse(http.StatusConflict, "rows are being sent: wait for their end, or stop it")

// busy reports whether rows are being sent.
func (d *display) busy() bool {
	_, sending := d.now()
	return sending != nil && !sending.ended()
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
			return slices.Concat(command, d.Sending.Pace, []string{"--", said.Run}), -1, nil
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
		return errSending
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
	debug.FreeOSMemory() // a plan takes much more while it is made than while a person looks at it
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
	h.Notes, h.Problems = withoutPlaces(h.Notes, command), h.Problems.Mistakes(mostMistakes)
	back := command[0] == "undo"
	if back {
		words, err := d.takesBack(ctx, command[len(command)-1])
		if err != nil {
			return nil, err
		}
		h.Notes = append([]string{words}, h.Notes...)
	}
	var rows []byte
	if doc.Run != "" {
		rows = d.Document(ctx, "show", "--all", "--", doc.Run)
	}
	d.reads.RLock()
	defer d.reads.RUnlock()
	will, edited := unknown, (func(sheet string, row int) []field)(nil)
	if generation >= 0 { // else it is about the events of a run, and not of the file as it is read
		will, edited = calendar{&d.current.found}.will(), d.editedFields()
	}
	h.ops, err = newOps(rows, doc.Changes, back, will, edited)
	h.Changes = nil
	return h, err
}

// withoutPlaces leaves out of what a command notes where it stands in the page's own file of decisions, which nobody has written.
func withoutPlaces(notes, command []string) (words []string) {
	for _, note := range notes {
		for _, flag := range command {
			file, ok := strings.CutPrefix(flag, "--decisions=")
			if line, own := strings.CutPrefix(note, file+":"); ok && own {
				_, note, _ = strings.Cut(line, ": ")
			}
		}
		words = append(words, note)
	}
	return words
}

// ofFile returns the command that plans the file, as it is read at present and with what was decided about it.
func (d *outgoing) ofFile(ctx context.Context, said *asked) ([]string, error) {
	d.answering.Lock()
	defer d.answering.Unlock()
	if d.Session == nil || said.Generation != d.generation {
		return nil, errMoved
	}
	if err := d.waitFresh(ctx); err != nil {
		return nil, err
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
	file, err := d.mended()
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
