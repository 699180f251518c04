package manual

import (
	"fmt"
	"strings"
)

// Roff returns a page as man reads it. The version is that of the program.
func (p *Page) Roff(version string) string {
	m := &roff{}
	m.line(`.TH %s %d "" "eventbatch %s" "eventbatch"`, escape(strings.ToUpper(p.manName())), p.Section, escape(version))
	m.line(".SH NAME\n%s \\- %s", escape(p.manName()), escape(p.Title))
	if _, begun := p.Blocks[0].(Heading); !begun {
		m.line(".SH DESCRIPTION")
	}
	for _, block := range p.Blocks {
		m.block(block)
	}
	return m.String()
}

// roff has the lines of a page so far.
type roff struct{ strings.Builder }

func (m *roff) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *roff) block(block Block) {
	switch block := block.(type) {
	case Heading:
		if title := escape(block.Text.String()); block.Level > 2 {
			m.line(".SS %s", title)
		} else {
			m.line(".SH %s", strings.ToUpper(title))
		}
	case Paragraph:
		m.line(".PP\n%s", marked(block.Text))
	case Code:
		m.still(block.Lines)
	case Table:
		m.still(block.plain(72))
	case List:
		for n, item := range block.Items {
			mark := `\(bu`
			if block.Numbered {
				mark = block.mark(n)
			}
			m.line(".IP %s 4\n%s", mark, marked(item))
		}
	case Terms:
		for _, term := range block {
			m.line(".TP\n.B %s\n%s", escape(term.Word), marked(term.About))
		}
	}
}

// still writes lines that stay as they are.
func (m *roff) still(lines string) {
	m.line(".PP\n.RS 4\n.nf")
	for line := range strings.SplitSeq(lines, "\n") {
		m.line("%s", escape(line))
	}
	m.line(".fi\n.RE")
}

// marked returns a text with what stands out in bold letters.
func marked(t Text) string {
	var b strings.Builder
	for _, span := range t {
		words := escapes.Replace(span.Words)
		if span.Style != Plain {
			words = `\fB` + words + `\fR`
		}
		b.WriteString(words)
		if address := span.away(); address != "" {
			b.WriteString(" (" + escapes.Replace(address) + ")")
		}
	}
	return begun(b.String())
}

// escapes has man take words for what they are.
var escapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ")

// escape returns a line of words as man takes them for what they are.
func escape(words string) string { return begun(escapes.Replace(words)) }

// begun returns a line that is no request, whatever it begins with.
func begun(line string) string {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}
