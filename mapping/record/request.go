package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
)

// RequestError says that a request of an operation cannot be said so.
type RequestError struct {
	err  error
	Hint string // what to say instead; may be empty
}

func (e *RequestError) Error() string { return e.err.Error() }
func (e *RequestError) Unwrap() error { return e.err }

// Member is a member of a request, by its name there, or of a row, by that of its column.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Text returns the value of a text, and the JSON of any other.
func (m *Member) Text() (text string) {
	if json.Unmarshal(m.Value, &text) != nil {
		return string(m.Value)
	}
	return text
}

// Members returns the members of a JSON object in their order. An empty text, which in a row
// says nothing, is written as the mark for one.
func Members(data []byte) ([]Member, error) {
	if !json.Valid(data) {
		var any json.RawMessage
		return nil, json.Unmarshal(data, &any)
	}
	var list []Member
	in := json.NewDecoder(bytes.NewReader(data))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	for in.More() {
		name, err := in.Token()
		s := Member{Name: fmt.Sprint(name)}
		if err = cmp.Or(err, in.Decode(&s.Value)); err != nil {
			return nil, err
		}
		if string(s.Value) == `""` {
			s.Value = json.RawMessage(`"<empty>"`)
		}
		list = append(list, s)
	}
	return list, nil
}

// Rows returns the rows that lead to a request of the operation which says that. One that
// gathers rows has one for each item.
func Rows(op *schema.Operation, list []Member) ([][]Member, error) {
	row, items := []Member{{"action", Text(op.Does.String())}}, [][]Member{nil}
	for _, s := range list {
		if op.Gathers() && s.Name == op.Into {
			var err error
			if items, err = itemsOf(op, s.Value); err != nil {
				return nil, err
			}
			continue
		}
		column, err := columnOf(op, s.Name)
		if err != nil {
			return nil, err
		}
		if says(row, column) {
			return nil, &RequestError{err: fmt.Errorf("%s is given twice", s.Name)}
		}
		row = append(row, Member{column, s.Value})
	}
	for _, path := range slices.Sorted(maps.Keys(op.Means)) {
		if !says(row, path) {
			row = append(row, Member{path, Text(op.Means[path])})
		}
	}
	for _, item := range items {
		if name := lacks(op, slices.Concat(row, item)); name != "" {
			return nil, &RequestError{err: fmt.Errorf("%s needs %s", op.Name, name), Hint: "write " + name + "=…"}
		}
	}
	rows := make([][]Member, 0, len(items))
	for _, item := range items {
		rows = append(rows, slices.Concat(row, item))
	}
	return rows, nil
}

func says(row []Member, column string) bool {
	return slices.ContainsFunc(row, func(s Member) bool { return s.Name == column })
}

// lacks returns the name of what the operation cannot do without and the row does not say;
// empty where it says all.
func lacks(op *schema.Operation, row []Member) string {
	r := op.Resource
	switch {
	case op.Of == nil || says(row, r.Parent):
	case op.Item == r.Parent:
		return op.Into
	default:
		return catalog.Path(catalog.FieldEventID)
	}
	if key := catalog.Path(schema.FieldKey); r.Named == key && op.Does == schema.Create && !says(row, key) {
		return key
	}
	if path := catalog.Path(schema.FieldCalendarID); op.Name == catalog.Transfer && !says(row, path) {
		return path
	}
	for _, f := range r.Required() {
		given := f.Path == r.Parent || f.Path == r.ID && says(row, catalog.Path(schema.FieldKey)) ||
			f.ImpliedBy != "" && says(row, f.ImpliedBy)
		for _, s := range row {
			column, _ := r.ByPath(s.Name) // they were looked up
			whole, part := column.Object()
			given = given || column.Canonical() == f || part && whole == f
		}
		if !given && f.Required.Has(schema.Actions(1<<op.Does)) {
			return op.Member(f)
		}
	}
	return ""
}

// Text returns a text as JSON.
func Text(text string) json.RawMessage {
	value, _ := json.Marshal(text) // a text always encodes
	return value
}

