package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
)

// Show prints the problems, sheet by sheet, and reports whether places were left
// out. A quiet screen is shown errors only.
func (p *Problems) Show(s *Screen) (cut bool) {
	names := slices.Clone(p.read)
	for _, name := range p.named {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	blank := false
	for _, name := range names {
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
		case !read && len(blocks) == 1 && len(blocks[0]) == 1 && blocks[0][0].n == 1:
			cut = s.block(place(blocks[0][0].first.Place), blocks[0]) || cut
			continue
		case !read:
			s.Printf("%s\n", s.bold(name.clean()))
		default:
			s.Printf("%s: %s\n", s.bold(name.clean()), Count(rows, "row"))
		}
		for _, block := range blocks {
			s.Printf("\n")
			cut = s.block("", block) || cut
		}
		blank = true
	}
	if blank {
		s.Printf("\n")
	}
	return cut
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
func (s *Screen) block(at string, block []*gathered) (cut bool) {
	for _, g := range block {
		shortened := s.group(at, g)
		cut = cut || shortened
	}
	if block[0].hints == 0 {
		s.hint(block[0].first.Hint, "  ")
	}
	return cut
}

// group prints one group: a line for what it is, a line a message. It reports
// whether places were left out.
func (s *Screen) group(at string, g *gathered) (cut bool) {
	if at == "" {
		at = where(g)
	}
	word := s.red("error")
	if g.severity == schema.Warning {
		word = s.yellow("warning")
	}
	if at != "" {
		word = at + ": " + word
	}
	code := s.dim("[" + string(g.code) + "]")
	if g.n == 1 {
		s.Printf("%s: %s %s\n", word, withValue(&g.first), code)
		return false
	}
	s.Printf("%s: %s, %s %s\n", word, s.bold(title(g)), Count(g.n, "time"), code)
	if g.alike() {
		names, cut := g.variants[0].names(shownPlaces)
		if names != "" {
			s.Printf("  %s%s\n", names, example(g))
		}
		return cut
	}
	return s.variants(g)
}

// alike reports whether all problems of the group say the same.
func (g *gathered) alike() bool { return g.hints == 0 && g.variants[0].n == g.n }

// example shows the value of a group whose message names none.
func example(g *gathered) string {
	value := unsaid(&g.first)
	switch {
	case value == "":
		return ""
	case g.values:
		return ", such as " + value
	}
	return ": " + value
}

// variants prints the messages of a group, each with its first cells. Those with one
// hint stand together above it.
func (s *Screen) variants(g *gathered) (cut bool) {
	hinted := map[string]int{}
	for i := range g.variants {
		if _, seen := hinted[g.variants[i].hint]; !seen {
			hinted[g.variants[i].hint] = i
		}
	}
	slices.SortStableFunc(g.variants, func(a, b variant) int { return cmp.Compare(hinted[a.hint], hinted[b.hint]) })
	names := make([]string, len(g.variants))
	width, more := 0, g.n
	for i := range g.variants {
		v := &g.variants[i]
		shortened := false
		names[i], shortened = v.names(fewPlaces)
		cut = cut || shortened
		width = max(width, len(names[i]))
		more -= v.n
	}
	for i := range g.variants {
		v := &g.variants[i]
		words := v.message
		if g.rest != "" {
			words = strings.TrimSuffix(v.message, " "+g.rest) // the title says it
		}
		s.Printf("  %-*s  %s\n", width, names[i], printable.Clean(words))
		if last := i+1 == len(g.variants); g.hints > 0 && (last || g.variants[i+1].hint != v.hint) {
			s.hint(v.hint, strings.Repeat(" ", width+4))
		}
	}
	if more > 0 {
		s.Printf("  %s\n", s.dim("and "+Number(more)+" more"))
	}
	return cut || more > 0
}

// names names the first cells of a message.
func (v *variant) names(most int) (text string, cut bool) {
	var names []string
	for i := range v.places[:min(most, len(v.places))] {
		if name := cell(v.places[i]); name != "" {
			names = append(names, name)
		}
	}
	text = strings.Join(names, ", ")
	if n := v.n - len(names); n > 0 && text != "" {
		return text + " and " + Number(n) + " more", true
	}
	return text, false
}

// title is what the group's problems have in common, in words.
func title(g *gathered) string {
	if g.alike() {
		return printable.Clean(g.first.Message)
	}
	words := string(g.code)
	info, ok := schema.Lookup(g.code)
	switch {
	case g.rest != "" && !slices.Contains(headerCodes, g.code):
		words = "the value " + printable.Clean(g.rest)
	case ok:
		words = info.Title
	}
	if g.field != "" && !strings.EqualFold(g.field, g.first.Place.Header) {
		words = g.field + ": " + words
	}
	return words
}

// where names the cell or the column that the problems of a group are in.
func where(g *gathered) string {
	p := &g.first.Place
	switch {
	case g.n == 1:
		return cell(*p)
	case g.column < 0:
		return ""
	case p.Header == "":
		return "column " + schema.ColumnName(g.column)
	}
	return fmt.Sprintf("column %s (%s)", schema.ColumnName(g.column), printable.Shorten(printable.Clean(p.Header), 40))
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

// withValue is the message of a problem, with the value that it is about.
func withValue(p *schema.Problem) string {
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
	case value == "", slices.Contains(otherwise, p.Code), behind(p.Message) != "", strings.Contains(message, value):
		return ""
	}
	return `"` + printable.Shorten(value, valueLength) + `"`
}
