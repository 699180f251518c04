package richtext

import (
	"bytes"
	"html"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markup "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const maxCompared = 32 << 10

// Canonical returns the form of Markdown in which two texts are compared: they have the same one
// where they are the same document in other words, such as other marks of lists, rules and
// emphasis, more blank lines, or the zero-width spaces that the service strews in. A document is
// what CommonMark makes of a text together with what GitHub's tables and strikethrough make of it,
// since nobody knows which of them the service reads. HTML in a text, and the target of a link
// that nothing uses, are kept to the letter. So is a text of more than 32 KiB, since a parser's time grows with the square of some.
func Canonical(markdown string) string {
	markdown = ended(Visible(markdown))
	if len(markdown) > maxCompared {
		return markdown
	}
	var b bytes.Buffer
	for _, reads := range dialects() {
		if reads.Convert([]byte(markdown), &b) != nil {
			return markdown // a buffer takes all that is written
		}
		b.WriteByte(0) // no document has it
	}
	return b.String()
}

// Visible returns a text without the marks that nobody sees, and with one kind of line end.
func Visible(text string) string { return invisible.Replace(text) }

// ended returns a text with one line end at its end: a parser may take the last line of a text otherwise than
// one that another follows.
func ended(text string) string { return strings.TrimRight(text, "\n") + "\n" }

var invisible = strings.NewReplacer("\u200b", "", "\ufeff", "", "\r\n", "\n", "\r", "\n", "\x00", "")

// dialects are the readings of Markdown that a canonical form is made of, built when the first text
// is compared.
var dialects = sync.OnceValue(func() []goldmark.Markdown {
	dialect := func(extensions ...goldmark.Extender) goldmark.Markdown {
		return goldmark.New(
			goldmark.WithExtensions(extensions...),
			goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(linkInliner{}, 0))),
			goldmark.WithRendererOptions(markup.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(literal{}, 0))),
		)
	}
	return []goldmark.Markdown{dialect(), dialect(extension.Table, extension.Strikethrough, extension.TaskList)}
})

// linkInliner takes the targets of links out of a document where a link names them, which has them itself.
type linkInliner struct{}

// Transform is called with each document, once it is read.
func (linkInliner) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	used := map[string]bool{}
	var targets []*ast.LinkReferenceDefinition
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing fails
		switch n := n.(type) {
		case *ast.LinkReferenceDefinition:
			if entering {
				targets = append(targets, n)
			}
		case *ast.Link:
			if n.Reference != nil {
				used[util.ToLinkReference(n.Reference.Value)] = true
			}
		case *ast.Image:
			if n.Reference != nil {
				used[util.ToLinkReference(n.Reference.Value)] = true
			}
		}
		return ast.WalkContinue, nil
	})
	for _, target := range targets {
		if used[util.ToLinkReference(target.Label)] {
			target.Parent().RemoveChild(target.Parent(), target)
		}
	}
}

// literal writes what is kept to the letter, so that it is never what Markdown becomes.
type literal struct{}

// RegisterFuncs is called once for each dialect.
func (l literal) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if block := n.(*ast.HTMLBlock); entering {
			lines := string(block.Lines().Value(source))
			if block.HasClosure() {
				lines += string(block.ClosureLine.Value(source))
			}
			write(w, strings.TrimRight(lines, "\n"))
		}
		return ast.WalkContinue, nil
	})
	reg.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			write(w, string(n.(*ast.RawHTML).Segments.Value(source)))
		}
		return ast.WalkSkipChildren, nil
	})
	reg.Register(ast.KindLinkReferenceDefinition, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if of := n.(*ast.LinkReferenceDefinition); entering {
			write(w, string(of.Label), string(of.Destination), string(of.Title))
		}
		return ast.WalkSkipChildren, nil
	})
}

func write(w util.BufWriter, texts ...string) {
	for _, text := range texts {
		_, _ = w.WriteString("<literal>" + html.EscapeString(text) + "</literal>") // into a buffer
	}
}
