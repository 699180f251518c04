package annotate

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/sheet/ooxml"
)

// writeNotes puts the notes and their shapes back into the archive. Parts that
// nothing is left in are dropped.
func (s *sheetEdition) writeNotes() error {
	n := s.notes
	n.dropShapes()
	if list, prefix, ok := ooxml.Child(n.content, "commentList"); ok && len(ooxml.Within(n.content, list, prefix)) == 0 {
		if err := s.pack.Forget(s.entry.Part, n.part); err != nil {
			return err
		}
		if n.shapes == "" || shapeStart.Match(n.drawing) {
			return nil
		}
		s.unlegacy = true
		return s.pack.Forget(s.entry.Part, n.shapes)
	}
	if n.part == "" {
		name := s.pack.Free("xl/comments", ".xml")
		if err := s.newPart(name, "comments", "spreadsheetml.comments+xml"); err != nil {
			return err
		}
		n.part = name
	}
	s.pack.Set(n.part, n.content)
	if n.shapes == "" && len(n.fresh) == 0 {
		return nil
	}
	if n.shapes == "" {
		name := s.pack.Free("xl/drawings/vmlDrawing", ".vml")
		id, err := s.pack.Link(s.entry.Part, s.base, "vmlDrawing", name)
		if err != nil {
			return err
		}
		if err := s.pack.Declare(name, officeType+"vmlDrawing"); err != nil {
			return err
		}
		s.legacy, n.shapes, n.drawing = id, name, []byte(emptyDrawing)
	}
	n.addShapes()
	s.pack.Set(n.shapes, n.drawing)
	return nil
}

func (s *sheetEdition) newPart(name, kind, of string) error {
	if err := s.pack.Declare(name, officeType+of); err != nil {
		return err
	}
	_, err := s.pack.Link(s.entry.Part, s.base, kind, name)
	return err
}

// A drawing of notes is often no well-formed XML, so it is looked at as text.
var (
	shapeStart  = regexp.MustCompile(`<v:shape[\s>]`)
	shapeNumber = regexp.MustCompile(`"_x0000_s(\d+)"`)
	shapeRow    = regexp.MustCompile(`<x:Row>\s*(\d+)\s*</x:Row>`)
	shapeColumn = regexp.MustCompile(`<x:Column>\s*(\d+)\s*</x:Column>`)
)

const (
	shapeEnd     = "</v:shape>"
	emptyDrawing = `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" ` +
		`xmlns:x="urn:schemas-microsoft-com:office:excel">` +
		`<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout>` + shapeType + `</xml>`
	shapeType = `<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" path="m,l,21600r21600,l21600,xe">` +
		`<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>`
)

// dropShapes takes the shapes of notes out that are no more.
func (n *notes) dropShapes() {
	if len(n.gone) == 0 {
		return
	}
	var edits []ooxml.Edit
	for _, at := range shapeStart.FindAllIndex(n.drawing, -1) {
		length := bytes.Index(n.drawing[at[0]:], []byte(shapeEnd))
		if length < 0 {
			continue
		}
		shape := n.drawing[at[0] : at[0]+length+len(shapeEnd)]
		column, row := shapeCell(shape)
		if bytes.Contains(shape, []byte(`ObjectType="Note"`)) && n.gone[[2]int{column, row}] {
			edits = append(edits, ooxml.Edit{From: at[0], To: at[0] + len(shape)})
		}
	}
	n.drawing = ooxml.Edited(n.drawing, edits)
}

// shapeCell tells at which cell the note of a shape is.
func shapeCell(shape []byte) (column, row int) {
	column, row = -1, -1
	if found := shapeColumn.FindSubmatch(shape); found != nil {
		column, _ = strconv.Atoi(string(found[1]))
	}
	if found := shapeRow.FindSubmatch(shape); found != nil {
		row, _ = strconv.Atoi(string(found[1]))
	}
	return column, row + 1
}

// addShapes draws the boxes of new notes, hidden until the cell is pointed at.
func (n *notes) addShapes() {
	end := bytes.LastIndex(n.drawing, []byte("</"))
	if len(n.fresh) == 0 || end < 0 {
		return
	}
	number := 1024
	for _, found := range shapeNumber.FindAllSubmatch(n.drawing, -1) {
		if used, err := strconv.Atoi(string(found[1])); err == nil && used < 1<<24 {
			number = max(number, used)
		}
	}
	var b strings.Builder
	if !bytes.Contains(n.drawing, []byte(`"_x0000_t202"`)) {
		b.WriteString(shapeType)
	}
	for _, t := range n.fresh {
		number++
		lines := 2
		for line := range strings.SplitSeq(t.text, "\n") {
			lines += 1 + utf8.RuneCountInString(line)/46
		}
		lines = min(lines, 30)
		fmt.Fprintf(&b, `<v:shape id="_x0000_s%d" type="#_x0000_t202" style="position:absolute;margin-left:60pt;margin-top:2pt;`+
			`width:240pt;height:%dpt;z-index:%d;visibility:hidden" fillcolor="#fffbe6" o:insetmode="auto">`+
			`<v:fill color2="#fffbe6"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>`+
			`<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>`+
			`<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>%d, 15, %d, 4, %d, 55, %d, 4</x:Anchor>`+
			`<x:AutoFill>False</x:AutoFill><x:Row>%d</x:Row><x:Column>%d</x:Column></x:ClientData></v:shape>`,
			number, lines*12+8, number-1024, t.column+1, max(t.row-2, 0), t.column+4, max(t.row-2, 0)+lines*12/15+1, t.row-1, t.column)
	}
	n.drawing = ooxml.Splice(n.drawing, end, end, b.String())
}
