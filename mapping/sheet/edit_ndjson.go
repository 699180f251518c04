package sheet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// lines copies the objects of an NDJSON file, each as it stands or with new values.
// The columns are the keys; a header that is not in the file takes no line, and a
// new name in it is a new key.
func (e *Edition) lines(ctx context.Context, in *input, chars charset, w io.Writer) error {
	source := &ndjsonSource{in: in, chars: chars, limits: e.Options.Limits}
	if err := source.findKeys(ctx); err != nil {
		return err
	}
	rows := e.rows()
	names := append([]string(nil), source.header...)
	if header := rows[1]; header != nil {
		for column, cell := range header.cells {
			for len(names) <= column {
				names = append(names, "")
			}
			names[column] = cell.Text
		}
		delete(rows, 1)
	}
	text, end, err := in.text(chars)
	if err != nil {
		return err
	}
	defer end()
	window := newWindow(in.name, text, e.Options.Limits)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		stop := indexFrom(window.buf[:len(window.text)], window.pos, '\n')
		if stop == len(window.text) && window.err == nil {
			window.fill()
			continue
		}
		if window.pos == len(window.text) {
			break
		}
		raw := window.text[window.pos:min(stop+1, len(window.text))]
		window.pos += len(raw)
		window.line++ // of the next, which is the row of this one
		if row := rows[window.line]; row != nil {
			delete(rows, window.line)
			if row.drop {
				continue
			}
			if raw, err = withValues(raw, names, row.cells); err != nil {
				return fmt.Errorf("copying line %d of %s: %w", window.line-1, e.Path, err)
			}
		}
		if _, err := io.WriteString(w, raw); err != nil {
			return err
		}
	}
	if !window.atEnd() {
		return window.failure(window.line + 1)
	}
	return e.missing(rows)
}

// withValues gives an object with other values. All that is not their own keeps
// its bytes; a key that the object does not have is added behind the others.
func withValues(raw string, names []string, cells map[int]Out) (string, error) {
	left := map[string]string{}
	for column, cell := range cells {
		value, err := json.Marshal(cell.plainJSON())
		if err != nil || column >= len(names) {
			return "", fmt.Errorf("column %d: there is no key for it: %w", column+1, err)
		}
		left[names[column]] = string(value)
	}
	start := len(raw) - len(strings.TrimLeft(raw, " \t"))
	end := len(strings.TrimRight(raw, " \t\r\n"))
	object := raw[start:end]
	if !json.Valid([]byte(object)) || object[0] != '{' {
		return "", explainJSON(object)
	}
	var b strings.Builder
	b.WriteString(raw[:start])
	done := 0
	for pos := skipSpace(object, 1); object[pos] != '}'; {
		end := valueEnd(object, pos)
		key, err := jsonText(object[pos:end])
		if err != nil {
			return "", err
		}
		pos = skipSpace(object, skipSpace(object, end)+1) // past the colon
		end = valueEnd(object, pos)
		if value, ok := left[key]; ok {
			delete(left, key)
			b.WriteString(object[done:pos] + value)
			done = end
		}
		if pos = skipSpace(object, end); object[pos] == ',' {
			pos = skipSpace(object, pos+1)
		}
	}
	rest, empty := object[done:], strings.TrimSpace(object[1:len(object)-1]) == ""
	for column, name := range names {
		value, ok := left[name]
		if _, asked := cells[column]; !ok || !asked {
			continue
		}
		key, err := json.Marshal(name)
		if err != nil {
			return "", err
		}
		comma := ", "
		if empty {
			comma, empty = "", false
		}
		rest = strings.TrimSuffix(rest, "}") + comma + string(key) + ": " + value + "}"
	}
	return b.String() + rest + raw[end:], nil
}

// plainJSON is the cell's text without what makes it safe in a spreadsheet.
func (o Out) plainJSON() string {
	if o.Kind == Date {
		return o.plain()
	}
	return o.Text
}
