package match

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/yamldoc"
)

// Write returns the mapping as a file, the reason of each line behind it and each
// open question at its place, as comments; those without whose answers it does not serve
// stand under open too. It reads back to the same mapping.
func (p *Proposal) Write(title string) ([]byte, error) {
	w := &writer{p: p}
	if title != "" {
		w.comment("", title)
	}
	f := p.File
	fmt.Fprintf(&w.out, "version: %d\n", f.Version)
	columns, ignored := f.Columns, f.Ignore
	f.Version, f.Columns, f.Ignore, f.Source = 0, nil, nil, mapfile.Origin{}
	if err := w.head(&f); err != nil {
		return nil, err
	}
	if len(columns) > 0 || p.asks("columns") {
		w.out.WriteString("columns:\n")
		w.questions("", "columns")
	}
	for _, item := range columns {
		w.item("  ", item.Key, yamldoc.Map[mapfile.Column]{item})
	}
	for _, q := range p.Questions {
		if _, fed := columns.Get(q.At); !fed && !slices.Contains(w.asked, q.ID) {
			w.question("  ", &q)
		}
	}
	if len(p.Ignored)+len(ignored) > 0 {
		w.out.WriteString("ignore:\n")
	}
	for _, text := range ignored {
		w.list(text, "")
	}
	for _, i := range p.Ignored {
		w.list(glob(i.Header), i.Reason)
	}
	if len(columns) == 0 && w.err == nil && strings.HasSuffix(strings.TrimSpace(w.out.String()), "columns:") {
		return []byte(strings.Replace(w.out.String(), "columns:\n", "", 1)), nil
	}
	return []byte(w.out.String()), w.err
}

// heads are the lines above the columns that a question may stand at.
var heads = []string{
	"sheet", "skip_sheets", "names", "skip_rows", "hidden_rows", "struck_rows", "fill", "joins", "split", "grid",
	"key", "calendar", "timezone.column", "timezone.default", "timezone", "date_order", "filter",
}

// head writes what stands above the columns, a key at a time.
func (w *writer) head(f *mapfile.File) error {
	text, err := yamldoc.Encode(f)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		key, _, found := strings.Cut(line, ":")
		if found && line[0] != ' ' && line[0] != '-' && line != "{}\n" {
			seen[key] = true
			reason := w.reasonAt(key)
			switch key {
			case "open":
				reason = "nothing is checked or sent before these are answered, and gone from here"
			case "answered":
				reason = "what map was told, and is told again with the answers to these"
			}
			line = behind("", line, reason)
		}
		if line != "{}\n" {
			w.out.WriteString(line)
		}
	}
	for _, at := range heads {
		if top, _, _ := strings.Cut(at, "."); at != "timezone" || seen[top] {
			w.questions("", at)
		}
	}
	if _, fed := w.p.File.Columns.Get("timezone"); !fed {
		w.questions("", "timezone")
	}
	return nil
}

// reasonAt is the reason of a top line, or of what is under it.
func (w *writer) reasonAt(key string) string {
	var texts []string
	for i := range w.p.Lines {
		l := &w.p.Lines[i]
		if top, _, _ := strings.Cut(l.At, "."); top == key {
			if _, fed := w.p.File.Columns.Get(l.At); !fed {
				texts = append(texts, l.Words())
			}
		}
	}
	return strings.Join(texts, "; ")
}

// writer writes a mapping line by line.
type writer struct {
	p     *Proposal
	out   strings.Builder
	asked []string
	err   error
}

// item writes a column with its reason, then the questions about it.
func (w *writer) item(indent, path string, value any) {
	text, err := yamldoc.Encode(value)
	if err != nil && w.err == nil {
		w.err = err
	}
	first := true
	for line := range strings.Lines(string(text)) {
		reason := ""
		if l := w.p.line(path); first && l != nil {
			reason = l.Words()
		}
		first = false
		w.out.WriteString(behind(indent, line, reason))
	}
	w.questions(indent, path)
}

func (w *writer) list(text, reason string) {
	line, err := yamldoc.Encode([]string{text})
	if err != nil && w.err == nil {
		w.err = err
	}
	// A flow list of one: its item is what stands between the brackets.
	item := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(string(line)), "["), "]")
	w.out.WriteString(behind("  ", "- "+item+"\n", reason))
}

// behind returns a line under an indent with its reason as a comment: behind it, or
// above it where it would get too long.
func behind(indent, line, reason string) string {
	reason = flat(reason)
	if reason == "" {
		return indent + line
	}
	const most = 150
	if bare := strings.TrimSuffix(line, "\n"); len(indent)+len(bare)+len(reason) <= most {
		return indent + bare + " # " + reason + "\n"
	}
	return indent + "# " + reason + "\n" + indent + line
}

func (w *writer) comment(indent, text string) {
	w.out.WriteString(indent + "# " + flat(text) + "\n")
}

func (w *writer) questions(indent, at string) {
	for i := range w.p.Questions {
		if q := &w.p.Questions[i]; q.At == at && !slices.Contains(w.asked, q.ID) {
			w.question(indent, q)
		}
	}
}

func (w *writer) question(indent string, q *Question) {
	w.asked = append(w.asked, q.ID)
	word := "QUESTION"
	if q.Optional {
		word = "optional"
	}
	w.comment(indent, fmt.Sprintf("%s %s: %s (%s)", word, q.ID, q.Text, q.Why))
	var choices []string
	for _, c := range q.Choices {
		choices = append(choices, c.Value)
	}
	if q.Free != "" {
		choices = append(choices, q.Free)
	}
	w.comment(indent, "  "+strings.Join(choices, " | "))
}

func (p *Proposal) asks(at string) bool {
	return slices.ContainsFunc(p.Questions, func(q Question) bool { return !slices.Contains(heads, q.At) || q.At == at })
}

func (p *Proposal) line(at string) *Line {
	for i := range p.Lines {
		if p.Lines[i].At == at {
			return &p.Lines[i]
		}
	}
	return nil
}

// Words returns the reason with what speaks against it.
func (l *Line) Words() string {
	text := l.Reason
	if l.Doubt != "" {
		text += "; but " + l.Doubt
	}
	return text
}

// flat makes a text fit for a comment: one line without characters that a reader
// of YAML refuses.
func flat(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\ufeff' || r == '\u2028' || r == '\u2029' || r == '\ufffd' ||
			r >= 0xd800 && r < 0xe000 || r == 0xfffe || r == 0xffff:
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(text)
}
