package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// How many cells are named: of a message among several, and of one alone.
const (
	fewPlaces   = 3
	shownPlaces = 5
)

// problemScreen prints problems in groups.
type problemScreen struct{ *Screen }

// show prints the problems, sheet by sheet, and reports whether places were left
// out. A quiet screen is shown errors only.
func (p *Problems) show(on *Screen) (cut bool) {
	s := problemScreen{on}
	blank, shown, more := false, 0, 0
	for _, name := range p.sections() {
		blocks := p.blocks(name, s.quiet)
		rows, read := p.rows[name]
		switch {
		case len(blocks) == 0 && (s.quiet || !read):
			continue
		case blank:
			s.Printf("\n")
		}
		blank = false
		switch {
		case len(blocks) == 0:
			s.Printf("%s: %s\n", name.clean(), Count(rows, "row"))
			continue
		case !read && len(blocks) == 1 && len(blocks[0]) == 1 && blocks[0][0].N == 1:
			cut = s.block(place(blocks[0][0].First.Place), blocks[0]) || cut
			continue
		case !read:
			s.Printf("%s\n", s.Bold(name.clean()))
		default:
			s.Printf("%s: %s\n", s.Bold(name.clean()), Count(rows, "row"))
		}
		for _, block := range blocks {
			if shown++; p.Most > 0 && shown > p.Most {
				more++
				continue
			}
			s.Printf("\n")
			cut = s.block("", block) || cut
		}
		blank = true
	}
	if more > 0 {
		s.Printf("\n%s\n", s.Dim("and "+Count(more, "more kind")+" of problem"))
	}
	if blank {
		s.Printf("\n")
	}
	return cut || more > 0
}

// clean is the name of a section, fit to be shown.
func (n section) clean() string {
	if n.sheet == "" {
		return printable.Clean(n.file)
	}
	return printable.Clean(n.file) + ":" + printable.Clean(n.sheet)
}

// block prints the groups of a block, then their hint. It reports whether places
// were left out. at is the place of the only problem, where no heading says its file.
func (s problemScreen) block(at string, block []*finding.Group) (cut bool) {
	for _, g := range block {
		shortened := s.group(at, g)
		cut = cut || shortened
	}
	if !block[0].Hints {
		s.hint(block[0].First.Hint, "  ")
	}
	return cut
}

// group prints one group: a line for what it is, a line a message. It reports
// whether places were left out.
func (s problemScreen) group(at string, g *finding.Group) (cut bool) {
	if at == "" {
		at = where(g)
	}
	word := s.red("error")
	if g.First.Severity == schema.Warning {
		word = s.yellow("warning")
	}
	if at != "" {
		word = at + ": " + word
	}
	code := s.Dim("[" + string(g.First.Code) + "]")
	if g.N == 1 {
		s.Printf("%s: %s %s\n", word, WithValue(&g.First), code)
		return false
	}
	s.Printf("%s: %s, %s %s\n", word, s.Bold(title(g)), Count(g.N, "time"), code)
	if alike(g) {
		names, cut := namesOf(&g.Messages[0], shownPlaces)
		if names != "" {
			s.Printf("  %s%s\n", names, example(g))
		}
		return cut
	}
	return s.messages(g)
}

// alike reports whether all problems of the group say the same.
func alike(g *finding.Group) bool { return !g.Hints && g.Alike() }

// example shows the value of a group whose message names none.
func example(g *finding.Group) string {
	value := unsaid(&g.First)
	switch {
	case value == "":
		return ""
	case g.Values:
		return ", such as " + value
	}
	return ": " + value
}

