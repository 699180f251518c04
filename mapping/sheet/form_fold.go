package sheet

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// write writes the workbook with what the library cannot say: how far its cells
// reach, that columns are folded and where their button is, and that the names of
// ours are none of the user's.
func (f *formBook) write(ctx context.Context, w io.Writer) error {
	var made bytes.Buffer
	if err := f.file.Write(&made); err != nil {
		return err
	}
	p, err := ooxml.NewPack(bytes.NewReader(made.Bytes()), int64(made.Len()))
	if err != nil {
		return err
	}
	const table, book = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
	content, err := p.Read(table)
	if err != nil {
		return err
	}
	p.Set(table, f.folded(content))
	if content, err = p.Read(book); err != nil {
		return err
	}
	for _, n := range slices.Backward(ooxml.Items(content, "definedNames")) {
		if name := ooxml.AttrOf(n.Tag(content), "name"); name == pageName || name == listsName {
			content = ooxml.Splice(content, n.From, n.Open, string(ooxml.WithAttr(n.Tag(content), "hidden", "1")))
		}
	}
	p.Set(book, content)
	return p.Write(ctx, w)
}

// folded says in a sheet's part that the rare columns are folded.
func (f *formBook) folded(content []byte) []byte {
	tag := func(local, attr, value string) {
		if n, _, ok := ooxml.Child(content, local); ok {
			content = ooxml.Splice(content, n.From, n.Open, string(ooxml.WithAttr(n.Tag(content), attr, value)))
		}
	}
	tag("dimension", "ref", "A1:"+schema.ColumnName(len(f.form.Columns)-1)+strconv.Itoa(1+len(f.form.Examples)))
	button := slices.IndexFunc(f.form.Columns, func(c FormColumn) bool { return c.Weight == Rare })
	if button < 1 {
		return content
	}
	tag("sheetFormatPr", "outlineLevelCol", "1")
	for _, n := range ooxml.Items(content, "cols") {
		col := n.Tag(content)
		first, err := strconv.Atoi(ooxml.AttrOf(col, "min"))
		last, err2 := strconv.Atoi(ooxml.AttrOf(col, "max"))
		if err != nil || err2 != nil || first > button || last < button {
			continue
		}
		end := string(content[n.Open:n.To])
		text := string(ooxml.WithAttr(ooxml.WithAttr(col, "min", strconv.Itoa(button)), "collapsed", "1")) + end
		if first < button {
			text = string(ooxml.WithAttr(col, "max", strconv.Itoa(button-1))) + end + text
		}
		return ooxml.Splice(content, n.From, n.To, text)
	}
	return content
}
