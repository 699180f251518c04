package manual

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/report"
)

const tea = `# How tea is made

Water **boils** under §--heat 100§: see [§help water§](water.md), or [the
house](https://tea.example).

| cup | what
|---|---|
| §small§ | so much that somebody who is alone has enough of it until the evening comes, and no more than that |

## In a pot

- warm it
- -x

§§§console
$ brew \
  --slow
.done
§§§

1. pour
`

// page reads the topic of these tests.
func page(t *testing.T) *Page {
	t.Helper()
	page, err := Read("tea", []byte(strings.ReplaceAll(tea, "§", "`")))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestATopicIsShownInLines(t *testing.T) {
	var out strings.Builder
	blocks := append(page(t).Blocks, Heading{Level: 2, Text: Words("Flags")}, Terms{
		{"--heat DEGREES", Words("of the water")}, {"--a-word-longer-than-a-column", Words("x")},
	})
	if err := Write(&out, blocks, report.NewScreen(&out, report.ScreenConfig{})); err != nil {
		t.Fatal(err)
	}
	want := `Water boils under --heat 100: see help water, or the house
(https://tea.example).

  cup    what
  small  so much that somebody who is alone has enough of it until the evening
         comes, and no more than that

In a pot:

  - warm it
  - -x

    $ brew \
      --slow
    .done

  1. pour

Flags:
  --heat DEGREES              of the water
  --a-word-longer-than-a-column
                              x
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestATopicIsReadByMan(t *testing.T) {
	text := page(t).Roff("1.2.3")
	for _, want := range []string{
		".TH EVENTBATCH\\-TEA 7 \"\" \"eventbatch 1.2.3\" \"eventbatch\"\n",
		"\n.SH NAME\neventbatch\\-tea \\- How tea is made\n.SH DESCRIPTION\n",
		"\n.PP\nWater \\fBboils\\fR under \\fB\\-\\-heat 100\\fR: " +
			"see \\fBhelp water\\fR, or the house (https://tea.example).\n",
		"\n.SH IN A POT\n",
		"\n.IP \\(bu 4\nwarm it\n", "\n.IP 1. 4\npour\n", "\n.nf\n$ brew \\e\n  \\-\\-slow\n\\&.done\n.fi\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestAllPagesAreOneDocument(t *testing.T) {
	var out bytes.Buffer
	flags := &Page{Name: "map show", Title: "<b>", Section: 1, Blocks: []Block{Terms{{"--heat", Words("a < b")}}}}
	if err := WriteHTML(&out, []Part{{"Topics", []*Page{page(t)}}, {"Commands", []*Page{flags}}}, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<p>Water <strong>boils</strong> under <code>--heat 100</code>: see <a href="#water"><code>help water</code></a>`,
		`<section id="map-show"`, `&lt;b&gt;`, `<dt><code>--heat</code></dt><dd>a &lt; b</dd>`,
		"<pre><code><b>brew \\</b>\n<i>  --slow</i>\n.done</code></pre>",
		`<td><code>small</code></td>`, `style-src &#39;sha256-`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func TestWhatNoPageHasIsRefused(t *testing.T) {
	for _, text := range []string{
		"no title\n", "# a\n\n![b](c.png)\n", "# a\n\n<b>c</b>\n", "# a\n\n> b\n", "# a\n\n- b\n\n  c\n", "# a\n\n# b\n",
	} {
		if page, err := Read("x", []byte(text)); err == nil {
			t.Errorf("%q becomes %+v", text, page)
		}
	}
}
