package sheet

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"

	"eventbatch/mapping/schema"
)

// write writes the workbook with what the library cannot say: how far its cells
// reach, that columns are folded and where their button is, and that the names of
// ours are none of the user's.
func (f *formBook) write(ctx context.Context, w io.Writer) error {
	var made bytes.Buffer
	if err := f.file.Write(&made); err != nil {
		return err
	}
	p, err := newPack(bytes.NewReader(made.Bytes()), int64(made.Len()))
	if err != nil {
		return err
	}
	const table, book = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
	content, err := p.read(table)
	if err != nil {
		return err
	}
	p.set(table, f.folded(content))
	if content, err = p.read(book); err != nil {
		return err
	}
	for _, n := range slices.Backward(items(content, "definedNames")) {
		if name := attrOf(n.tag(content), "name"); name == pageName || name == listsName {
			content = splice(content, n.from, n.open, string(withAttr(n.tag(content), "hidden", "1")))
		}
	}
	p.set(book, content)
	return p.write(ctx, w)
}

// folded says in a sheet's part that the rare columns are folded.
func (f *formBook) folded(content []byte) []byte {
	tag := func(local, attr, value string) {
		if n, _, ok := child(content, local); ok {
			content = splice(content, n.from, n.open, string(withAttr(n.tag(content), attr, value)))
		}
	}
	tag("dimension", "ref", "A1:"+schema.ColumnName(len(f.form.Columns)-1)+strconv.Itoa(1+len(f.form.Examples)))
	button := slices.IndexFunc(f.form.Columns, func(c FormColumn) bool { return c.Weight == Rare })
	if button < 1 {
		return content
	}
	tag("sheetFormatPr", "outlineLevelCol", "1")
	for _, n := range items(content, "cols") {
		col := n.tag(content)
		first, err := strconv.Atoi(attrOf(col, "min"))
		last, err2 := strconv.Atoi(attrOf(col, "max"))
		if err != nil || err2 != nil || first > button || last < button {
			continue
		}
		end := string(content[n.open:n.to])
		text := string(withAttr(withAttr(col, "min", strconv.Itoa(button)), "collapsed", "1")) + end
		if first < button {
			text = string(withAttr(col, "max", strconv.Itoa(button-1))) + end + text
		}
		return splice(content, n.from, n.to, text)
	}
	return content
}
