package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/source"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
)

// said is a member of a request, as the command line or the body has it.
type said struct {
	name  string
	value json.RawMessage
}

// text returns the value of a text, and the JSON of any other.
func (s *said) text() (text string) {
	if json.Unmarshal(s.value, &text) != nil {
		return string(s.value)
	}
	return text
}

// saying returns what the body and the words of the command line say.
func (c *callCommand) saying(body string, words []string) ([]said, error) {
	var list []said
	if body != "" {
		var err error
		if list, err = c.readBody(body); err != nil {
			return nil, err
		}
	}
	for _, word := range words {
		name, text, _ := strings.Cut(word, "=")
		if text == "" {
			return nil, &usageError{
				err: fmt.Errorf("%s is blank", name), hint: "write <clear> to send null, or <empty> to send an empty text",
			}
		}
		value, _ := json.Marshal(text) // a text always encodes
		list = append(list, said{name, value})
	}
	return list, nil
}

// readBody reads a request's body: one JSON object.
func (c *callCommand) readBody(path string) ([]said, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(io.LimitReader(c.stdin, regular.MiB))
	} else {
		data, err = regular.Read(path, regular.MiB)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the body: %w", err)
	}
	list, err := membersOf(data)
	if err != nil {
		return nil, failure.New(failure.Invalid, fmt.Errorf("%s: %w", path, err), "write one JSON object, as the request has it")
	}
	return list, nil
}

// membersOf returns the members of a JSON object in their order. An empty text, which in a row
// says nothing, is written as the mark for one.
func membersOf(data []byte) ([]said, error) {
	if !json.Valid(data) {
		var any json.RawMessage
		return nil, json.Unmarshal(data, &any)
	}
	var list []said
	in := json.NewDecoder(bytes.NewReader(data))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	for in.More() {
		name, err := in.Token()
		s := said{name: fmt.Sprint(name)}
		if err = cmp.Or(err, in.Decode(&s.value)); err != nil {
			return nil, err
		}
		if string(s.value) == `""` {
			s.value = json.RawMessage(`"<empty>"`)
		}
		list = append(list, s)
	}
	return list, nil
}

// rowsOf returns the rows that lead to a request of the operation which says that. One that
// gathers rows has one for each item.
func rowsOf(op *schema.Operation, list []said) ([][]said, error) {
	row, items := []said{{"action", jsonText(op.Does.String())}}, [][]said{nil}
	for _, s := range list {
		if op.Gathers() && s.name == op.Into {
			var err error
			if items, err = itemsOf(op, s.value); err != nil {
				return nil, err
			}
			continue
		}
		column, err := columnOf(op, s.name)
		if err != nil {
			return nil, err
		}
		if says(row, column) {
			return nil, usagef("%s is given twice", s.name)
		}
		row = append(row, said{column, s.value})
	}
	for _, path := range slices.Sorted(maps.Keys(op.Means)) {
		if !says(row, path) {
			row = append(row, said{path, jsonText(op.Means[path])})
		}
	}
	for _, item := range items {
		if name := lacks(op, slices.Concat(row, item)); name != "" {
			return nil, &usageError{err: fmt.Errorf("%s needs %s", op.Name, name), hint: "write " + name + "=…"}
		}
	}
	rows := make([][]said, 0, len(items))
	for _, item := range items {
		rows = append(rows, slices.Concat(row, item))
	}
	return rows, nil
}

func says(row []said, column string) bool {
	return slices.ContainsFunc(row, func(s said) bool { return s.name == column })
}

// lacks returns the name of what the operation cannot do without and the row does not say;
// empty where it says all.
func lacks(op *schema.Operation, row []said) string {
	r := op.Resource
	switch {
	case op.Of == nil || says(row, r.Parent):
	case op.Item == r.Parent:
		return op.Into
	default:
		return schema.FieldEventID.Path()
	}
	if key := schema.FieldKey.Path(); r.Named == key && op.Does == schema.Create && !says(row, key) {
		return key
	}
	if path := schema.FieldCalendarID.Path(); op.Name == schema.Transfer && !says(row, path) {
		return path
	}
	for _, f := range r.Required() {
		given := f.Path == r.Parent || f.Path == r.ID && says(row, schema.FieldKey.Path()) ||
			f.ImpliedBy != "" && says(row, f.ImpliedBy)
		for _, s := range row {
			column, _ := r.ByPath(s.name) // they were looked up
			whole, part := column.Object()
			given = given || column.Canonical() == f || part && whole == f
		}
		if !given && f.Required.Has(schema.Actions(1<<op.Does)) {
			return op.Member(f)
		}
	}
	return ""
}

func jsonText(text string) json.RawMessage {
	value, _ := json.Marshal(text) // a text always encodes
	return value
}

