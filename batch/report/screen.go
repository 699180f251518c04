// Package report shows what was found, planned and done.
package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// Screen is a writer that a person reads.
type Screen struct {
	w        io.Writer
	color    bool
	terminal bool
	quiet    bool
	width    func() int // of a line; a pipe has none, and nothing is wrapped there
	folder   string     // where shown paths start
}

// ScreenConfig says how much of a terminal may be used.
type ScreenConfig struct {
	NoColor bool // --no-color, NO_COLOR or TERM=dumb
	// Plain keeps from moving the cursor, for a progress line: --no-progress or TERM=dumb.
	Plain bool
	// Quiet leaves warnings out: --quiet.
	Quiet bool
}

// wide is the line of what is no terminal: it is cut and wrapped nowhere.
const wide = 1 << 20

// NewScreen finds out what w can do. Colour and progress are for terminals only.
func NewScreen(w io.Writer, config ScreenConfig) *Screen {
	s := &Screen{w: w, quiet: config.Quiet, width: func() int { return wide }}
	if folder, err := os.Getwd(); err == nil {
		s.folder = folder
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	s.terminal, s.color = !config.Plain, !config.NoColor
	s.width = func() int {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
		return 80
	}
	return s
}

// IsTerminal tells whether a person can be asked there.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Terminal tells whether a person can be shown a moving line.
func (s *Screen) Terminal() bool { return s.terminal }

// Printf writes words of ours; arguments that came from outside go through Clean.
func (s *Screen) Printf(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

// Hint prints what to do about what was said before; an empty hint is none.
func (s *Screen) Hint(hint string) { s.hint(hint, "") }

// hint prints a hint under an indent. On a terminal it is wrapped to the width.
func (s *Screen) hint(hint, indent string) {
	if hint == "" {
		return
	}
	const label = "hint: "
	for i, line := range wrap(Clean(hint), s.width()-len(indent)-len(label)-1) {
		if i == 0 {
			s.Printf("%s%s\n", indent, s.dim(label+line))
			continue
		}
		s.Printf("%s%s%s\n", indent, strings.Repeat(" ", len(label)), s.dim(line))
	}
}

// wrap breaks text at blanks into lines of so many characters; a longer word
// stays whole.
func wrap(text string, width int) []string {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	var lines []string
	line, length := "", 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		if line != "" && length+1+n > width {
			lines = append(lines, line)
			line, length = "", 0
		}
		if line != "" {
			line, length = line+" ", length+1
		}
		line, length = line+word, length+n
	}
	return append(lines, line)
}

// Path gives a path as a person would write it here: relative where it lies
// below the working directory.
func (s *Screen) Path(path string) string {
	if s.folder == "" || !filepath.IsAbs(path) {
		return Clean(path)
	}
	short, err := filepath.Rel(s.folder, path)
	if err != nil || short == ".." || strings.HasPrefix(short, ".."+string(filepath.Separator)) {
		return Clean(path)
	}
	return Clean(short)
}

func (s *Screen) paint(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s *Screen) bold(text string) string   { return s.paint("1", text) }
func (s *Screen) dim(text string) string    { return s.paint("2", text) }
func (s *Screen) red(text string) string    { return s.paint("31", text) }
func (s *Screen) green(text string) string  { return s.paint("32", text) }
func (s *Screen) yellow(text string) string { return s.paint("33", text) }

// Clean makes text from a file or a server fit for a terminal: characters that
// control it, or that hide or reorder text, are removed, white space is one blank.
func Clean(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.Is(unicode.C, r) || r == unicode.ReplacementChar:
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// shorten cuts text to so many characters, saying that it was cut.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:max(0, most-1)]) + "…"
}

// Count gives a number with its noun: 1 row, 2 rows, 12,345 rows.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + noun + "s"
}

// Number writes a number in groups of three digits.
func Number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Names lists names, the first few of many.
func Names(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
