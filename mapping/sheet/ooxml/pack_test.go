package ooxml

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const relationBase = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// smallBook is an archive whose names are in the case in which programs write them.
func smallBook(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{
			"[Content_Types].xml",
			`<Types><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/Workbook.xml" ContentType="main"/>` +
				`<Override PartName="/xl/calcChain.xml" ContentType="chain"/></Types>`,
		},
		{
			"_rels/.rels",
			`<Relationships><Relationship Id="rId1" Type="` + relationBase + `officeDocument" Target="xl/Workbook.xml"/></Relationships>`,
		},
		{"xl/Workbook.xml", "<workbook/>"},
		{"xl/_rels/Workbook.xml.rels", `<Relationships><Relationship Id="rId1" Type="` + relationBase +
			`calcChain" Target="calcChain.xml"/>` +
			`<Relationship Id="rId2" Type="` + relationBase +
			`hyperlink" Target="https://example.com" TargetMode="External"/></Relationships>`},
		{"xl/calcChain.xml", "<calcChain/>"},
		{"xl/media/image.png", "a picture"},
	} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: part[0], Method: zip.Deflate, Modified: time.Date(2026, 3, 8, 9, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = io.WriteString(f, part[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// rawParts gives the parts of an archive as they lie in it.
func rawParts(t *testing.T, archive []byte) (names []string, raw map[string]string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	raw = map[string]string{}
	for _, f := range r.File {
		in, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name)
		raw[f.Name] = string(content)
	}
	return names, raw
}

func packOf(t *testing.T, archive []byte) *Pack {
	t.Helper()
	p, err := NewPack(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPackKeepsWhatIsNotChanged(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	old := smallBook(t)
	p := packOf(t, old)
	root, ok, err := p.Linked("", "officeDocument")
	if err != nil || !ok || root.Target != "xl/workbook.xml" || root.Base != relationBase {
		t.Fatalf("%+v %v", root, err)
	}
	must(p.Forget(root.Target, "xl/calcchain.xml"))
	name := p.Free("xl/Comments", ".xml")
	p.Set(name, []byte("<comments/>"))
	must(p.Declare(name, "notes"))
	id, err := p.Link(root.Target, root.Base, "comments", name)
	must(err)
	p.Make(root.Target, func(_ context.Context, w io.Writer) error {
		_, err := io.WriteString(w, "<workbook>made</workbook>")
		return err
	})
	var made bytes.Buffer
	must(p.Write(t.Context(), &made))

	_, before := rawParts(t, old)
	names, after := rawParts(t, made.Bytes())
	want := []string{
		"[Content_Types].xml", "_rels/.rels", "xl/Workbook.xml", "xl/_rels/Workbook.xml.rels", "xl/media/image.png",
		"xl/Comments1.xml",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"_rels/.rels", "xl/media/image.png"} {
		if after[name] != before[name] {
			t.Errorf("%s was packed anew", name)
		}
	}

	p = packOf(t, made.Bytes())
	for part, want := range map[string]string{
		"xl/workbook.xml":  "<workbook>made</workbook>",
		"xl/comments1.xml": "<comments/>",
		"[content_types].xml": `<Types><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/Workbook.xml" ` +
			`ContentType="main"/><Override PartName="/xl/Comments1.xml" ContentType="notes"/></Types>`,
	} {
		if got, err := p.Read(part); err != nil || string(got) != want {
			t.Errorf("%s: %v %s", part, err, got)
		}
	}
	links, err := p.Links("xl/workbook.xml")
	if err != nil || len(links) != 2 || links[0].Target != "" || links[1].Target != "xl/comments1.xml" || links[1].ID != id ||
		id == links[0].ID {
		t.Errorf("%+v %v", links, err)
	}
	for part, want := range map[string]string{"xl/comments1.xml": "notes", "xl/other.xml": "application/xml", "xl/media/image.png": ""} {
		if kind, err := p.TypeOf(part); err != nil || kind != want {
			t.Errorf("%s: %v %s", part, err, kind)
		}
	}
	if p.Has("xl/calcchain.xml") {
		t.Error("what is forgotten is still there")
	}
}
