package desk

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
)

// sending is a run that is carried out, or was the last. It belongs to the process: tabs look at it.
type sending struct {
	run  string
	line string // the command that does the same
	end  context.CancelFunc
	done chan struct{} // closed once it has come to its end

	said document // once done

	mu    sync.Mutex
	lines [][]byte      // of the log, the last of them
	first int           // the number of the first of them
	news  chan struct{} // closed when there are more
}

// mostLines is how many lines of a log are kept, and mostTold how many rows of it are told at once.
const (
	mostLines = 2000
	mostTold  = 20
)

// rowLine is in the lines of a log that are about rows.
var rowLine = []byte(`"event":"row"`)

// Write takes a line of the log, and names the row that it is about.
func (s *sending) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	title := ""
	if bytes.Contains(line, rowLine) {
		var row struct {
			shownRow

			More struct{ Name string }
		}
		if err := json.Unmarshal(line, &row); err == nil {
			row.Name = row.More.Name
			text, _ := json.Marshal(row.title()) // a text always is
			title = `"title":` + string(text) + ","
		}
	}
	if len(s.lines) == mostLines {
		s.lines = append(s.lines[:0], s.lines[mostLines/2:]...)
		s.first += mostLines / 2
	}
	number := s.first + len(s.lines)
	text := append([]byte(`{"n":`+strconv.Itoa(number)+`,`+title), bytes.TrimSpace(line)[1:]...)
	s.lines = append(s.lines, append(text, '\n'))
	close(s.news)
	s.news = make(chan struct{})
	return len(line), nil
}

// after returns the lines behind a number, of many rows the last, and what is closed when there are more.
func (s *sending) after(n int) (lines [][]byte, next int, news <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next = s.first + len(s.lines)
	rows := 0
	for i := len(s.lines) - 1; i >= max(0, n-s.first); i-- {
		if bytes.Contains(s.lines[i], rowLine) {
			if rows++; rows > mostTold {
				continue
			}
		}
		lines = append(lines, s.lines[i])
	}
	slices.Reverse(lines)
	return lines, next, s.news
}

func (s *sending) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// apply sends the plan that is shown, where a person has agreed to it and to whom it reaches.
func (d *outgoing) apply(w http.ResponseWriter, r *http.Request) error {
	var said agreed
	if err := body(r, &said); err != nil {
		return err
	}
	d.answering.Lock()
	generation, err := d.generation, error(nil)
	if h, _ := d.now(); h != nil && h.generation >= 0 {
		err = d.waitFresh(r.Context())
	}
	d.answering.Unlock()
	if err != nil {
		return err
	}
	if err := d.begin(&said, generation); err != nil {
		return err
	}
	d.answering.Lock()
	d.renames.keys = nil // the run knows them
	d.answering.Unlock()
	return d.sendState(w, r)
}

// begin begins the sending.
func (d *outgoing) begin(said *agreed, generation int) error {
	if !d.planning.TryLock() {
		return refuse(http.StatusConflict, "something is being planned: wait until that is done")
	}
	defer d.planning.Unlock()
	d.showing.Lock()
	defer d.showing.Unlock()
	if d.sending != nil && !d.sending.ended() {
		return refuse(http.StatusPreconditionFailed, "rows are being sent already")
	}
	h := d.plan
	if err := h.may(said, generation, d.Sending.Allow); err != nil {
		return err
	}
	if time.Since(h.made) > d.Sending.Fresh {
		return errOld
	}
	words := d.Sending.applies(h, said.leave()...)
	ctx, end := context.WithCancel(d.ctx)
	s := &sending{run: h.Run, line: d.Sending.Line(words...), end: end, done: make(chan struct{}), first: 1, news: make(chan struct{})}
	d.plan, d.sending = nil, s
	_ = h.ops.file.Close() // a plan is agreed to once
	go d.send(ctx, s, said.leave(), words)
	return nil
}

