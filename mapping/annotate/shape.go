package annotate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"eventbatch/mapping/sheet/ooxml"
)

// write puts the notes and their shapes back into the archive. Parts that
// nothing is left in are dropped.
func (s noteEdit) write() error {
	n := s.notes
	n.dropShapes()
	if list, prefix, ok := ooxml.Child(n.content, "commentList"); ok && len(ooxml.Within(n.content, list, prefix)) == 0 {
		if err := s.Forget(s.entry.Part, n.part); err != nil {
			return err
		}
		if n.shapes == "" || len(readDrawing(n.drawing).shapes) > 0 {
			return nil
		}
		s.unlegacy = true
		return s.Forget(s.entry.Part, n.shapes)
	}
	if n.part == "" {
		name := s.Free("xl/comments", ".xml")
		if err := s.newPart(name, "comments", "spreadsheetml.comments+xml"); err != nil {
			return err
		}
		n.part = name
	}
	s.Set(n.part, n.content)
	if n.shapes == "" && len(n.fresh) == 0 {
		return nil
	}
	if n.shapes == "" {
		name := s.Free("xl/drawings/vmlDrawing", ".vml")
		id, err := s.Link(s.entry.Part, s.Base, "vmlDrawing", name)
		if err != nil {
			return err
		}
		if err := s.Declare(name, ooxml.OfficeType+"vmlDrawing"); err != nil {
			return err
		}
		s.legacy, n.shapes, n.drawing = id, name, []byte(emptyDrawing)
	}
	n.addShapes()
	s.Set(n.shapes, n.drawing)
	return nil
}

func (s noteEdit) newPart(name, kind, of string) error {
	if err := s.Declare(name, ooxml.OfficeType+of); err != nil {
		return err
	}
	_, err := s.Link(s.entry.Part, s.Base, kind, name)
	return err
}

// drawing is what a drawing of notes holds. It is often no well-formed XML, so its
// tags are looked at one after another, and their nesting is not.
type drawing struct {
	shapes []shape
	end    int  // where the root element ends
	last   int  // the highest number of a shape
	typed  bool // the type of our shapes is there
}

// shape is the box of one note, or something else that is drawn.
type shape struct {
	from, to    int
	note        bool
	column, row int // of its cell
}

func readDrawing(content []byte) drawing {
	d := drawing{last: 1024}
	open, inside := shape{}, false
	for m := ooxml.MarkupOf(content); m.Next(); {
		if m.Kind == ooxml.PieceOther {
			continue
		}
		if m.Kind == ooxml.PieceClose {
			d.end = m.At
		}
		d.typed = d.typed || ooxml.AttrOf(m.Raw, "id") == "_x0000_t202"
		for _, name := range []string{"id", "o:spid"} {
			id, _ := strings.CutPrefix(ooxml.AttrOf(m.Raw, name), "_x0000_s")
			if n, err := strconv.Atoi(id); err == nil && n < 1<<24 {
				d.last = max(d.last, n)
			}
		}
		switch ends := m.Kind == ooxml.PieceClose; ooxml.TagName(m.Raw) {
		case "v:shape":
			if inside && ends {
				open.to = m.At + len(m.Raw)
				d.shapes = append(d.shapes, open)
			}
			open, inside = shape{from: m.At, row: -1, column: -1}, !ends
		case "x:ClientData":
			open.note = open.note || ooxml.AttrOf(m.Raw, "ObjectType") == "Note"
		case "x:Row":
			if n, ok := numberAfter(m); ok {
				open.row = n + 1
			}
		case "x:Column":
			if n, ok := numberAfter(m); ok {
				open.column = n
			}
		}
	}
	return d
}

// numberAfter reads the text behind a start tag.
func numberAfter(m *ooxml.Markup) (int, bool) {
	if m.Kind != ooxml.PieceOpen || !m.Next() {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(m.Raw)))
	return n, err == nil
}

const (
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
	for _, s := range readDrawing(n.drawing).shapes {
		if s.note && n.gone[[2]int{s.column, s.row}] {
			edits = append(edits, ooxml.Edit{From: s.from, To: s.to})
		}
	}
	n.drawing = ooxml.Edited(n.drawing, edits)
}

// addShapes draws the boxes of new notes, hidden until the cell is pointed at.
func (n *notes) addShapes() {
	d := readDrawing(n.drawing)
	if len(n.fresh) == 0 || d.end == 0 {
		return
	}
	var b strings.Builder
	if !d.typed {
		b.WriteString(shapeType)
	}
	for _, t := range n.fresh {
		d.last++
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
			d.last, lines*12+8, d.last-1024, t.column+1, max(t.row-2, 0), t.column+4, max(t.row-2, 0)+lines*12/15+1, t.row-1, t.column)
	}
	n.drawing = ooxml.Splice(n.drawing, d.end, d.end, b.String())
}
