package desk

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// reading is the file as it is read at present: by which mapping, and with which cells changed.
type reading struct {
	Config
	attention

	ctx context.Context // of all readings, and of what is sent
	end func()

	answering  sync.Mutex // held by whoever says how the file is read
	known      Mapped     // by map, of the answers so far; zero: not asked yet
	answers    []Answer
	asked      questions
	saved      mappingFile
	reads      sync.RWMutex // held by whoever asks the session
	current    *Session
	stop       func() // ends its reading
	by         string // the mapping that it is read by
	kept       bool   // which was there before the page
	generation int    // counts the answers and the edits
	answered   int    // as it was at the last answer
	behind     *behind
	behinds    sync.WaitGroup
	copyHas    string // the edits that the copy has, as edited names them; empty where the page has written none
	foreseen   foreseen
}

// attention is when somebody last looked.
type attention struct {
	mu     sync.Mutex
	looked time.Time
}

// mostAnswers is how many answers a page keeps.
const mostAnswers = 200

// body decodes the body of a request. A word that the route does not know is refused, and not passed over.
func body(r *http.Request, said any) error {
	if finding.DecodeOne(r.Body, said) == nil {
		return nil
	}
	return refuse(http.StatusBadRequest, "the body is not the page's")
}

// read answers from the file as it is read at present, unless a tab asks about an earlier reading.
func (d *reading) read(r *http.Request, answer func(*Session) error) error {
	d.reads.RLock()
	defer d.reads.RUnlock()
	if d.moved(r) {
		return errMoved
	}
	return answer(d.current)
}

// moved reports whether a tab asks about an earlier reading. One that asks about this reading before some edit is told what
// is now: it may be the tab whose edit is on its way.
func (d *reading) moved(r *http.Request) bool {
	g := r.URL.Query().Get("g")
	n, err := strconv.Atoi(g)
	return g != "" && (err != nil || n < d.answered || n > d.generation)
}

var errMoved = refuse(http.StatusPreconditionFailed, "another tab has answered since")

// state tells what the page is about, whoever asks again once the file was read, or soon.
func (d *reading) state(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Has("again") {
		d.further(r.Context())
	}
	s := State{Format: stateFormat, Done: true, Rows: finding.Totals{}, Sheets: []Sheet{}}
	d.answering.Lock()
	defer d.answering.Unlock()
	if d.current != nil {
		s = d.current.State()
	}
	s.To, s.Clicks, s.Calendar = d.Sending.To, d.clicks(), calendarHeads
	s.File, s.Marked, s.Generation, s.Answers = d.File, d.Marked, d.generation, d.asked.told(d.answers)
	s.Edits = d.stateEdits()
	if !d.kept {
		_ = d.isSaved(d.known.Text) || d.isSaved(d.by) // written by the line that the page shows, say
	}
	command, making, asking := d.lines(s.Edits)
	s.Command = command
	switch {
	case d.kept:
		s.By = filepath.Base(d.Mapping.By)
		if s.Kept = "The rows are read by " + s.By + ", which was there."; d.Mapping.Save != "" {
			s.Kept += " It stays as it is until you save another."
		}
	case d.Mapping.Unread != "":
		s.Kept = "A file with answers lies beside this one, and the rows are not read by it: " + d.Mapping.Unread
	}
	if unread := d.asked.unread(s.Sheets); unread != "" {
		s.Kept = strings.TrimSpace(s.Kept + " " + unread)
	}
	if d.Mapping.Save != "" {
		saved := d.saved.text != "" && d.saved.text == cmp.Or(d.known.Text, d.by)
		s.Mapping = &StateMapping{filepath.Base(d.Mapping.Save), d.by != "", saved, making}
	}
	s.Done = s.Done && d.behind == nil
	if out := d.Editing.Edits.leftOut(); len(out) > 0 && s.Done {
		if rows, err := d.but(out); err == nil {
			s.Command = d.Editing.Rows(s.Command, rows)
		}
	}
	s.First = s.first(func() bool { // map is not asked behind each edit of a large file
		return d.known.Open > 0 || d.generation == 0 && d.mapped(r.Context()).Open > 0
	})
	if s.Title = "Runs" + s.To; s.File != "" {
		s.Title = filepath.Base(s.File) + s.To
	}
	if lacks := d.Sending.lacks([]string{string(schema.Cancels)}); d.Sending.Plan != nil && len(lacks) > 0 {
		may := "This page may make and change events"
		if len(d.Sending.Allow) > 0 {
			may += ", and where that is ticked " + strings.Join(d.Sending.Allow, ", ")
		}
		s.Undo = &withLeave{
			Words:   may + ". It may cancel none, and so take back none that are new: for that, close it and open it again by",
			Command: d.Sending.Open(lacks...),
		}
	}
	if s.Sends, s.Sum = d.Sending.Plan != nil, s.sum(); s.Done {
		if open := d.unanswered(r.Context(), s.Read); open != "" {
			s.Sum, s.Command = open, asking
		}
	}
	return writeJSON(w, s)
}

