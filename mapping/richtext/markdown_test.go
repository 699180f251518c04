package richtext

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"nothing", "", ""},
		{"plain", "Tea & cake", "Tea & cake"},
		{"plain lines", "Tea\nand cake\n\nBring a friend", "Tea  \nand cake\n\nBring a friend"},
		{"paragraphs", "<p>One</p><p>Two <b>bold</b> and <i>not</i></p>", "One\n\nTwo **bold** and *not*"},
		{"list", "<ul><li>one</li><li>two</li></ul>", "- one\n- two"},
		{"numbers", "<ol><li>one</li><li>two</li></ol>", "1. one\n2. two"},
		{"headings", "<h2>When</h2>Now<h3>Where</h3>Here", "## When\n\nNow\n\n### Where\n\nHere"},
		{"link", `<a href="https://example.org/a_b(c)">here</a>`, "[here](https://example.org/a_b%28c%29)"},
		{
			"address in plain text", "Tickets <https://example.org/a_b> and <mailto:a@example.org>",
			"Tickets [https://example.org/a_b](https://example.org/a_b) and [mailto:a@example.org](mailto:a@example.org)",
		},
		{"mail", `<a href="mailto:tea@example.org">write</a>`, "[write](mailto:tea@example.org)"},
		{"script link", `<a href="javascript:alert(1)">here</a>`, "here"},
		{"relative link", `<a href="/tickets">tickets</a>`, "tickets"},
		{"script", `Tea<script>alert("x")</script><style>p{}</style><!-- wp:paragraph --> at five`, "Tea at five"},
		{"picture", `<img src="https://example.org/a.jpg" alt="A cup">`, "[A cup](https://example.org/a.jpg)"},
		{"picture of ours", `<img src="https://images.example.com/a.jpg" alt="A cup">`, "![A cup](https://images.example.com/a.jpg)"},
		{
			"picture of a host that looks like ours", `<img src="https://images.example.com.evil.example/a.jpg">`,
			"[picture](https://images.example.com.evil.example/a.jpg)",
		},
		{
			"picture in a link", `<a href="https://example.org/"><img src="https://example.org/a.jpg" alt="A cup"></a>`,
			"[A cup](https://example.org/)",
		},
		{"picture in the text", `<img src="data:image/png;base64,AAAA">Tea`, "Tea"},
		{
			"video", `<p>See</p><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ?rel=0"></iframe>`,
			"See\n\nhttps://www.youtube.com/watch?v=dQw4w9WgXcQ",
		},
		{"another frame", `<iframe src="https://example.org/"></iframe>Tea`, "Tea"},
		{"table", "<table><tr><th>Time</th><th>What</th></tr><tr><td>5</td><td>Tea</td></tr></table>", "Time · What\n\n5 · Tea"},
		{"marks of Markdown", "<p>* not a list</p><p># no heading</p>", "\\* not a list\n\n\\# no heading"},
		{
			"more marks", "<p>2027. snake_case *loud* [x](y) _so_ 3 * 4</p><p>- no</p><pre>a_b *c*</pre><code>*d*</code>",
			"2027\\. snake_case \\*loud\\* \\[x\\](y) \\_so\\_ 3 * 4\n\n\\- no\n\n```\na_b *c*\n```\n\n`*d*`",
		},
		{"entities", "<p>Caf&eacute;&nbsp;&mdash; &lt;b&gt;</p>", "Café — &lt;b&gt;"},
		{"list and lines", "Bring:\n\n<ul>\n<li>paper</li>\n<li>pens</li>\n</ul>\n\nSee you", "Bring:\n\n- paper\n- pens\n\nSee you"},
	}
	c := Converter{ImageBase: "https://images.example.com"}
	for _, tt := range tests {
		got, err := c.Markdown(tt.html)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestHostileHTML(t *testing.T) {
	fill := func(part string) string { return strings.Repeat(part, MaxBytes/len(part)) }
	tests := []struct {
		name, html string
		want       error
	}{
		{"long", strings.Repeat("a", MaxBytes+1), ErrTooLong},
		{"deep", fill("<div>"), ErrTooDeep},
		{"deep and closed by others", fill("<b></i>"), ErrTooDeep},
		{"deep lists", fill("<ul><li>"), ErrTooDeep},
		{"paragraphs never closed", fill("<p>"), nil},
		{"items never closed", fill("<li>"), nil},
		{"ends of nothing", fill("</div>"), nil},
		{"letters", fill("<"), nil},
		{"stars", fill("*_`["), nil},
		{"tables", fill("<table><tr>"), ErrTooDeep},
		{"attributes", "<p " + fill("a='1' ")[:MaxBytes-4] + ">", nil},
		{"comments", fill("<!-- -->"), nil},
	}
	for _, tt := range tests {
		begun := time.Now()
		var c Converter
		if _, err := c.Markdown(tt.html); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s took %v", tt.name, took)
		} else {
			t.Log(tt.name, took)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"<p>a", "a\n\nb", "<ul><li><a href='http://x.example'>y", "<table><td>a<td>b", "<pre>a\n b</pre>",
		"<iframe src='//player.vimeo.com/video/1'>", "<svg><style><a>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c Converter
		got, err := c.Markdown(text)
		if err != nil {
			return
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
		low := strings.ToLower(got)
		if strings.Contains(low, "](javascript:") || strings.Contains(low, "](data:") || strings.Contains(got, "![") &&
			!strings.Contains(text, "![") && !strings.Contains(text, "!") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
