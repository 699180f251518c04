package richtext

import (
	"slices"
	"strings"
	"unicode"

	"eventbatch/mapping/pattern"

	"golang.org/x/net/html"
)

var tags = []string{
	"p", "br", "b", "i", "u", "em", "strong", "a", "ul", "ol", "li", "div", "span", "h1", "h2", "h3", "h4", "img", "table", "blockquote",
	"hr",
}

// IsHTML reports whether a text has a tag of HTML as programs write them.
func IsHTML(text string) bool {
	for {
		_, rest, found := strings.Cut(text, "<")
		if !found {
			return false
		}
		rest = strings.TrimPrefix(rest, "/")
		after := strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		name := strings.ToLower(rest[:len(rest)-len(after)])
		if slices.Contains(tags, name) && strings.Contains(after, ">") && (after[0] == '>' || after[0] == ' ' || after[0] == '/') {
			return true
		}
		text = rest
	}
}

// IsMarkdown reports whether a text has marks of Markdown that nobody writes otherwise.
func IsMarkdown(text string) bool {
	return strings.Count(text, "**") >= 2 || strings.Contains(text, "](http") || strings.HasPrefix(text, "# ") ||
		strings.Contains(text, "\n- ") || strings.Contains(text, "\n# ")
}

// Foreign converts a text that programs have written as HTML into Markdown, and the entities of any other into
// what they stand for. A text that is Markdown already keeps its tags.
func (c *Converter) Foreign(text string) (string, error) {
	if IsHTML(text) && !IsMarkdown(text) {
		return c.Markdown(text)
	}
	if strings.Contains(text, "&lt;") || strings.Contains(text, "&gt;") {
		return text, nil // what it stands for would be a tag
	}
	return unescape(text), nil
}

// entity finds what stands for a character: in an address &copy= does not.
var entity = pattern.New(`&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]+);`)

func unescape(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	return entity().ReplaceAllStringFunc(text, html.UnescapeString)
}

// Line returns a text of one line without tags and entities.
func Line(text string) string {
	if !IsHTML(text) {
		return unescape(text)
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			b.Write(z.Text())
		default:
			if name, _ := z.TagName(); string(name) == "br" || string(name) == "p" || string(name) == "div" {
				b.WriteByte(' ')
			}
		}
	}
}