// lines returns three command lines: the one that says the same as the page, from the files that are there; the one that makes the
// mapping; and the one that makes none, and asks what is open.
func (d *reading) lines(edits *StateEdits) (same, making, asking string) {
	if same = d.Command; d.Mapping.Lines == nil {
		return same, "", ""
	}
	asking, saving, checking := d.Mapping.Lines(d.answers)
	if d.by != "" {
		same = checking
	}
	mending := ""
	if edits != nil && edits.Cells > 0 {
		same, asking = d.Editing.Checking(same), d.Editing.Checking(asking)
		if !edits.Written {
			mending = edits.Command + "\n" // which ends as the check of the copy does
		}
	}
	if making = asking + saving; d.saved.text != "" { // it is there
		making += " --force"
	}
	switch {
	case d.by != d.saved.text && d.by != "":
		same = mending + making + " && " + same
	case mending != "":
		same = edits.Command
	}
	return same, mending + making, mending + asking
}

// further waits until the file was read, for 30 ms at most.
func (d *reading) further(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, 30*time.Millisecond)
	defer stop()
	if d.settled(ctx) != nil {
		return
	}
	d.answering.Lock()
	s := d.current
	d.answering.Unlock()
	if s != nil {
		_ = s.wait(ctx) // which the answer tells
	}
}

// mapped returns the document of map for the answers so far. Those to questions about cells that hold something else now are
// forgotten.
func (d *reading) mapped(ctx context.Context) Mapped {
	if d.known.Document != nil {
		return d.known
	}
	known, fit := d.Mapping.Map(ctx, d.answers), d.answers
	if known.Text == "" && len(fit) > 0 {
		known, fit = d.Mapping.Map(ctx, nil), nil
		for _, a := range d.answers {
			if with := d.Mapping.Map(ctx, append(slices.Clip(fit), a)); with.Text != "" {
				known, fit = with, append(slices.Clip(fit), a)
			}
		}
	}
	if ctx.Err() != nil { // the document says that it was interrupted
		return known
	}
	d.asked.learn(known.Document)
	if d.known = known; known.Text != "" {
		d.answers = fit
	}
	return known
}

// unanswered says what a person has to say before any row is read, or before what was said so far counts; empty where there is
// nothing.
func (d *reading) unanswered(ctx context.Context, read int) string {
	if read > 0 && len(d.answers) == 0 || d.by != "" || d.Mapping.Save == "" {
		return ""
	}
	mapped := d.mapped(ctx)
	if why := mapped.Refused; why != "" && why != d.current.refusal() { // which says what to do
		return begin(strings.TrimPrefix(why, d.File+": "))
	}
	if mapped.Open == 0 {
		if mapped.Text != "" && d.current.refusal() != "" {
			return "No row is read by the names of the columns alone: have the rows read by what is proposed, under Questions"
		}
		return ""
	}
	then := "no row is read before the answers under Questions"
	if read > 0 { // by the names of the columns alone
		then = "what was answered counts once all are answered under Questions"
	}
	return report.Count(mapped.Open, "question") + " open: " + then
}

// begin returns words as a sentence begins.
func begin(words string) string {
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}

// columns answers with the document of map: on the mapping that the rows are read by, or what it proposes.
func (d *reading) columns(w http.ResponseWriter, r *http.Request) error {
	d.answering.Lock()
	defer d.answering.Unlock()
	if d.moved(r) {
		return errMoved
	}
	if d.kept && d.Mapping.Shown != nil {
		return writeText(w, d.Mapping.Shown(r.Context()))
	}
	return writeText(w, d.mapped(r.Context()).Document)
}

