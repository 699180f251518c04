package ooxml

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAppended(t *testing.T) {
	order := strings.Fields("fonts fills cellXfs dxfs extLst")
	for name, tc := range map[string]struct {
		part, list, item, want string
		index                  int
	}{
		"behind the last": {
			`<s><fonts count="1"><font/></fonts></s>`, "fonts", "<font>x</font>",
			`<s><fonts count="2"><font/><font>x</font></fonts></s>`, 1,
		},
		"without a count": {
			`<s><fonts><font/></fonts></s>`, "fonts", "<font>x</font>", `<s><fonts><font/><font>x</font></fonts></s>`, 1,
		},
		"in a list of none": {
			`<s><fonts count="0"/></s>`, "fonts", "<font/>", `<s><fonts count="1"><font/></fonts></s>`, 0,
		},
		"in a new list": {
			`<s><fonts/><extLst/></s>`, "dxfs", "<dxf/>", `<s><fonts/><dxfs count="1"><dxf/></dxfs><extLst/></s>`, 0,
		},
		"in a new list, last": {
			`<s><fonts/></s>`, "dxfs", "<dxf/>", `<s><fonts/><dxfs count="1"><dxf/></dxfs></s>`, 0,
		},
		"in an empty root": {`<s a=">"/>`, "dxfs", "<dxf/>", `<s a=">"><dxfs count="1"><dxf/></dxfs></s>`, 0},
		"with a prefix": {
			`<x:s><x:dxfs count="0"></x:dxfs></x:s>`, "dxfs", "<dxf><b/></dxf>",
			`<x:s><x:dxfs count="1"><x:dxf><x:b/></x:dxf></x:dxfs></x:s>`, 0,
		},
		"a list that others have in the same name": {
			`<s><y:dxfs/><extLst/></s>`, "dxfs", "<dxf/>", `<s><y:dxfs/><dxfs count="1"><dxf/></dxfs><extLst/></s>`, 0,
		},
	} {
		got, index := Appended([]byte(tc.part), tc.list, tc.item, order)
		if string(got) != tc.want || index != tc.index {
			t.Errorf("%s: %d %s", name, index, got)
		}
		again, index := Interned(got, tc.list, tc.item, order)
		if string(again) != tc.want || index != tc.index {
			t.Errorf("%s, once only: %d %s", name, index, again)
		}
	}
}

func TestAttributesOfATag(t *testing.T) {
	tag := []byte(`<x:row a='1 > "0"' r = "7" b="&lt;&#65;" r:id="rId3"/>`)
	for name, want := range map[string]string{"a": `1 > "0"`, "r": "7", "b": "<A", "r:id": "rId3", "id": "", "x": ""} {
		if got := AttrOf(tag, name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := RelatedID(tag); got != "rId3" {
		t.Error(got)
	}
	if got, want := string(
		WithAttr(WithAttr(tag, "r", "8"), "c", `"`),
	), `<x:row a='1 > "0"' r = "8" b="&lt;&#65;" r:id="rId3" c="&quot;"/>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What is written into XML is read back, but for line ends and what XML cannot hold.
func TestEscapedTextIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"_x0041_", "_x005F_", "_", "x0041_", "\n", "\t", `<&>"'`, "]]>"}))
		text := strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "text"), "")
		text = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
				return -1
			}
			return r
		}, text)
		x := scan(`<t a="`+EscapeAttr(text)+`">`+EscapeText(text)+`</t>`, 7, 3)
		x.Next()
		attr, _ := x.Attr("a")
		got := string(Unescape([]byte(string(attr))))
		inner := ""
		for x.Next() == TokenText {
			inner += string(x.Text)
		}
		if inner = string(Unescape([]byte(inner))); x.Finish() != nil || got != text || inner != text {
			t.Fatalf("%q became %q, in an attribute %q: %v", text, inner, got, x.Err())
		}
	})
}