// send carries the run out, whoever looks.
func (d *outgoing) send(ctx context.Context, s *sending, allow, words []string) {
	defer s.end()
	var text []byte
	caught := panics.Try(func() {
		text = d.Sending.Send(ctx, watchful{s, &d.attention}, allow, slices.Insert(slices.Clone(words), 1, "--yes")...)
	})
	said, err := readDocument(text)
	if err != nil {
		said.Exit.Code, said.Exit.Error = 1, "the run has ended without a word: see what became of it under Runs"
		if caught != nil {
			said.Exit.Error = "the run has ended by a defect: see what became of it under Runs"
		}
	}
	s.said = said
	_, _ = s.Write([]byte(`{"event":"done"}`)) // it never fails
	close(s.done)
	d.look()
}

// watchful keeps the page while rows are sent, though nobody may look.
type watchful struct {
	*sending

	attention *attention
}

// Write takes a line of the log.
func (w watchful) Write(line []byte) (int, error) {
	w.attention.look()
	return w.sending.Write(line)
}

// stopSending ends the sending as Ctrl-C does: what has left is recorded.
func (d *outgoing) stopSending(w http.ResponseWriter, r *http.Request) error {
	var said struct {
		Run string `json:"run"`
	}
	if err := body(r, &said); err != nil {
		return err
	}
	if _, s := d.now(); s != nil && s.run == said.Run {
		s.end()
	}
	return d.sendState(w, r)
}

// sent is what is sent, or was sent last.
type sent struct {
	Format   string                     `json:"format"`
	Run      string                     `json:"run"` // empty where nothing was sent from this page
	Command  string                     `json:"command"`
	UnderWay bool                       `json:"under_way"`
	Document map[string]json.RawMessage `json:"document"` // of apply, once it has ended; as what follows
	Sum      string                     `json:"sum"`
	Refusal  *finding.Exit              `json:"refusal"` // why it ended before its end; null where it did not
}

// sendState answers with what is sent, or was sent last.
func (d *outgoing) sendState(w http.ResponseWriter, _ *http.Request) error {
	_, s := d.now()
	state := sent{Format: "eventbatch/desk-send/1"}
	if s != nil {
		state.Run, state.Command, state.UnderWay = s.run, s.line, !s.ended()
	}
	if s == nil || state.UnderWay {
		return writeJSON(w, state)
	}
	state.Document, state.Sum = s.said.head, s.said.sum()
	if s.said.Exit.Error != "" {
		state.Refusal = &s.said.Exit
	}
	return writeJSON(w, state)
}

// plainly returns the word for a status of whoever knows the file alone.
func plainly(status finding.Status) string {
	return cmp.Or(finding.Plain[string(status)], string(status))
}

// sum says what became of the rows, which adds up.
func (d *document) sum() string {
	words := statusWords(d.Rows)
	if len(words) == 0 {
		return "nothing was sent"
	}
	return report.Number(d.Rows[string(finding.Read)]+d.Rows["missing"]) + " = " + strings.Join(words, " + ")
}

// statusWords says of how many rows became what.
func statusWords(rows map[string]int) (words []string) {
	for _, status := range finding.Statuses {
		if n := rows[string(status)]; n > 0 {
			words = append(words, report.Number(n)+" "+plainly(status))
		}
	}
	return words
}

// tellEvery is how long lines are held back, so that a tab is told at most four times a second.
const tellEvery = 250 * time.Millisecond

// lookTime is how long a tab looks before it asks again. A browser has six connections to a page: what several tabs would hold for
// good, no click on Stop would get through.
const lookTime = 3 * time.Second

// watchSending streams the lines of the log behind a number, for a while or until the run has ended.
func (d *outgoing) watchSending(w http.ResponseWriter, r *http.Request) error {
	next := numberIn(r.URL.Query().Get("after"), 0, 1<<30) + 1
	_, s := d.now()
	w.Header().Set("Content-Type", "application/x-ndjson")
	to, enough := http.NewResponseController(w), time.After(lookTime)
	for s != nil {
		ended := s.ended()
		lines, n, news := s.after(next)
		next = n
		for _, line := range lines {
			if _, err := w.Write(line); err != nil {
				return nil // the tab is gone
			}
		}
		if err := to.Flush(); err != nil || ended {
			return nil
		}
		select {
		case <-news:
		case <-s.done:
		case <-enough:
			return nil
		case <-r.Context().Done():
			return nil
		}
		select {
		case <-time.After(tellEvery):
		case <-r.Context().Done():
			return nil
		}
	}
	return nil
}