// answerQuestions takes answers, or takes some back, and answers with the document of map that they make. With one that
// map refuses everything stays as it is. The rows are read by the mapping once nothing is open in it.
func (d *reading) answerQuestions(w http.ResponseWriter, r *http.Request) error {
	var said struct {
		Generation int      `json:"generation"`
		Answers    []Answer `json:"answers"`
		Back       string   `json:"back"` // id of an answer that is taken back
	}
	if err := body(r, &said); err != nil {
		return err
	}
	d.answering.Lock()
	defer d.answering.Unlock()
	if said.Generation != d.generation {
		return errMoved
	}
	if err := d.refuseStale(r.Context()); err != nil {
		return err
	}
	answers := slices.Clone(d.answers)
	for _, a := range said.Answers {
		if strings.Contains(a.Value, "=") {
			return refuse(http.StatusBadRequest, "an answer has no equals sign in it: say what "+a.Value+" comes to")
		}
		if a.ID == "" || strings.ContainsRune(a.ID+a.Value, 0) {
			return refuse(http.StatusBadRequest, "that is not an answer: "+a.Value)
		}
		if i := slices.IndexFunc(answers, func(b Answer) bool { return b.ID == a.ID }); i >= 0 {
			answers[i] = a
		} else {
			answers = append(answers, a)
		}
	}
	if len(answers) > mostAnswers {
		return refuse(http.StatusBadRequest, "more answers than a page keeps")
	}
	back := slices.IndexFunc(answers, func(a Answer) bool { return a.ID == said.Back })
	if back >= 0 {
		answers = slices.Delete(answers, back, back+1)
	}
	mapped := d.Mapping.Map(r.Context(), answers)
	if mapped.Text == "" && back >= 0 { // those that came after it may be to questions that it led to
		answers = answers[:back]
		mapped = d.Mapping.Map(r.Context(), answers)
	}
	if mapped.Text == "" || r.Context().Err() != nil {
		return writeText(w, mapped.Document)
	}
	by := ""
	if mapped.Open == 0 {
		by = mapped.Text
	}
	if err := d.readBy(by, false); err != nil {
		return err
	}
	d.asked.learn(mapped.Document)
	d.known, d.answers, d.kept = mapped, answers, false
	return writeText(w, mapped.Document)
}

// forecast answers with how many rows would be wrong if every question were answered as is proposed. The file is read for it by
// the mapping of these answers; nobody waits for that but who has asked.
func (d *reading) forecast(w http.ResponseWriter, r *http.Request) error {
	d.answering.Lock()
	if d.moved(r) { // by the next answer of the tab that has asked, which waits for none of this
		d.answering.Unlock()
		return writeJSON(w, &foreseen{})
	}
	mapped, answers, edited := d.mapped(r.Context()), slices.Clone(d.answers), d.edited()
	d.answering.Unlock()
	text, err := d.foreseen.foresee(r.Context(), &d.Mapping, mapped, answers, edited)
	if err != nil {
		return err
	}
	return writeText(w, text)
}

// readBy begins another reading of the file, unless it is read by that mapping already. Anew, it begins one anyway.
func (d *reading) readBy(mapping string, anew bool) error {
	session, stop := d.current, d.stop
	if mapping != d.by || anew {
		ctx, cancel := context.WithCancel(d.ctx)
		stop = cancel
		var err error
		if session, err = d.Mapping.Read(ctx, mapping); err != nil {
			stop()
			return err
		}
		d.stop() // so that nobody waits for it any more
		if d.behind != nil {
			d.behind.stop()
			d.behind = nil
		}
	}
	d.reads.Lock()
	defer d.reads.Unlock()
	if session != d.current {
		_ = d.current.Close() // its files have no names, and go with it
		if d.Told != nil {
			d.Told(session)
		}
	}
	d.current, d.stop, d.by = session, stop, mapping
	d.generation++
	d.answered = d.generation
	return nil
}

// done has something be done that is about the file as it is read at present, and answers with the state after it.
func (d *reading) done(w http.ResponseWriter, r *http.Request, do func(ctx context.Context) error) error {
	var said struct {
		Generation int `json:"generation"`
	}
	if err := body(r, &said); err != nil {
		return err
	}
	d.answering.Lock()
	err := errMoved
	if said.Generation == d.generation {
		err = do(r.Context())
	}
	d.answering.Unlock()
	if err != nil {
		return err
	}
	return d.state(w, r)
}

// save writes the mapping that the page shows, beside its file: over nothing but what it read there, or wrote itself.
func (d *reading) save(w http.ResponseWriter, r *http.Request) error {
	return d.done(w, r, func(ctx context.Context) error {
		if d.kept {
			return refuse(http.StatusConflict, "the rows are read by answers that were there, and nothing was answered anew")
		}
		return d.saveText(d.mapped(ctx).Text)
	})
}

func (a *attention) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.looked = time.Now()
}