// itemsOf returns the items of the array that gathers rows, each as columns.
func itemsOf(op *schema.Operation, value json.RawMessage) (items [][]Member, err error) {
	var text string
	if json.Unmarshal(value, &text) == nil { // of the command line
		value = json.RawMessage(text)
	}
	wrong := failure.New(failure.Invalid, fmt.Errorf("%s is no array of texts", op.Into), `write `+op.Into+`=["…"]`)
	if op.Item == "" {
		wrong = failure.New(failure.Invalid, fmt.Errorf("%s is no array of objects", op.Into), `write `+op.Into+`=[{"`+op.Each[0]+`":…}]`)
	}
	var array []json.RawMessage
	if json.Unmarshal(value, &array) != nil || len(array) == 0 {
		return nil, wrong
	}
	for _, object := range array {
		if op.Item != "" {
			if json.Unmarshal(object, &text) != nil {
				return nil, wrong
			}
			items = append(items, []Member{{op.Item, object}})
			continue
		}
		members, err := Members(object)
		if err != nil {
			return nil, wrong
		}
		for i := range members {
			if members[i].Name, err = columnOf(op, members[i].Name); err != nil {
				return nil, err
			}
		}
		items = append(items, members)
	}
	return items, nil
}

// columnOf returns the column that a member of a request of the operation, or a field by its
// own name, stands for.
func columnOf(op *schema.Operation, name string) (string, error) {
	r := op.Resource
	if name == "event_id" && r.Parent != "" && op.Of != nil {
		return r.Parent, nil
	}
	if name == r.ID && r.IDField() == nil && op.Does != schema.Create {
		name = r.Named // whoever asks puts the name in the place of the id
	}
	column := op.FieldOf(name)
	f, known := r.ByPath(column)
	known = known && (column != op.Differs || name == column)                                    // a row says the list, not what is added
	names := (column == r.ID || column == r.Named || column == r.Or) && op.Does != schema.Create // of a record that is there
	if !known || column == r.Parent && op.Of == nil || !f.Local && !op.Takes(f) && !names {
		return "", notTaken(op, name)
	}
	return column, nil
}

// Taken returns the names of what a request of the operation can say.
func Taken(op *schema.Operation) (names []string) {
	if op.Tells() {
		for _, p := range op.Query() {
			names = append(names, p.Path)
		}
		return names
	}
	if op.Resource == nil {
		return nil
	}
	for _, f := range op.Resource.Columns() {
		if name := op.Member(f); op.Takes(f) && !f.Deprecated && !strings.Contains(name, ".") && f.Path != op.Differs {
			names = append(names, name)
		} else if op.Takes(f) && !f.Deprecated {
			names = append(names, f.Path)
		}
	}
	event := catalog.Path(catalog.FieldEventID)
	if !slices.Contains(names, event) && (op.Does != schema.Create && op.Resource.Keyed() || op.Of != nil) {
		names = append(names, event)
	}
	return names
}

// notTaken returns the error of a name that the operation does not know.
func notTaken(op *schema.Operation, name string) error {
	names := Taken(op)
	err := &RequestError{err: fmt.Errorf("%s takes no %s", op.Name, name), Hint: op.Name + " takes " + strings.Join(names, ", ")}
	if len(names) == 0 {
		err.Hint = op.Name + " takes nothing"
	}
	if near := spelling.Nearest(name, names); near != "" {
		err.Hint = "did you mean " + near + "?"
	}
	return err
}

// Query reads the parameters of a read.
func Query(op *schema.Operation, list []Member) (url.Values, error) {
	query, parameters := url.Values{}, op.Query()
	for _, s := range list {
		i := slices.IndexFunc(parameters, func(p schema.Parameter) bool { return p.Path == s.Name })
		if i < 0 {
			return nil, notTaken(op, s.Name)
		}
		var set schema.Setting
		if fault := value.Parse(&parameters[i].Field, &set, s.Text()); fault != nil {
			return nil, &RequestError{err: fmt.Errorf("%s: %w", s.Name, fault), Hint: schema.HintOf(fault)}
		}
		if query.Has(s.Name) && !parameters[i].Many {
			return nil, &RequestError{err: fmt.Errorf("%s is given twice", s.Name)}
		}
		query.Add(s.Name, set.Text)
	}
	for _, p := range parameters {
		if p.Need && !query.Has(p.Path) {
			return nil, &RequestError{err: fmt.Errorf("%s needs %s", op.Name, p.Path), Hint: "write " + p.Path + "=…"}
		}
	}
	return query, nil
}

// Lines returns rows as objects, one a line.
func Lines(rows [][]Member) []byte {
	var text bytes.Buffer
	for _, row := range rows {
		for i, m := range row {
			text.WriteByte("{,"[min(i, 1)])
			text.Write(Text(m.Name))
			text.WriteByte(':')
			_ = json.Compact(&text, m.Value) // it was valid when it was read
		}
		text.WriteString("}\n")
	}
	return text.Bytes()
}
