package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/source"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/record"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
)

// saying returns what the body and the words of the command line say.
func (c *callCommand) saying(body string, words []string) ([]record.Member, error) {
	var list []record.Member
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
		list = append(list, record.Member{Name: name, Value: record.Text(text)})
	}
	return list, nil
}

// readBody reads a request's body: one JSON object.
func (c *callCommand) readBody(path string) ([]record.Member, error) {
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
	list, err := record.Members(data)
	if err != nil {
		return nil, failure.New(failure.Invalid, fmt.Errorf("%s: %w", path, err), "write one JSON object, as the request has it")
	}
	return list, nil
}

// misspoken returns an error of what was said as one of the command line.
func misspoken(err error) error {
	if e, ok := errors.AsType[*record.RequestError](err); ok {
		return &usageError{err: e, hint: e.Hint}
	}
	return err
}

// callRow makes a request that changes something: a plan of its rows, sent once somebody
// agrees.
func (c *callCommand) callRow(ctx context.Context, op *schema.Operation, list []record.Member) error {
	rows, err := record.Rows(op, list)
	if err != nil {
		return misspoken(err)
	}
	if err := canSend(c.env, &c.send, []string{c.body}); err != nil {
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
	if s, err = newSession(c.env, &c.send, "call"); err != nil {
		return err
	}
	defer s.close()
	if err := byName(ctx, s.conn, op, rows); err != nil {
		return err
	}
	planned, err := s.plan(ctx, c.request(op, record.Lines(rows)))
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
func (c *callCommand) request(op *schema.Operation, rows []byte) planRequest {
	file := "call " + op.Name // so places say
	request := planRequest{
		files: []string{file}, ask: c.send.mustAsk(),
		plan:    planFlags{slug: "derive", source: sourceFlags{missing: string(source.Keep)}},
		reading: readingFlags{of: op.Resource, held: map[string][]byte{file: rows}, fileFlags: fileFlags{format: "ndjson"}},
	}
	if op.Resource.Keyed() && op.Does == schema.Update {
		// It is known then what the event was before, and the word of the command line holds.
		request.plan.compare = compareFlags{with: "live", who: plan.Mine, onConflict: plan.Mine}
	}
	if op.Name == catalog.Transfer {
		request.plan.owns = []string{catalog.Path(schema.FieldCalendarID)}
	}
	return request
}

// byName puts names in the place of the ids by which rows name their records, where a request
// takes either and a row is known by the name: the guest gst-1a2b is one of an e-mail address.
func byName(ctx context.Context, conn *connection, op *schema.Operation, rows [][]record.Member) error {
	r := op.Resource
	if f, ok := r.ByPath(r.Named); !ok || f.Kind != schema.Email || r.ID == "" || r.IDField() != nil {
		return nil
	}
	for _, row := range rows {
		event := ""
		for i := range row {
			if row[i].Name == r.Parent {
				event = row[i].Text()
			}
		}
		for i := range row {
			if row[i].Name != r.Named || strings.Contains(row[i].Text(), "@") {
				continue
			}
			name, err := live.NameOf(ctx, conn.Service, r, event, row[i].Text())
			if err != nil {
				return because(ctx, err)
			}
			row[i].Value = record.Text(name)
		}
	}
	return nil
}

// leadsTo makes sure that what is planned is the operation that was called: a row may lead to
// another one.
func leadsTo(op *schema.Operation, run *journal.Run) error {
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