// messages prints the messages of a group, each with its first cells. Those with one
// hint stand together above it.
func (s problemScreen) messages(g *finding.Group) (cut bool) {
	hinted := map[string]int{}
	for i := range g.Messages {
		if _, seen := hinted[g.Messages[i].Hint]; !seen {
			hinted[g.Messages[i].Hint] = i
		}
	}
	slices.SortStableFunc(g.Messages, func(a, b finding.Message) int { return cmp.Compare(hinted[a.Hint], hinted[b.Hint]) })
	names := make([]string, len(g.Messages))
	width, more := 0, g.N
	for i := range g.Messages {
		m := &g.Messages[i]
		shortened := false
		names[i], shortened = namesOf(m, fewPlaces)
		cut = cut || shortened
		width = max(width, Width(names[i]))
		more -= m.N
	}
	for i := range g.Messages {
		m := &g.Messages[i]
		words := m.Text
		first := schema.Problem{Code: g.First.Code, Message: m.Text, Value: m.Value}
		switch value := unsaid(&first); {
		case value == "":
		case m.Values:
			words += ", such as " + value
		default:
			words = value + ": " + words
		}
		if g.Rest != "" {
			words = strings.TrimSuffix(m.Text, " "+g.Rest) // the title says it
		}
		s.Printf("  %s%s  %s\n", names[i], strings.Repeat(" ", width-Width(names[i])), printable.Clean(words))
		if last := i+1 == len(g.Messages); g.Hints && (last || g.Messages[i+1].Hint != m.Hint) {
			s.hint(m.Hint, strings.Repeat(" ", width+4))
		}
	}
	if more > 0 {
		s.Printf("  %s\n", s.Dim("and "+Number(more)+" more"))
	}
	return cut || more > 0
}

// namesOf names the first cells of a message.
func namesOf(m *finding.Message, most int) (text string, cut bool) {
	var names []string
	for i := range m.Places[:min(most, len(m.Places))] {
		if name := cell(m.Places[i]); name != "" {
			names = append(names, name)
		}
	}
	text = strings.Join(names, ", ")
	if n := m.N - len(names); n > 0 && text != "" {
		return text + " and " + Number(n) + " more", true
	}
	return text, false
}

// title is what the group's problems have in common, in words.
func title(g *finding.Group) string {
	if alike(g) {
		return printable.Clean(g.First.Message)
	}
	words := string(g.First.Code)
	info, ok := catalog.Lookup(g.First.Code)
	switch {
	case g.Rest != "" && !slices.Contains(finding.HeaderCodes, g.First.Code):
		words = "the value " + printable.Clean(g.Rest)
	case ok:
		words = info.Title
	}
	if g.Field != "" && !strings.EqualFold(g.Field, g.First.Place.Header) {
		words = g.Field + ": " + words
	}
	return words
}

// where names the cell or the column that the problems of a group are in.
func where(g *finding.Group) string {
	p := &g.First.Place
	switch {
	case g.N == 1:
		return cell(*p)
	case g.Column < 0:
		return ""
	case p.Header == "":
		return "column " + schema.ColumnName(g.Column)
	}
	return fmt.Sprintf("column %s (%s)", schema.ColumnName(g.Column), printable.Shorten(printable.Clean(p.Header), 40))
}

// cell names the cell or the row of a place below the name of its file; the line
// too where it has another number than the row.
func cell(p schema.Place) string {
	switch {
	case p.Row <= 0 && p.Line > 0:
		return fmt.Sprintf("line %d", p.Line)
	case p.Row <= 0:
		return ""
	}
	name := p.Cell()
	if p.Column < 0 {
		name = "row " + name
	}
	if p.Line > 0 && p.Line != p.Row {
		name += fmt.Sprintf(" (line %d)", p.Line)
	}
	return name
}

// place names the one cell that a problem is at.
func place(p schema.Place) string {
	p.File, p.Sheet = printable.Clean(p.File), printable.Clean(p.Sheet)
	return p.String()
}

// WithValue is the message of a problem, with the value that it is about.
func WithValue(p *schema.Problem) string {
	message := printable.Clean(p.Message)
	if value := unsaid(p); value != "" {
		return value + ": " + message
	}
	return message
}

// valueLength is how much of a value is shown.
const valueLength = 60

// otherwise are the rules whose messages have the value in another form.
var otherwise = []schema.Code{schema.CodeDSTGap, schema.CodeDSTOverlap}

// unsaid is the value of a problem, in quotes, where the message does not have it.
func unsaid(p *schema.Problem) string {
	value, message := strings.TrimSpace(printable.Clean(p.Value)), printable.Clean(p.Message)
	switch {
	case value == "", slices.Contains(otherwise, p.Code), finding.AfterValue(p.Message) != "", strings.Contains(message, value):
		return ""
	}
	return `"` + printable.Shorten(value, valueLength) + `"`
}
