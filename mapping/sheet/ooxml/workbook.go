package ooxml

import (
	"strconv"
	"strings"
)

// Workbook is a [Pack] that knows its workbook part and its cell formats.
type Workbook struct {
	*Pack
	Root   string // the workbook part
	Base   string // of the types of relationships
	styles string // the part of cell formats; empty until it is asked for
}

// NewWorkbook finds the workbook part of an archive.
func NewWorkbook(p *Pack) (*Workbook, error) {
	w := &Workbook{Pack: p}
	roots, err := p.Links("")
	for _, l := range roots {
		if l.Kind == "officeDocument" {
			w.Root, w.Base = l.Target, l.Base
		}
	}
	return w, err
}

// Namespace is that of the workbook's elements: a strict one has its own.
func (w *Workbook) Namespace() string {
	if strings.Contains(w.Base, "purl.oclc.org") {
		return "http://purl.oclc.org/ooxml/spreadsheetml/main"
	}
	return "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
}

// OfficeType begins the MIME types of a workbook's parts.
const OfficeType = "application/vnd.openxmlformats-officedocument."

// StyleOrder is the order of the children of a part of styles, which spreadsheet
// programs insist on.
var StyleOrder = strings.Fields("numFmts fonts fills borders cellStyleXfs cellXfs cellStyles dxfs tableStyles colors extLst")

// plainStyles is the least that a workbook's styles can be, behind the root's tag.
const plainStyles = `<fonts count="1"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
	`<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

// Styles returns the part of styles, which is made where there is none.
func (w *Workbook) Styles() ([]byte, error) {
	if w.styles == "" {
		l, ok, err := w.Linked(w.Root, "styles")
		if err != nil {
			return nil, err
		}
		if w.styles = l.Target; !ok {
			name := w.Free("xl/eventbatchStyles", ".xml")
			w.styles = PartName(name)
			w.Set(name, []byte(Prolog+`<styleSheet xmlns="`+w.Namespace()+`">`+plainStyles))
			if err := w.Declare(name, OfficeType+"spreadsheetml.styles+xml"); err != nil {
				return nil, err
			}
			if _, err := w.Link(w.Root, w.Base, "styles", name); err != nil {
				return nil, err
			}
		}
	}
	return w.Read(w.styles)
}

// SetStyles puts the part of styles back, with what was added.
func (w *Workbook) SetStyles(content []byte) { w.Set(w.styles, content) }

// Shown adds a cell format that is another but for its number format, and returns its
// index as cells write it. The other is empty for a cell without a format.
func (w *Workbook) Shown(format, as string) (string, error) {
	content, err := w.Styles()
	if err != nil {
		return "", err
	}
	number := 163 // the last that every program knows by itself
	known := false
	for _, n := range Items(content, "numFmts") {
		id, err := strconv.Atoi(AttrOf(n.Tag(content), "numFmtId"))
		if known = err == nil && AttrOf(n.Tag(content), "formatCode") == as; known {
			number = id
			break
		}
		number = max(number, id)
	}
	if !known {
		number++
		item := `<numFmt numFmtId="` + strconv.Itoa(number) + `" formatCode="` + EscapeAttr(as) + `"/>`
		content, _ = Appended(content, "numFmts", item, StyleOrder)
	}
	look := `<xf numFmtId="0"/>`
	index, _ := strconv.Atoi(format)
	if all := Items(content, "cellXfs"); index >= 0 && index < len(all) {
		_, prefix := RootOf(content)
		look = unprefixed(string(content[all[index].From:all[index].To]), prefix)
	}
	end := strings.IndexByte(look, '>') + 1
	tag := WithAttr(WithAttr([]byte(look[:end]), "numFmtId", strconv.Itoa(number)), "applyNumberFormat", "1")
	content, index = Interned(content, "cellXfs", string(tag)+look[end:], StyleOrder)
	w.SetStyles(content)
	return strconv.Itoa(index), nil
}
