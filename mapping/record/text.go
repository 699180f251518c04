package record

import (
	"encoding/json"
	"io"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// WriteCSV writes the records as a CSV file, each with its baseline in the last column.
func (t *Table) WriteCSV(w io.Writer, records Records) error {
	out := sheet.NewCSVWriter(w)
	err := out.Write(append(t.Headers(), sheet.BaseColumn))
	var cells []sheet.Out
	var row []string
	for r, failed := range records {
		if failed != nil || err != nil {
			return firstOf(failed, err)
		}
		row = row[:0]
		cells = t.Cells(cells[:0], r)
		for _, c := range cells {
			row = append(row, c.Text)
		}
		err = out.Write(append(row, string(t.base(nil, r, nil))))
	}
	out.Flush()
	return firstOf(err, out.Error())
}

// WriteNDJSON writes the records as JSON objects, one a line, with the members that have
// a value, and with the baseline as the last one.
func (t *Table) WriteNDJSON(w io.Writer, records Records) error {
	columns := t.Columns()
	var cells []sheet.Out
	var line []byte
	for r, err := range records {
		if err != nil {
			return err
		}
		line = append(line[:0], '{')
		cells = t.Cells(cells[:0], r)
		for i, c := range cells {
			if c.Kind == sheet.Blank {
				continue
			}
			raw := c.Kind == sheet.Number || c.Kind == sheet.Bool || columns[i].Field != nil && columns[i].Field.Kind.JSON()
			if line = member(line, columns[i].Name, c.Text, raw && json.Valid([]byte(c.Text))); line == nil {
				return &schema.Fault{Message: "the value of " + columns[i].Name + " cannot be written"}
			}
		}
		line = member(line, sheet.BaseColumn, string(t.base(nil, r, nil)), false)
		line = append(line[:len(line)-1], '}', '\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// member appends a member of an object with a comma behind it.
func member(line []byte, name, text string, raw bool) []byte {
	key, _ := json.Marshal(name)
	line = append(append(line, key...), ':')
	if raw {
		return append(append(line, text...), ',')
	}
	value, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return append(append(line, value...), ',')
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
