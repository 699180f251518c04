package sheet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

// scheduleRows is where the schedule of a conference has its talks: the form of frab, which
// pretalx and others write too.
const scheduleRows = "schedule.conference.days[].rooms[][]"

// mostDocument is how long a document may be: it is held in memory many times as large.
const mostDocument = 64 << 20

// openDocument returns the text of a document, and a source for the rows that are found in it.
func openDocument(ctx context.Context, in *input, o Options) (lines *ndjsonSource, raw []byte, err error) {
	s, err := openNDJSON(ctx, in, o)
	if err != nil {
		return nil, nil, err
	}
	lines = s.(*ndjsonSource)
	raw, err = in.whole(lines.chars, o.Limits)
	return lines, raw, err
}

// openJSON reads a document with its rows somewhere inside. They are read as those of NDJSON.
func openJSON(ctx context.Context, in *input, o Options) (source, error) {
	lines, raw, err := openDocument(ctx, in, o)
	if err != nil {
		return nil, err
	}
	var document any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&document); err != nil {
		hint := "export it again"
		if start := in.start(); len(start) > 0 && start[0] != '{' && start[0] != '[' {
			hint = "if it holds CSV, say --format csv"
		}
		return nil, in.refuse(schema.CodeBadRecord, hint, "the file is no JSON: %w", err)
	}
	rest := bytes.TrimSpace(raw[d.InputOffset():])
	switch lists := listsOf(document); {
	case o.RowsAt != "" && len(rest) == 0, len(follow(document, scheduleRows)) > 0:
	case len(rest) > 0, beginsWith("{")(in.start()) && len(lists) == 0, !bytes.Contains(bytes.TrimSpace(raw), []byte("\n")) &&
		!slices.ContainsFunc(lists, func(l list) bool { return l.n > 1 }) && beginsWith("{")(in.start()):
		return lines, nil // an object a line, or a single one
	}
	at, err := rowsAt(in, document, o.RowsAt)
	if err != nil {
		return nil, err
	}
	rows := follow(document, at)
	if at != scheduleRows {
		rows = withAbove(document, at)
	}
	if slices.ContainsFunc(rows, func(row any) bool { _, object := row.(map[string]any); return !object }) {
		return nil, in.refuse(schema.CodeBadRecord, "lists of objects are at "+listed(document),
			"what lies at %s is no list of objects", at)
	}
	var zone []any
	if at == scheduleRows {
		zone = append(follow(document, "schedule.conference.time_zone_name"), "")
	}
	lines.lines, err = linesOf(rows, zone)
	return lines, err
}

// linesOf writes objects a line each; those of a conference's schedule as rows, where a zone is
// given, or the empty one.
func linesOf(rows, zone []any) ([]byte, error) {
	var out bytes.Buffer
	write := json.NewEncoder(&out)
	write.SetEscapeHTML(false)
	for _, row := range rows {
		if len(zone) > 0 {
			row = talk(row.(map[string]any), zone[0])
		}
		if err := write.Encode(row); err != nil {
			return nil, fmt.Errorf("taking rows out of a document: %w", err)
		}
	}
	return out.Bytes(), nil
}

// roomyReader reads from a decoder, which wants room for a whole character.
type roomyReader struct {
	from io.Reader
	held []byte
}

func (r *roomyReader) Read(p []byte) (int, error) {
	if len(r.held) == 0 {
		block := make([]byte, blockBytes)
		n, err := r.from.Read(block)
		if r.held = block[:n]; n == 0 {
			return 0, err
		}
	}
	n := copy(p, r.held)
	r.held = r.held[n:]
	return n, nil
}

// rowsAt decides where the rows of a document are: where it is said, else in the schedule of a
// conference, else in its only list of objects.
func rowsAt(in *input, document any, said string) (string, error) {
	if said != "" {
		if len(follow(document, said)) == 0 {
			return "", in.refuse(schema.CodeBadRecord, "lists of objects are at "+listed(document), "the document has nothing at %s", said)
		}
		return said, nil
	}
	if len(follow(document, scheduleRows)) > 0 {
		return scheduleRows, nil
	}
	switch lists := listsOf(document); len(lists) {
	case 0:
		return "", in.refuse(schema.CodeBadRecord, "write one object a line, or an object with a list of them",
			"the document has no list of objects")
	case 1:
		return lists[0].at, nil
	}
	return "", in.refuse(schema.CodeBadRecord, "say which with --rows-at: "+listed(document), "the document has several lists of objects")
}

// list is where objects lie in a document, and how many.
type list struct {
	at string
	n  int
}

func listed(document any) string {
	var all []string
	for _, l := range listsOf(document) {
		all = append(all, fmt.Sprintf("%s (%d)", l.at, l.n))
		if len(all) == 8 {
			break
		}
	}
	if len(all) == 0 {
		return "no place"
	}
	return strings.Join(all, ", ")
}

