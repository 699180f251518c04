package richtext_test

import (
	"testing"

	"eventbatch/mapping/richtext"
)

func TestForeign(t *testing.T) {
	for text, want := range map[string]string{
		"<p>Hello <b>all</b></p><ul><li>a</li></ul>": "Hello **all**\n\n- a",
		"Line one\nLine two &#8211; end":             "Line one\nLine two – end",
		"a < b & c > d":                              "a < b & c > d",
		"**Agenda**\n- talks <br> &amp; tea":         "**Agenda**\n- talks <br> & tea",
		"write &lt;b&gt; &amp; be bold":              "write &lt;b&gt; &amp; be bold",
		"Tea & cake":                                 "Tea & cake",
	} {
		var c richtext.Converter
		if got, err := c.Foreign(text); got != want || err != nil {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
}

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"Fair &amp; market":                             "Fair & market",
		`<a href = "paper/1.pdf">A paper</a> &ndash; x`: "A paper – x",
		"Jazz<br>Night":                                 "Jazz Night",
		"3 < 5 & 7 > 2":                                 "3 < 5 & 7 > 2",
		"R&D;":                                          "R&D;",
		"x?a=1&copy=2":                                  "x?a=1&copy=2",
		"AT&T":                                          "AT&T",
	} {
		if got := richtext.Line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
