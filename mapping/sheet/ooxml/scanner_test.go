package ooxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

// blocksOf gives a document in blocks of one size, with this much room before each.
type blocksOf struct {
	data        []byte
	size, front int
}

func (p *blocksOf) Next() (Block, error) {
	if len(p.data) == 0 {
		return Block{}, io.EOF
	}
	n := min(p.size, len(p.data))
	mem := append(make([]byte, p.front), p.data[:n]...)
	p.data = p.data[n:]
	return Block{mem, p.front, len(mem)}, nil
}

// Recycle spoils the block, so that whoever still looks at it fails.
func (p *blocksOf) Recycle(b Block) {
	for i := range b.Mem {
		b.Mem[i] = '!'
	}
}

func scan(doc string, size, front int) *Scanner {
	return NewScanner(&blocksOf{[]byte(doc), size, front})
}

// events writes down what a document holds, text in one piece.
func events(x *Scanner) ([]string, error) {
	var all []string
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			all = append(all, fmt.Sprintf("%q", text.String()))
			text.Reset()
		}
	}
	for {
		switch x.Next() {
		case TokenStart:
			flush()
			name := x.names[x.marks[len(x.marks)-1]:]
			tag := []byte("<" + string(name))
			for _, a := range x.Attrs {
				tag = fmt.Appendf(tag, " %s=%q", a.Name, a.Value)
			}
			all = append(all, string(tag))
		case TokenText:
			text.Write(x.Text)
		case TokenEnd:
			flush()
			all = append(all, ">")
		case TokenEOF:
			return all, nil
		default:
			return all, x.err
		}
	}
}

// xmlOracle writes down the same as encoding/xml sees it.
func xmlOracle(doc string) ([]string, error) {
	var all []string
	var text strings.Builder
	depth := 0
	d := xml.NewDecoder(strings.NewReader(doc))
	flush := func() {
		if text.Len() > 0 && depth > 0 {
			all = append(all, fmt.Sprintf("%q", text.String()))
		}
		text.Reset()
	}
	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			flush()
			depth++
			tag := []byte("<" + rawName(t.Name))
			for _, a := range t.Attr {
				tag = fmt.Appendf(tag, " %s=%q", rawName(a.Name), a.Value)
			}
			all = append(all, string(tag))
		case xml.EndElement:
			flush()
			depth--
			all = append(all, ">")
		case xml.CharData:
			text.Write(t)
		}
	}
}

func rawName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// wellFormed reports whether encoding/xml reads a document to its end; unlike
// RawToken, Token checks that the tags fit.
func wellFormed(doc string) bool {
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		switch _, err := d.Token(); {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return false
		}
	}
}

const mainName = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

var documents = []string{
	`<a/>`,
	Prolog + `<a b="1" c='2 "x"' >text<b/></a >` + "\n<!-- after -->\n",
	"\uFEFF<a>&lt;&gt;&amp;&apos;&quot;&#65;&#x41;&#x1F600;</a>",
	"<a x=\"&lt;\r\n&#13;é\">one\r\ntwo\rthree&#13;</a>",
	`<a>x<![CDATA[<&]]]>y<!-- - -->z<?pi data?>w</a>`,
	`<a xmlns="u" xmlns:p="v"><p:b p:c="1" xml:space="preserve"/><b xmlns=""/></a>`,
	"<a>日本語 ]] &gt; \u00e9\U0001F600</a>",
	`<a><![CDATA[]]></a>`,
	"<a><![CDATA[x\r\ny\rz]]></a>",
	"<?xml version='1.0' encoding='utf-8'?><!-- x --><?y?><a b = \"1\"\n\tc=\"2\"/>",
}

func TestXMLScannerSeesWhatEncodingXMLSees(t *testing.T) {
	for _, doc := range documents {
		want, err := xmlOracle(doc)
		if err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		for _, size := range []int{1, 2, 3, 5, 7, 1 << 16} {
			for _, front := range []int{0, 4, 64} {
				got, err := events(scan(doc, size, front))
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%q in blocks of %d: %v\n%s", doc, size, err, diff)
				}
			}
		}
	}
}