// itemsOf returns the items of the array that gathers rows, each as columns.
func itemsOf(op *schema.Operation, value json.RawMessage) (items [][]said, err error) {
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
			items = append(items, []said{{op.Item, object}})
			continue
		}
		members, err := membersOf(object)
		if err != nil {
			return nil, wrong
		}
		for i := range members {
			if members[i].name, err = columnOf(op, members[i].name); err != nil {
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
		name = r.Named // see byName
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

// callRow makes a request that changes something: a plan of its rows, sent once somebody
// agrees.
func (c *callCommand) callRow(ctx context.Context, op *schema.Operation, list []said) error {
	rows, err := rowsOf(op, list)
	if err != nil {
		return err
	}
	if err := canSend(c.app, &c.send, []string{c.body}); err != nil {
		return err
	}
	var s *session
	var mu sync.Mutex
	c.send.answered = func(of *schema.Operation, answer []byte) {
		mu.Lock()
		defer mu.Unlock()
		if of.Name == op.Name && len(answer) > len("{}") {
			s.doc.Answers = append(s.doc.Answers, fit(answer, c.secrets))
		}
	}
	if s, err = newSession(c.app, &c.send, "call"); err != nil {
		return err
	}
	defer s.close()
	if err := byName(ctx, s.conn, op, rows); err != nil {
		return err
	}
	file, done, err := c.storeRows(op, rows)
	if err != nil {
		return err
	}
	defer done()
	planned, err := s.plan(ctx, c.request(op, file))
	if err == nil {
		err = leadsTo(op, planned.Run)
	}
	if err != nil {
		return s.failed(ctx, err)
	}
	err = s.confirmAndSend(ctx, planned, &c.send)
	for _, answer := range s.doc.Answers {
		if !c.global.json {
			err = errors.Join(err, c.print(answer, true))
		}
	}
	return err
}

// request returns what the plan of the rows is asked for.
func (c *callCommand) request(op *schema.Operation, file string) planRequest {
	request := planRequest{
		files: []string{file}, ask: c.send.mustAsk(),
		plan:    planFlags{slug: "derive", source: sourceFlags{missing: string(source.Keep)}},
		reading: readingFlags{of: op.Resource, fileFlags: fileFlags{format: "ndjson"}},
	}
	if op.Resource.Keyed() && op.Does == schema.Update {
		// It is known then what the event was before, and the word of the command line holds.
		request.plan.compare = compareFlags{with: "live", who: plan.Mine, onConflict: plan.Mine}
	}
	if op.Name == schema.Transfer {
		request.plan.owns = []string{schema.FieldCalendarID.Path()}
	}
	return request
}

// byName puts names in the place of the ids by which rows name their records, where a request
// takes either and a row is known by the name: the guest gst-1a2b is one of an e-mail address.
func byName(ctx context.Context, conn *connection, op *schema.Operation, rows [][]said) error {
	r := op.Resource
	if f, ok := r.ByPath(r.Named); !ok || f.Kind != schema.Email || r.ID == "" || r.IDField() != nil {
		return nil
	}
	for _, row := range rows {
		event := ""
		for i := range row {
			if row[i].name == r.Parent {
				event = row[i].text()
			}
		}
		for i := range row {
			if row[i].name != r.Named || strings.Contains(row[i].text(), "@") {
				continue
			}
			name, err := live.NameOf(ctx, conn.Service, r, event, row[i].text())
			if err != nil {
				return because(ctx, err)
			}
			row[i].value = jsonText(name)
		}
	}
	return nil
}

// leadsTo makes sure that what is planned is the operation that was called: a row may lead to
// another one.
func leadsTo(op *schema.Operation, run journal.Run) error {
	for planned, err := range run.Sends() {
		if err != nil {
			return err
		}
		if planned.Operation != op.Name {
			return failure.New(
				failure.Refused, fmt.Errorf("nothing was sent: what was said leads to %s, and not to %s", planned.Operation, op.Name),
				"import a row of "+op.Resource.Name+" that says how the "+op.Resource.One+" should be",
			)
		}
	}
	return nil
}

// storeRows stores the rows where they are read from. done removes them.
func (c *callCommand) storeRows(op *schema.Operation, rows [][]said) (path string, done func(), err error) {
	file, err := os.CreateTemp("", "eventbatch-call-*.ndjson")
	if err != nil {
		return "", nil, failure.New(failure.Output, err, "")
	}
	var text bytes.Buffer
	for _, row := range rows {
		for i, s := range row {
			text.WriteByte("{,"[min(i, 1)])
			text.Write(jsonText(s.name))
			text.WriteByte(':')
			_ = json.Compact(&text, s.value) // it was valid when it was read
		}
		text.WriteString("}\n")
	}
	_, err = file.Write(text.Bytes())
	err = errors.Join(err, file.Close())
	done = func() { _ = os.Remove(file.Name()) } // the rows were read, or are not wanted
	if err != nil {
		done()
		return "", nil, failure.New(failure.Output, err, "")
	}
	c.names = map[string]string{file.Name(): "call " + op.Name}
	return file.Name(), done, nil
}
