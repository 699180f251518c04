package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"eventbatch/batch"
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
			return nil, usagef("%s is blank", name).hinted("write <clear> to send null, or <empty> to send an empty text")
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
	call, err := batch.NewCall(op, list)
	if err != nil {
		return misspoken(err)
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
	if s, err = newSession(c.env, &c.send, true, c.body); err != nil {
		return err
	}
	defer s.close()
	request := planRequest{files: []string{call.File()}, ask: c.send.mustAsk()}
	request.register(pflag.NewFlagSet("", pflag.ContinueOnError))
	request.reading.format = "ndjson"
	config, err := s.config(&request)
	if err != nil {
		return s.failed(ctx, err)
	}
	if err := call.Into(ctx, &config); err != nil {
		return because(ctx, err)
	}
	planned, err := s.planBy(ctx, config, &request)
	if err == nil {
		err = call.Leads(planned.Run)
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
