package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/live"
	"eventbatch/batch/printable"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/spelling"
)

type callCommand struct {
	*env

	body         string
	all, secrets bool
	send         sendFlags
}

func newCallCommand(a *env) *cobra.Command {
	c := &callCommand{env: a, send: sendFlags{paceFlags: oneByOne, fresh: live.Fresh}}
	cmd := newCommand("call OPERATION [FIELD=VALUE]…", needOperation, c.run)
	cmd.ValidArgsFunction = completeCall
	f := cmd.Flags()
	f.StringVar(&c.body, "body", "", "`FILE` with the request as a JSON object, or - for standard input")
	f.BoolVar(&c.all, "all", false, "go through all pages of a list, and print each record on a line of its own")
	f.BoolVar(&c.secrets, "show-secrets", false, "print secrets of the answer too, such as that of a webhook")
	f.BoolVar(&c.send.yes, "yes", false, "send without asking")
	c.send.registerAllow(f)
	return cmd
}

// needOperation asks for the name of an operation, and words behind it that say something.
func needOperation(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("call needs an operation").hinted("eventbatch operations lists all operations")
	}
	if catalog.OperationNamed(args[0]) == nil {
		return unknownOperation(args[0])
	}
	for _, arg := range args[1:] {
		if name, _, given := strings.Cut(arg, "="); !given || name == "" {
			return usagef("%q says nothing", arg).hinted("write FIELD=VALUE, such as event_id=evt-9aQ2")
		}
	}
	return nil
}

func unknownOperation(name string) error {
	return usagef("no operation %q", name).
		hinted(cmp.Or(spelling.DidYouMean(name, catalog.OperationNames()), "eventbatch operations lists all operations"))
}

// completeCall offers operations, and then what they take, to the shell.
func completeCall(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return catalog.OperationNames(), cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	if op := catalog.OperationNamed(args[0]); op != nil {
		for _, name := range record.Taken(op) {
			words = append(words, name+"=")
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// answerDoc is the document of a call that reads.
type answerDoc struct {
	Operation string          `json:"operation"`
	Answer    json.RawMessage `json:"answer"` // as it came
}

func (c *callCommand) run(ctx context.Context, args []string) error {
	op := catalog.OperationNamed(args[0])
	list, err := c.saying(c.body, args[1:])
	if err != nil {
		return err
	}
	switch {
	case !op.Tells() && op.Resource == nil:
		return usagef("%s cannot be called: no row leads to it", op.Name)
	case c.all && !op.Lists():
		return usagef("--all: %s is no list", op.Name)
	case c.all && c.global.json:
		return usagef("--all prints an object a line, and --json one document: leave one of the two out")
	case !op.Tells():
		return c.callRow(ctx, op, list)
	}
	query, err := record.Query(op, list)
	if err != nil {
		return misspoken(err)
	}
	conn, err := c.connect(&c.send)
	if err != nil {
		return err
	}
	defer conn.close()
	if !c.all {
		body, err := live.Answer(ctx, conn.Service, op, query)
		if err != nil {
			return because(ctx, err)
		}
		if c.global.json {
			return c.writeDoc("answer", answerDoc{op.Name, fit(body, c.secrets)}, nil)
		}
		return c.print(fit(body, c.secrets), true)
	}
	for entry, err := range live.Entries(ctx, conn.Service, op, query) {
		if err == nil {
			err = c.print(fit(entry, c.secrets), false)
		}
		if err != nil {
			return because(ctx, err)
		}
	}
	return nil
}

// print writes a JSON text to standard output, on one line or indented.
func (c *callCommand) print(text json.RawMessage, indented bool) error {
	var b bytes.Buffer
	err := json.Compact(&b, text)
	if indented {
		b.Reset()
		err = json.Indent(&b, text, "", "  ")
	}
	if err != nil {
		return err
	}
	b.WriteByte('\n')
	if _, err := c.stdout.Write(b.Bytes()); err != nil {
		return c.stdout.failed
	}
	return nil
}

// fit returns an answer as it may be printed: without secrets unless they are asked for, and
// with characters escaped that nobody sees.
func fit(body json.RawMessage, secrets bool) json.RawMessage {
	if len(body) == 0 {
		return json.RawMessage("{}")
	}
	if !secrets {
		body = secret.HideMembers(body)
	}
	return printable.JSON(body)
}
