package manual

import (
	"fmt"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	markdown "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Read returns the topic that a Markdown file holds. Its first line is the title.
func Read(name string, source []byte) (*Page, error) {
	r := reader{source: source}
	p := &Page{Name: name, Section: 7}
	doc := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(text.NewReader(source))
	title, ok := doc.FirstChild().(*ast.Heading)
	if !ok || title.Level != 1 {
		return nil, fmt.Errorf("%s: the first line is no title", name)
	}
	p.Title = r.text(title).String()
	for node := title.NextSibling(); node != nil; node = node.NextSibling() {
		if block := r.block(node); block != nil {
			p.Blocks = append(p.Blocks, block)
		}
	}
	if r.failed != nil {
		return nil, fmt.Errorf("%s: %w", name, r.failed)
	}
	return p, nil
}

// reader makes blocks of what the parser has found.
type reader struct {
	source []byte
	failed error // the first thing that no page has
}

func (r *reader) block(node ast.Node) Block {
	switch node := node.(type) {
	case *ast.Heading:
		if node.Level == 1 {
			break
		}
		return Heading{Level: min(node.Level, 3), Text: r.text(node)}
	case *ast.Paragraph:
		return Paragraph{r.text(node)}
	case *ast.FencedCodeBlock:
		return Code{strings.TrimRight(string(node.Lines().Value(r.source)), "\n")}
	case *ast.List:
		list := List{Numbered: node.IsOrdered()}
		for item := node.FirstChild(); item != nil; item = item.NextSibling() {
			if item.ChildCount() != 1 {
				r.refuse(item)
				continue
			}
			list.Items = append(list.Items, r.text(item.FirstChild()))
		}
		return list
	case *markdown.Table:
		return r.table(node)
	}
	r.refuse(node)
	return nil
}

func (r *reader) table(node *markdown.Table) Table {
	var t Table
	for row := node.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []Text
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.text(cell))
		}
		if _, head := row.(*markdown.TableHeader); head {
			t.Head = cells
		} else {
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// text returns the words of a node.
func (r *reader) text(node ast.Node) Text {
	var t Text
	r.spans(&t, node, Span{})
	return t
}

// spans adds the words below a node, in the style that they have there.
func (r *reader) spans(t *Text, node ast.Node, style Span) {
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		within := style
		switch child := child.(type) {
		case *ast.Text:
			t.add(style, string(child.Value(r.source)))
			if child.SoftLineBreak() || child.HardLineBreak() {
				t.add(style, " ")
			}
			continue
		case *ast.String:
			t.add(style, string(child.Value))
			continue
		case *ast.CodeSpan:
			within.Style = Literal
		case *ast.Emphasis:
			within.Style = Strong
		case *ast.Link:
			within.To = string(child.Destination)
			if dir, file := path.Split(within.To); dir == "" && strings.HasSuffix(file, ".md") {
				within.To = "#" + strings.TrimSuffix(file, ".md")
			}
		case *ast.AutoLink:
			address := string(child.URL(r.source))
			t.add(Span{To: address}, address)
			continue
		default:
			r.refuse(child)
		}
		r.spans(t, child, within)
	}
}

// add adds words to the span before where the two look alike.
func (t *Text) add(style Span, words string) {
	if n := len(*t); n > 0 && (*t)[n-1].Style == style.Style && (*t)[n-1].To == style.To {
		(*t)[n-1].Words += words
		return
	}
	style.Words = words
	*t = append(*t, style)
}

func (r *reader) refuse(node ast.Node) {
	if r.failed == nil {
		r.failed = fmt.Errorf("no page has a %s such as %q", node.Kind(), r.text(node))
	}
}
