package manual

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"

	"eventbatch/templates"
)

// Part is pages that stand together in the list of all.
type Part struct {
	Title string
	Pages []*Page
}

// WriteHTML writes all pages as one HTML file, which needs no other.
func WriteHTML(w io.Writer, parts []Part, version string) error {
	type section struct {
		ID, Name, Title string
		Body            template.HTML
	}
	type part struct {
		Title string
		Pages []section
	}
	style := templates.ManualStyle()
	sum := sha256.Sum256([]byte(style))
	document := struct {
		Policy, Version string
		Style           template.CSS
		Parts           []part
	}{
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'",
		Version: version, Style: template.CSS(style),
	}
	for _, of := range parts {
		p := part{Title: of.Title}
		for _, page := range of.Pages {
			p.Pages = append(p.Pages, section{page.ID(), page.Name, page.Title, template.HTML(body(page))})
		}
		document.Parts = append(document.Parts, p)
	}
	shell, err := template.ParseFS(templates.Manual, "manual/manual.html")
	if err != nil {
		return err
	}
	return shell.Execute(w, document)
}

// body returns the blocks of a page as HTML.
func body(p *Page) string {
	var b strings.Builder
	for _, block := range p.Blocks {
		switch block := block.(type) {
		case Heading:
			fmt.Fprintf(&b, "<h%d>%s</h%[1]d>\n", block.Level+1, inline(block.Text))
		case Paragraph:
			fmt.Fprintf(&b, "<p>%s</p>\n", inline(block.Text))
		case Code:
			fmt.Fprintf(&b, "<pre><code>%s</code></pre>\n", lines(block.Lines))
		case List:
			kind := map[bool]string{true: "ol", false: "ul"}[block.Numbered]
			fmt.Fprintf(&b, "<%s>\n", kind)
			for _, item := range block.Items {
				fmt.Fprintf(&b, "<li>%s</li>\n", inline(item))
			}
			fmt.Fprintf(&b, "</%s>\n", kind)
		case Table:
			b.WriteString("<div class=\"scroll\"><table>\n<thead>")
			row(&b, "th", block.Head)
			b.WriteString("</thead>\n<tbody>")
			for _, cells := range block.Rows {
				row(&b, "td", cells)
			}
			b.WriteString("</tbody></table></div>\n")
		case Terms:
			b.WriteString("<dl>\n")
			for _, term := range block {
				fmt.Fprintf(&b, "<dt><code>%s</code></dt><dd>%s</dd>\n", html.EscapeString(term.Word), inline(term.About))
			}
			b.WriteString("</dl>\n")
		}
	}
	return b.String()
}

func row(b *strings.Builder, kind string, cells []Text) {
	b.WriteString("<tr>")
	for _, cell := range cells {
		fmt.Fprintf(b, "<%s>%s</%[1]s>", kind, inline(cell))
	}
	b.WriteString("</tr>\n")
}

func inline(t Text) string {
	var b strings.Builder
	for _, span := range t {
		words := html.EscapeString(span.Words)
		switch span.Style {
		case Strong:
			words = "<strong>" + words + "</strong>"
		case Literal:
			words = "<code>" + words + "</code>"
		}
		if span.To != "" {
			words = `<a href="` + html.EscapeString(span.To) + `">` + words + "</a>"
		}
		b.WriteString(words)
	}
	return b.String()
}

// lines marks what is typed among lines that show what it prints. A command goes on in the next line behind a \.
func lines(code string) string {
	var b strings.Builder
	goesOn := false
	for line := range strings.SplitAfterSeq(code, "\n") {
		command, begins := strings.CutPrefix(line, "$ ")
		words := html.EscapeString(strings.TrimSuffix(command, "\n"))
		switch {
		case begins:
			words = "<b>" + words + "</b>"
		case goesOn:
			words = "<i>" + words + "</i>"
		}
		goesOn = (begins || goesOn) && strings.HasSuffix(command, "\\\n")
		b.WriteString(words + line[len(strings.TrimSuffix(line, "\n")):])
	}
	return b.String()
}