func TestXMLScannerRefuses(t *testing.T) {
	long := strings.Repeat("x", maxToken+blockSize)
	for _, tc := range []struct {
		doc  string
		code schema.Code
	}{
		{``, schema.CodeCutXML},
		{`<a>`, schema.CodeCutXML},
		{`<a`, schema.CodeCutXML},
		{`<a b`, schema.CodeCutXML},
		{`<a b="1`, schema.CodeCutXML},
		{`<a>text`, schema.CodeCutXML},
		{`<a><b></b>`, schema.CodeCutXML},
		{`<a></`, schema.CodeCutXML},
		{`<a><!-- `, schema.CodeCutXML},
		{`<a><![CDATA[ ]]`, schema.CodeCutXML},
		{`<?xml version="1.0"`, schema.CodeCutXML},
		{`<!DOCTYPE a><a/>`, schema.CodeDoctype},
		{`<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, schema.CodeDoctype},
		{`<a><!ENTITY b "c"></a>`, schema.CodeDoctype},
		{"\xFF\xFE<\x00a\x00/\x00>\x00", schema.CodeBadXML},
		{"<\x00a\x00/\x00>\x00", schema.CodeBadXML},
		{`<?xml version="1.0" encoding="UTF-16"?><a/>`, schema.CodeBadEncoding},
		{`<?xml version="1.1"?><a/>`, schema.CodeBadXML},
		{` <?xml version="1.0"?><a/>`, schema.CodeBadXML},
		{`<a></b>`, schema.CodeBadXML},
		{`<a></ab>`, schema.CodeBadXML},
		{`</a>`, schema.CodeBadXML},
		{`<a/><b/>`, schema.CodeBadXML},
		{`<a/>x`, schema.CodeBadXML},
		{`x<a/>`, schema.CodeBadXML},
		{`<a b="1" b="2"/>`, schema.CodeBadXML},
		{`<a b="1"c="2"/>`, schema.CodeBadXML},
		{`<a b=1/>`, schema.CodeBadXML},
		{`<a b/>`, schema.CodeBadXML},
		{`<a b="<"/>`, schema.CodeBadXML},
		{`<a 1="2"/>`, schema.CodeBadXML},
		{`<a b:c:d="1"/>`, schema.CodeBadXML},
		{`<a b:="1"/>`, schema.CodeBadXML},
		{`<a xml:b:space="1"/>`, schema.CodeBadXML},
		{`<1/>`, schema.CodeBadXML},
		{`<é/>`, schema.CodeBadXML},
		{`<a>&nbsp;</a>`, schema.CodeBadXML},
		{`<a>&#0;</a>`, schema.CodeBadXML},
		{`<a>&#xD800;</a>`, schema.CodeBadXML},
		{`<a>&#;</a>`, schema.CodeBadXML},
		{`<a>& b</a>`, schema.CodeBadXML},
		{`<a b="&x;"/>`, schema.CodeBadXML},
		{"<a>\x01</a>", schema.CodeBadXML},
		{"<a b=\"\x01\"/>", schema.CodeBadXML},
		{"<a>\xC3\x28</a>", schema.CodeBadXML},
		{"<a>\uFFFE</a>", schema.CodeBadXML},
		{"<a><![CDATA[\x02]]></a>", schema.CodeBadXML},
		{`<a>]]></a>`, schema.CodeBadXML},
		{`<a><!-- -- --></a>`, schema.CodeBadXML},
		{`<![CDATA[x]]><a/>`, schema.CodeBadXML},
		{`<p:a/>`, schema.CodeBadXML},
		{`<a xmlns:p="u"><p:/></a>`, schema.CodeBadXML},
		{`<a xmlns:p=""/>`, schema.CodeBadXML},
		{`<a xmlns:xml="u"/>`, schema.CodeBadXML},
		{strings.Repeat("<a>", maxDepth+1), schema.CodeBadXML},
		{`<a>` + long + `</a>`, schema.CodeBadXML},
		{`<a b="` + long + `"/>`, schema.CodeBadXML},
	} {
		for _, size := range []int{1, 4, blockSize} {
			if size < blockSize && len(tc.doc) > 4096 {
				continue
			}
			_, err := events(scan(tc.doc, size, 4))
			if f, ok := errors.AsType[*Flaw](err); !ok || f.Code != tc.code {
				t.Errorf("%.60q in blocks of %d: %v, want %s", tc.doc, size, err, tc.code)
			}
		}
	}
}

func FuzzXMLScanner(f *testing.F) {
	for i, doc := range documents {
		f.Add(doc, uint8(i))
	}
	f.Add(
		Prolog+`<worksheet xmlns="`+mainName+`"><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>`,
		uint8(7),
	)
	f.Fuzz(func(t *testing.T, doc string, size uint8) {
		got, err := events(scan(doc, 1+int(size), int(size)%9))
		if err != nil {
			return // stricter than the oracle by intent
		}
		if !wellFormed(doc) {
			t.Fatalf("encoding/xml refuses %q", doc)
		}
		want, err := xmlOracle(doc)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q:\n%s", doc, diff)
		}
		whole, err := events(scan(doc, 1<<20, 0))
		if err != nil || !cmp.Equal(got, whole) {
			t.Fatalf("the size of the blocks matters: %v %q", err, whole)
		}
	})
}

func TestXMLScannerNamespaces(t *testing.T) {
	const strict = "http://purl.oclc.org/ooxml/spreadsheetml/main"
	doc := `<x:a xmlns:x="` + mainName + `" xmlns:y="u"><b/><y:c/><d xmlns="` + strict + `"><e/><y:f xmlns:y="` + mainName +
		`"/></d><g/></x:a>`
	x := scan(doc, 9, 0)
	var got bytes.Buffer
	for t := x.Next(); t != TokenEOF && t != TokenError; t = x.Next() {
		if t == TokenStart {
			fmt.Fprintf(&got, "%s:%d ", x.Local, x.Space)
		}
	}
	want := fmt.Sprintf("a:%[1]d b:%[2]d c:%[3]d d:%[1]d e:%[1]d f:%[1]d g:%[2]d ", MainSpace, noSpace, foreignSpace)
	if got.String() != want || x.err != nil {
		t.Errorf("got %s, want %s (%v)", got.String(), want, x.err)
	}
}
