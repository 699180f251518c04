package richtext

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"
)

func TestTextsAreOneDocumentOrTwo(t *testing.T) {
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"lists and rules", "* tea\r\n\r\n\r\n***\n", "- tea\n\n---\u200b", true},
		{"a rule that looks like a bullet", "a\n\n---\n\nb", "\u200ba\n\n\n\n* * *\n\n\n\n\u200bb\n", true},
		{"a rule and a bullet", "* * *", "* *", false},
		{"emphasis", "*so* and **thus**", "_so_ and __thus__", true},
		{"marks of the text", `In 2027\. 3 \* 4 \_ a\-b`, "In 2027. 3 * 4 _ a-b", true},
		{"entities", "tea &amp; cake&nbsp;&copy;", "tea & cake\u00a0©", true},
		{"breaks", "a  \nb", "a\\\nb", true},
		{"a break and none", "a  \nb", "a\nb", false},
		{"lines and a line", "a\nb", "a b", false},
		{"paragraphs and lines", "a\n\nb", "a\nb", false},
		{"code", "```\na\n\n\nb\n```", "~~~\na\n\n\nb\n~~~", true},
		{"blank lines of code", "```\na\n\n\nb\n```", "```\na\n\nb\n```", false},
		{"language of code", "```go\na\n```", "```c\na\n```", false},
		{"tight and loose", "- a\n- b", "- a\n\n- b", false},
		{"one list and two", "- a\n- b", "- a\n\n* b", false},
		{"first number", "1. a", "2. a", false},
		{"nested lists", "- a\n  - b\n    1. c", "* a\n  + b\n    1) c", true},
		{"depth of a list", "- a\n  - b", "- a\n- b", false},
		{"level", "# a", "## a", false},
		{"a heading and its marks", "# a", `\# a`, false},
		{"underlined heading", "a\n===", "# a", true},
		{"quote", "> a\nb", "> a\n> b", true},
		{"HTML and Markdown", "<em>a</em>", "*a*", false},
		{"HTML", "<div>\na\n</div>", "<div>\nb\n</div>", false},
		{"HTML and its text", "<b>", "&lt;b&gt;", false},
		{"address and link", "https://youtu.be/abc", "<https://youtu.be/abc>", false},
		{"address alone", "see\nhttps://youtu.be/abc", "see https://youtu.be/abc", false},
		{"address of a script", "[a](javascript:x)", "[a](javascript:y)", false},
		{"title", `[a](https://a.test "b")`, "[a](https://a.test)", false},
		{"target", "[a][b]\n\n[b]: https://a.test", "[a](https://a.test)", true},
		{"target that nothing uses", "[a]: https://a.test", "[a]: https://b.test", false},
		{"text in place of a picture", "![a](https://a.test/a.png)", "![b](https://a.test/a.png)", false},
		{"picture", "![a](https://a.test/a.png)", "[a](https://a.test/a.png)", false},
		{"table", "|a|b|\n|-|-|\n|c|d|", "|a|b|\n|-|-|\n|c|e|", false},
		{"bar of a table", "|a|b|\n|-|-|\n|c \\| d|e|", "|a|b|\n|-|-|\n|c | d|e|", false},
		{"struck", "~~a~~", `\~~a~~`, false},
		{"one wave and two", "~~a~~", "~a~", false},
	}
	for _, tt := range tests {
		if same := Canonical(tt.a) == Canonical(tt.b); same != tt.same {
			t.Errorf("%s: the same %t, want %t:\n%q\n%q", tt.name, same, tt.same, Canonical(tt.a), Canonical(tt.b))
		}
	}
}

// block is a part of a document that can be written in two ways.
type block struct{ kind, text, link string }

var blockKinds = []string{
	"paragraph", "break", "emphasis", "link", "heading", "rule", "list", "numbers", "nested", "code", "spaced", "table", "html",
	"video", "picture", "quote",
}

