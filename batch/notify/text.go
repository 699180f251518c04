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
)

// What a text is bounded by.
const (
	maxText  = 3000 // characters
	maxWords = 300  // of an error or a problem
)

// words are what a template is given. They are the names in the configuration.
type words struct {
	Sync     string
	State    State
	Reason   string // of the exit code
	Exit     int
	At       string // when the night began
	Since    string // when the first night began that was not well
	Run      string
	Rows     string
	Error    string
	Hint     string
	Problems []string // the first rows with what is wrong, a line each
	More     int      // rows
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
		fmt.Fprintf(&b, "and %s\n", printable.Count(w.More, "more row"))
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
