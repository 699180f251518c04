package notify

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// What a text is bounded by.
const (
	maxText     = 3000 // characters
	maxWords    = 300  // of an error or a problem
	maxProblems = 5
)

// words are what a template is given. They are the names in the configuration.
type words struct {
	Sync     string
	State    State
	Reason   string // of the exit code
	Exit     int
	At       string // when the night began
	Since    string // when the state began
	Run      string
	Rows     string
	Error    string
	Hint     string
	Problems []string // the first
	More     int      // problems
	Report   string   // its path
}

// Text is a template for what is told in words.
type Text struct{ template *template.Template }

// parseText reads a template, and tries it.
func parseText(source string) (*Text, error) {
	parsed, err := template.New("text").Parse(source)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "template: "))
	}
	t := &Text{parsed}
	if _, err := t.execute(&words{Problems: []string{""}}); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "template: "))
	}
	return t, nil
}

// UnmarshalText makes Text readable from files.
func (t *Text) UnmarshalText(text []byte) error {
	parsed, err := parseText(string(text))
	if err == nil {
		*t = *parsed
	}
	return err
}

func (t *Text) execute(w *words) (string, error) {
	out := bounded{left: 4 * maxText}
	err := t.template.Execute(&out, w)
	if errors.Is(err, errFull) {
		err = nil
	}
	return out.String(), err
}

// of returns the text of a night. A template that was tried and fails all the same is not
// the reason to tell nobody.
func (t *Text) of(w *words) string {
	text, err := "", error(nil)
	if t != nil {
		text, err = t.execute(w)
	}
	if t == nil || err != nil || strings.TrimSpace(text) == "" {
		text = w.String()
	}
	return limit(strings.TrimSpace(text), maxText)
}

// bounded is a buffer that takes so many bytes.
type bounded struct {
	bytes.Buffer
	left int
}

var errFull = errors.New("full")

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errFull
	}
	return b.Buffer.Write(p)
}

// String is the text where the configuration has no template.
func (w *words) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", w.Sync, w.State)
	if w.State != Changed {
		fmt.Fprintf(&b, ": %s", w.Reason)
	}
	if w.Exit != 0 {
		fmt.Fprintf(&b, " (exit %d)", w.Exit)
	}
	fmt.Fprintf(&b, ", %s\n", w.At)
	for _, line := range []struct{ label, text string }{{"", w.Error}, {"hint: ", w.Hint}, {"", w.Rows}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%s%s\n", line.label, line.text)
		}
	}
	for _, p := range w.Problems {
		fmt.Fprintf(&b, "%s\n", p)
	}
	if w.More > 0 {
		fmt.Fprintf(&b, "and %s\n", printable.Count(w.More, "more problem"))
	}
	switch {
	case w.State == Recovered:
		fmt.Fprintf(&b, "it was not well since %s\n", w.Since)
	case w.State != Changed && w.Since != w.At:
		fmt.Fprintf(&b, "since %s\n", w.Since)
	}
	for _, line := range []struct{ label, text string }{{"report", w.Report}, {"run", w.Run}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%s: %s\n", line.label, line.text)
		}
	}
	return b.String()
}

// words returns what is told of a night.
func (t *Teller) words(state State, night *Night, since, now time.Time) *words {
	began := night.Began
	if began.IsZero() {
		began = now
	}
	w := &words{
		Sync: t.config.Sync, State: state, Reason: night.Exit.Reason, Exit: night.Exit.Code, At: moment(began), Since: moment(since),
		Run: night.Run, Rows: rowWords(night.Rows), Report: oneLine(night.Report), More: night.Found,
	}
	private := len(t.config.Private) > 0
	why, hint := Words(night.Exit, night.Err, private)
	w.Error, w.Hint = unmarked.Replace(why), unmarked.Replace(hint)
	for i := range night.Problems {
		if len(w.Problems) == maxProblems {
			break
		}
		w.Problems = append(w.Problems, problemWords(&night.Problems[i], private))
	}
	w.More = max(0, night.Found-len(w.Problems))
	return w
}

// discreet is an error that has words for others than those who are at the machine.
type discreet interface {
	error
	Told() string
}

// Words returns what may be told of how a night ended, each on one line: with private columns
// nothing that could quote a cell, and of what a command has said nothing.
func Words(exit finding.Exit, err error, private bool) (why, hint string) {
	if private && !knowsNoCell(err) {
		return "", ""
	}
	if e, ok := errors.AsType[discreet](err); ok {
		exit.Error = e.Told()
	}
	return oneLine(exit.Error), oneLine(exit.Hint)
}

// knowsNoCell reports whether an error comes from where no cell is known.
func knowsNoCell(err error) bool {
	for _, kind := range []failure.Kind{failure.Away, failure.NoKey, failure.Config, failure.Usage, failure.Disk, failure.Output} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// problemWords tells a problem on one line: of one that may quote a private cell, what its
// code means.
func problemWords(p *schema.Problem, private bool) string {
	message := p.Message
	if private {
		info, _ := schema.Lookup(p.Code)
		message = info.Title
	}
	place := p.Place
	place.Header = ""
	return data(strings.TrimPrefix(place.String()+": "+message+" ["+string(p.Code)+"]", ": "))
}

// rowWords counts rows: 20 rows: 3 created, 17 unchanged.
func rowWords(rows finding.Rows) string {
	if rows == nil {
		return ""
	}
	var parts []string
	for _, s := range finding.Statuses {
		if n := rows[s]; n > 0 {
			parts = append(parts, printable.Number(n)+" "+strings.ReplaceAll(string(s), "_", " "))
		}
	}
	text := printable.Count(rows[finding.Read], "row")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}

// unmarked takes marks out by which chat programs call everybody, or hide where a link leads.
var unmarked = strings.NewReplacer(
	"<", "‹", ">", "›", "@here", "@ here", "@channel", "@ channel", "@everyone", "@ everyone", "@all", "@ all",
)

// data makes words from outside fit for one line of a message.
func data(text string) string { return unmarked.Replace(printable.Brief(text, maxWords)) }

func oneLine(text string) string { return printable.Brief(text, maxWords) }

// limit cuts a text to so many characters.
func limit(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// moment writes a time for people, wherever they are.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2 Jan 2006 15:04") + " UTC"
}

// number writes a number for a machine.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
