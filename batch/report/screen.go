// Package report shows what was found, planned and done on a terminal or in a pipe.
//
// A [Screen] is the one writer of words for a person: it knows whether there is a
// terminal, its width and whether colours are wanted, wraps lines at blanks, and
// writes paths as a person would. Text that came from a file or the service passes
// printable.Clean, so that it cannot move the cursor.
//
// [Problems] is the sink of the screen: problems in groups, sheet by sheet, errors
// first, with the first few cells of each and one hint for all that it helps.
// [Progress] is the line that moves while a run is sent. The report files are in
// package file, the records that all are drawn from in package finding.
package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"eventbatch/batch/printable"
)

// Screen is a writer that a person reads.
type Screen struct {
	mu sync.Mutex // held while w is written to
	w  io.Writer
	palette
	terminal bool
	quiet    bool
	width    func() int // of a line; a pipe has none, and nothing is wrapped there
	folder   string     // where shown paths start
}

// ScreenConfig bounds what is done on a terminal.
type ScreenConfig struct {
	NoColor bool // --no-color, NO_COLOR or TERM=dumb
	// Plain forbids to move the cursor, for a progress line: --no-progress or TERM=dumb.
	Plain bool
	// Quiet leaves warnings out: --quiet.
	Quiet bool
}

// wide is the line of what is no terminal: it is cut and wrapped nowhere.
const wide = 1 << 20

// NewScreen returns a screen that does what w can. Colour and progress are for terminals only.
func NewScreen(w io.Writer, config ScreenConfig) *Screen {
	s := &Screen{w: w, quiet: config.Quiet, width: func() int { return wide }}
	if folder, err := os.Getwd(); err == nil {
		s.folder = folder
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	s.terminal, s.palette = !config.Plain, palette{!config.NoColor}
	s.width = func() int {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
		return 80
	}
	return s
}

// IsTerminal reports whether a person can be asked at a stream.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Prose returns the width of a line of prose: on a terminal as much as is read with ease, elsewhere 80 columns.
func (s *Screen) Prose() int {
	const most, piped = 100, 80
	if width := s.width(); width < wide {
		return min(width-1, most)
	}
	return piped
}

// Terminal reports whether a person can be shown a moving line.
func (s *Screen) Terminal() bool { return s.terminal }

// Printf writes words of ours; arguments that came from outside go through
// printable.Clean. On a terminal lines are wrapped at blanks.
func (s *Screen) Printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if width := s.width(); width < wide {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = strings.Join(wrap(line, width-1), "\n")
		}
		text = strings.Join(lines, "\n")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// Words that cannot be written are no reason to end what they are about.
	_, _ = io.WriteString(s.w, text)
}

// Onto returns a screen like this that writes to w what is to be shown later, with Pass.
func (s *Screen) Onto(w io.Writer) *Screen {
	return &Screen{w: w, palette: s.palette, quiet: s.quiet, width: s.width, folder: s.folder}
}

// Pass shows what was written onto another screen.
func (s *Screen) Pass(words []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.w.Write(words)
}

// Clear empties a terminal, where the cursor may be moved.
func (s *Screen) Clear() {
	if s.terminal {
		s.Pass([]byte("\x1b[H\x1b[2J"))
	}
}

// Aside prints a line in the middle of something else, in the place of a moving
// line, which comes back below it. It may be called from any goroutine.
func (s *Screen) Aside(words string) {
	wipe := ""
	if s.terminal {
		wipe = "\r\x1b[K"
	}
	s.Printf("%s%s\n", wipe, printable.Clean(words))
}

// Hint prints what to do about what was said before; an empty hint is none.
func (s *Screen) Hint(hint string) { s.hint(hint, "") }

// Failed prints what a command ends with that could not do what was asked.
func (s *Screen) Failed(command, words string) {
	s.Printf("%s: %s\n", command, s.red(printable.Clean(words)))
}

// hint prints a hint under an indent.
func (s *Screen) hint(hint, indent string) {
	if hint != "" {
		s.Printf("%s%s\n", indent, s.Dim(label+printable.Clean(hint)))
	}
}

// label begins a hint.
const label = "hint: "