// write returns the block as a person writes it, or in the service's dress.
func (b block) write(dressed bool) string {
	mark, strong, begin, blank, rule := "*", "**", "", "\n\n", "---"
	if dressed {
		mark, strong, begin, blank, rule = "-", "__", "\u200b", "\n\n\n\n", "* * *"
	}
	switch b.kind {
	case "break":
		return begin + b.text + "  \nand more"
	case "emphasis":
		return begin + "so " + strong + b.text + strong + " it is"
	case "link":
		return begin + "see [" + b.text + "](https://a.test/" + b.link + ")"
	case "heading":
		return strings.Repeat("#", len(b.link)) + " " + b.text
	case "rule":
		return begin + b.text + blank + rule + blank + begin + "after"
	case "list":
		return mark + " " + b.text + "\n" + mark + " second " + b.link
	case "numbers":
		return "1. " + b.text + "\n2. " + b.link + " second"
	case "nested":
		return mark + " " + b.text + "\n  " + mark + " inner\n    1. " + b.link
	case "code":
		return "```\n" + b.text + "\n\n\n\n" + b.link + "\n```"
	case "spaced":
		return begin + "as `" + b.text + "` says"
	case "table":
		return "| a | b |\n|---|---|\n| " + b.text + " | " + b.link + " |"
	case "html":
		return "<div class=\"" + b.link + "\">\n" + b.text + "\n</div>"
	case "video":
		return begin + "https://www.youtube.com/watch?v=" + b.link
	case "picture":
		return begin + "![" + b.text + "](https://images.test/" + b.link + ".png)"
	case "quote":
		return "> " + b.text + "\n> " + b.link
	}
	return begin + b.text
}

// write returns a document of blocks.
func writeAll(blocks []block, dressed bool) string {
	apart, end := "\n\n", ""
	if dressed {
		apart, end = "\n\n\n\n", "\n"
	}
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.write(dressed)
	}
	return strings.Join(texts, apart) + end
}

// TestADressIsNoChange has a document be the same in the service's dress, and another one once
// anything in it is changed.
func TestADressIsNoChange(t *testing.T) {
	word := rapid.StringMatching(`[a-z]{1,6}`)
	one := rapid.Custom(func(t *rapid.T) block {
		return block{
			kind: rapid.SampledFrom(blockKinds).Draw(t, "kind"), text: word.Draw(t, "text"), link: word.Draw(t, "link"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(one, 1, 6).Draw(t, "blocks")
		for i := 1; i < len(blocks); i++ { // lists side by side are one, in either dress
			if blocks[i].kind == blocks[i-1].kind || blocks[i].kind == "nested" {
				blocks[i].kind = "paragraph"
			}
		}
		plain, dressed := writeAll(blocks, false), writeAll(blocks, true)
		if Canonical(plain) != Canonical(dressed) {
			t.Fatalf("the dress is a change:\n%s\n\n%s", plain, dressed)
		}
		at := rapid.IntRange(0, len(blocks)-1).Draw(t, "changed")
		changed := slices.Clone(blocks)
		b := &changed[at]
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			b.text += "x"
		case 1:
			b.text, b.link = b.link, b.text
		case 2:
			b.link += "x"
		case 3:
			changed = slices.Delete(changed, at, at+1)
		}
		if other := writeAll(changed, false); other != plain && Canonical(other) == Canonical(dressed) {
			t.Fatalf("the change is none:\n%s\n\n%s", other, dressed)
		}
	})
}

// FuzzCanonical has texts of one form be one document to a parser with and without extensions.
func FuzzCanonical(f *testing.F) {
	for _, seed := range [][2]string{
		{"* a", "- a"},
		{"***", "---"},
		{"a\\\nb", "a  \nb"},
		{"[a]: b", "[a]: c"},
		{"|a|\n|-|", "\\|a|"},
		{"<b>", "&lt;b>"},
		{"\u200ba", "a"},
		{"`````\\\n", "`````\\"},
	} {
		f.Add(seed[0], seed[1])
	}
	readers := []goldmark.Markdown{
		goldmark.New(goldmark.WithRendererOptions(html.WithUnsafe())),
		goldmark.New(
			goldmark.WithRendererOptions(html.WithUnsafe()), goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		),
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 4<<10 {
			return
		}
		if Canonical(a+"\n") != Canonical(a) {
			t.Errorf("%q: a line end at its end is a change", a)
		}
		if Canonical(a) != Canonical(b) {
			return
		}
		for _, reads := range readers {
			var one, two strings.Builder
			if reads.Convert([]byte(ended(Visible(a))), &one) != nil || reads.Convert([]byte(ended(Visible(b))), &two) != nil {
				t.Fatal("a builder takes all")
			}
			if strings.TrimSpace(one.String()) != strings.TrimSpace(two.String()) {
				t.Errorf("%q and %q are %q and %q", a, b, one.String(), two.String())
			}
		}
	})
}

func TestHostileMarkdown(t *testing.T) {
	part := 1 // of the sizes: a race detector makes it ten times as slow
	if testing.Short() {
		part = 8
	}
	for _, text := range []string{"[", "*a_", "> ", "[a](", "1. ", "- a\n  ", "`", "<a ", "| a ", "[a]: b\n", "\u200b"} {
		if Canonical(strings.Repeat(text, MaxBytes/part/len(text))) == Canonical("") && text != "\u200b" {
			t.Errorf("%q is nothing", text)
		}
		Canonical(strings.Repeat(text, maxCompared/part/len(text)))
	}
}
