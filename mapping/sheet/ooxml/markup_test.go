package ooxml

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// Cut into pieces and put together again a part is what it was, however it comes.
func FuzzMarkup(f *testing.F) {
	f.Add([]byte(Prolog + `<worksheet xmlns="` + mainName + `"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>a &gt; b</t></is>` +
		`</c></row></sheetData></worksheet>`))
	f.Add([]byte(`<?xml version="1.0"?><!-- > --><a b="x > y" c='"'><![CDATA[ </a> ]]><b/></a>` + "\n"))
	f.Add([]byte(`<a`))
	f.Add([]byte(`<a><!-- `))
	f.Fuzz(func(t *testing.T, part []byte) {
		whole, slow := piecesOf(MarkupOf(part)), piecesOf(NewMarkup(iotest.OneByteReader(bytes.NewReader(part))))
		if diff := cmp.Diff(whole, slow); diff != "" {
			t.Error(diff)
		}
		x := scan(string(part), len(part)+1, 0)
		tok := TokenText
		for tok != TokenError && tok != TokenEOF {
			tok = x.Next()
		}
		if tok == TokenError {
			return
		}
		if joined := strings.Join(whole, ""); joined != string(part) {
			t.Errorf("%q became %q", part, joined)
		}
		root, _ := RootOf(part)
		if string(part[root.From:root.To]) != strings.Join(whole, "")[root.From:root.To] {
			t.Error("the root is elsewhere")
		}
	})
}

func piecesOf(m *Markup) []string {
	var all []string
	for m.Next() {
		all = append(all, string(m.Raw))
	}
	return all
}