// listsOf finds the lists of objects in a document, each path once: those with the most first.
func listsOf(document any) []list {
	var all []list
	var walk func(v any, at string)
	walk = func(v any, at string) {
		switch v := v.(type) {
		case []any:
			objects := 0
			for _, item := range v {
				if _, ok := item.(map[string]any); ok {
					objects++
				}
				walk(item, at+"[]")
			}
			if objects == 0 || objects < len(v) {
				return
			}
			if i := slices.IndexFunc(all, func(l list) bool { return l.at == at+"[]" }); i >= 0 {
				all[i].n += objects
				return
			}
			all = append(all, list{at + "[]", objects})
		case map[string]any:
			odd := false // the members have names that people gave them, as rooms have, or are called after days
			for key := range v {
				odd = odd || strings.ContainsAny(key, ". []") || key != "" && key[0] >= '0' && key[0] <= '9'
			}
			for key, item := range v {
				if odd && at != "" {
					walk(item, at+"[]")
				} else {
					walk(item, strings.TrimPrefix(at+"."+key, "."))
				}
			}
		}
	}
	walk(document, "")
	slices.SortFunc(all, func(a, b list) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.at, b.at)
	})
	return all
}

// follow returns what lies at a path: names with dots between them, [] for each of a list or of
// an object's members, which come in the order of their names.
func follow(document any, path string) []any {
	found := []any{document}
	for step := range strings.SplitSeq(path, ".") {
		name, each := strings.CutSuffix(step, "[]")
		depth := 0
		for ; each; depth++ {
			step = name
			name, each = strings.CutSuffix(step, "[]")
		}
		if name != "" {
			var next []any
			for _, v := range found {
				if object, ok := v.(map[string]any); ok && object[name] != nil {
					next = append(next, object[name])
				}
			}
			found = next
		}
		for range depth {
			var next []any
			for _, v := range found {
				switch v := v.(type) {
				case []any:
					next = append(next, v...)
				case map[string]any:
					for _, key := range sortedKeys(v) {
						next = append(next, v[key])
					}
				}
			}
			found = next
		}
	}
	return found
}

// withAbove returns the objects at a path, each with what those say that it lies in: a date by its own name, and
// anything else by that of the list, such as rooms.name. What an object says itself counts, and the document says
// nothing of its rows.
func withAbove(document any, path string) []any {
	var rows []any
	var walk func(v any, lists []string, above map[string]any)
	walk = func(v any, lists []string, above map[string]any) {
		if len(lists) == 1 {
			for _, row := range follow(v, lists[0]) {
				if object, ok := row.(map[string]any); ok {
					whole := maps.Clone(above)
					maps.Copy(whole, object)
					row = whole
				}
				rows = append(rows, row)
			}
			return
		}
		name := cmp.Or(strings.TrimRight(lists[0][strings.LastIndexByte(lists[0], '.')+1:], "[]"), "above")
		for _, item := range follow(v, lists[0]+"[]") {
			said := maps.Clone(above)
			object, _ := item.(map[string]any)
			for key, value := range object {
				switch text, _ := value.(string); value.(type) {
				case nil, []any, map[string]any:
				default:
					if m, _ := datetime.Scan(text, datetime.DayFirst); !m.HasDate {
						key = name + "." + key
					}
					said[key] = value
				}
			}
			walk(item, lists[1:], said)
		}
	}
	walk(document, strings.Split(path, "[]."), map[string]any{})
	return rows
}

func sortedKeys(object map[string]any) []string {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// talk is an entry of a conference's schedule as a row: without what it has not, persons by their
// names, and with the zone of the conference.
func talk(object map[string]any, zone any) map[string]any {
	row := map[string]any{}
	for key, v := range object {
		if list, ok := v.([]any); ok {
			var names []string
			for _, item := range list {
				if person, ok := item.(map[string]any); ok && key == "persons" {
					for _, name := range []string{"public_name", "name", "full_public_name"} {
						if text, ok := person[name].(string); ok && text != "" {
							names = append(names, text)
							break
						}
					}
				}
			}
			if len(names) > 0 {
				row[key] = strings.Join(names, ", ")
				continue
			}
			if len(list) == 0 {
				continue
			}
		}
		if v != nil && v != "" {
			row[key] = v
		}
	}
	if zone != "" {
		row["timezone"] = zone
	}
	// The start is by the clock of the conference: where that of the date is the same, its Z stands for no zone.
	date, _ := row["date"].(string)
	if start, _ := row["start"].(string); start != "" && strings.HasSuffix(date, "T"+start+":00Z") {
		row["date"] = strings.TrimSuffix(date, "Z")
	}
	return row
}