// wrap breaks a line at blanks into lines of so many characters, those after the
// first under an indent. A longer word stays whole, colours take no room.
func wrap(line string, width int) []string {
	if Width(line) <= width {
		return []string{line}
	}
	text := strings.TrimLeft(line, " ")
	first := line[:len(line)-len(text)]
	hang := first + "  "
	if strings.Contains(text[:min(len(text), len(label)+4)], label) {
		hang = first + strings.Repeat(" ", len(label))
	}
	return Wrap(text, width, first, hang)
}

// Wrap breaks a text at blanks under one indent for the first line and one for the others.
func Wrap(text string, width int, first, hang string) []string {
	var lines []string
	current, length := first, len(first)
	begun := false
	for _, word := range withUnits(strings.Split(text, " ")) {
		n := Width(word)
		if begun && length+1+n > width {
			lines = append(lines, strings.TrimRight(current, " "))
			current, length, begun = hang, len(hang), false
		}
		if begun {
			current, length = current+" ", length+1
		}
		current, length, begun = current+word, length+n, true
	}
	return append(lines, current)
}

// withUnits joins numbers with the units behind them, which stay on one line.
func withUnits(words []string) []string {
	joined := words[:0:0]
	for i, word := range words {
		switch strings.TrimRight(word, ",;:)") {
		case "s", "h", "min", "days", "times", "more":
			if i > 0 && isNumber(words[i-1]) {
				joined[len(joined)-1] += " " + word
				continue
			}
		}
		joined = append(joined, word)
	}
	return joined
}

// wrapFlat breaks a text into lines without an indent.
func wrapFlat(text string, width int) []string {
	return Wrap(text, width, "", "")
}

// Width counts the places that a text takes on a terminal: two for each of the
// wide characters of East Asia, none for colours.
func Width(text string) int {
	n := 0
	for {
		before, after, found := strings.Cut(text, "\x1b[")
		n += uniseg.StringWidth(before)
		if !found {
			return n
		}
		_, text, _ = strings.Cut(after, "m")
	}
}

// shorten cuts a text so that it takes so many places at most, saying that it was cut.
func shorten(text string, places int) string {
	places = max(places, 0)
	for most := places; most >= 0 && Width(text) > places; most-- { // a wide character takes two
		text = printable.Shorten(text, most)
	}
	return text
}

// Path returns a path as a person would write it here: relative where it lies
// below the working directory.
func (s *Screen) Path(path string) string {
	if s.folder == "" || !filepath.IsAbs(path) {
		return printable.Clean(path)
	}
	short, err := filepath.Rel(s.folder, path)
	if err != nil || short == ".." || strings.HasPrefix(short, ".."+string(filepath.Separator)) {
		return printable.Clean(path)
	}
	return printable.Clean(short)
}

// palette paints words where colours are wanted.
type palette struct{ color bool }

func (p palette) paint(code, text string) string {
	if !p.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p palette) Bold(text string) string   { return p.paint("1", text) }
func (p palette) Dim(text string) string    { return p.paint("2", text) }
func (p palette) red(text string) string    { return p.paint("31", text) }
func (p palette) green(text string) string  { return p.paint("32", text) }
func (p palette) yellow(text string) string { return p.paint("33", text) }

// Count returns a number with its noun, as [printable.Count] does.
func Count(n int, noun string) string { return printable.Count(n, noun) }

// Number returns a number in groups of three digits.
func Number(n int) string { return printable.Number(n) }

// Names lists names, the first few of many.
func Names(names []string) string { return printable.Names(names) }

// Beside prints a list beside a heading of so many places. On a terminal a list that is wider
// goes on below its beginning; a part of it is broken only where it is wider than a line.
func (s *Screen) Beside(heading string, places int, parts []string) {
	const gap = "   "
	room := max(s.width()-1-places, 20)
	var lines []string
	line := ""
	for _, part := range parts {
		switch {
		case line == "":
			line = part
		case Width(line)+len(gap)+Width(part) <= room:
			line += gap + part
		default:
			lines = append(lines, wrapFlat(line, room)...)
			line = part
		}
	}
	start := heading + strings.Repeat(" ", max(0, places-Width(heading)))
	for _, line := range append(lines, wrapFlat(line, room)...) {
		s.Printf("%s\n", strings.TrimRight(start+line, " "))
		start = strings.Repeat(" ", places)
	}
}
