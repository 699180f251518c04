// Package richtext turns HTML into Markdown, and tells which texts of Markdown are the same document.
package richtext

import (
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
)

// MaxBytes is the most that is converted. No description is as long; what is would
// take time that grows faster than its length.
const MaxBytes = 256 << 10

// ErrTooLong and ErrTooDeep are HTML that is not converted.
var (
	ErrTooLong = errors.New("the text is longer than 256 KiB")
	ErrTooDeep = errors.New("the text has too many elements inside each other")
)

// Converter converts texts. It keeps no state between them, and belongs to one goroutine.
type Converter struct {
	// ImageBase begins the addresses of pictures that stay pictures (service:
	// Event update input fields, description_md). Others become links, since the
	// service takes none from elsewhere.
	ImageBase string

	convert *converter.Converter
}

// Markdown converts HTML: paragraphs, headings, lists, quotes, code, bold, italics
// and links stay, a table becomes a line a row, an embedded video its address alone on a line.
// Scripts, styles, forms and addresses that are neither of the web nor of mail
// are dropped. A text without markup keeps its lines. The error is [ErrTooLong] or [ErrTooDeep].
func (c *Converter) Markdown(text string) (string, error) {
	if len(text) > MaxBytes {
		return "", ErrTooLong
	}
	text = compiled().address.ReplaceAllString(text, `<a href="$1">$1</a>`)
	text = paragraphs(strings.ReplaceAll(text, "\r\n", "\n"))
	if tooDeep(text) {
		return "", ErrTooDeep
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return "", ErrTooDeep // a reader of a text fails for nothing else
	}
	if depth(doc) > 2*maxDepth {
		return "", ErrTooDeep
	}
	clean(doc, c.ImageBase)
	if c.convert == nil {
		c.convert = converter.NewConverter(
			converter.WithEscapeMode(converter.EscapeModeDisabled), // the tree's texts are escaped
			converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false))),
		)
	}
	out, err := c.convert.ConvertNode(doc)
	if err != nil {
		return "", err
	}
	if len(out) > 4*MaxBytes {
		return "", ErrTooLong
	}
	return tidy(string(out)), nil
}

// patterns are what texts are searched for.
type patterns struct {
	address *regexp.Regexp // as plain text has it: no element
	block   *regexp.Regexp
	begins  *regexp.Regexp // a part with an element
	apart   *regexp.Regexp // two paragraphs
	further *regexp.Regexp // more than one blank line
}

// compiled returns the patterns, compiled at the first text: a program that converts
// none starts without them.
var compiled = sync.OnceValue(func() patterns {
	return patterns{
		address: regexp.MustCompile(`<((?:https?://|mailto:)[^\s<>"]+)>`),
		block:   regexp.MustCompile(`(?i)<(?:p|br|div)[\s/>]`),
		begins: regexp.MustCompile(`(?i)^\s*</?(?:p|div|ul|ol|li|h[1-6]|table|thead|tbody|tr|td|th|blockquote|pre|hr|section|article|` +
			`figure|iframe|dl|dt|dd|script|style|!--)[\s/>-]`),
		apart:   regexp.MustCompile(`\n[ \t]*\n\s*`),
		further: regexp.MustCompile(`\n{3,}`),
	}
})

// paragraphs makes paragraphs of blank lines and breaks of line ends, as the
// programs do that keep a text without them.
func paragraphs(text string) string {
	text = strings.TrimSpace(text)
	p := compiled()
	if !strings.Contains(text, "\n") || p.block.MatchString(text) {
		return text
	}
	var b strings.Builder
	for _, part := range p.apart.Split(text, -1) {
		if p.begins.MatchString(part) {
			b.WriteString(part + "\n")
			continue
		}
		b.WriteString("<p>" + strings.ReplaceAll(part, "\n", "<br>\n") + "</p>\n")
	}
	return b.String()
}

// tidy brings the converter's text to the form in which one would write it.
func tidy(text string) string {
	text = strings.NewReplacer("\u00a0", " ", "\u200b", "", "\ufeff", "").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		trimmed := strings.TrimRight(line, " \t")
		if len(line)-len(trimmed) >= 2 && trimmed != "" && i+1 < len(lines) {
			trimmed += "  " // a break
		}
		lines[i] = trimmed
	}
	return strings.TrimSpace(compiled().further.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
}
