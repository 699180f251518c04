package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// callOptions are the flags of call.
type callOptions struct {
	all, secrets bool
	send         sendFlags
}

func (a *app) callCommand() *cobra.Command {
	var opts callOptions
	cmd := &cobra.Command{
		Use:   "call OPERATION [FIELD=VALUE]…",
		Short: "Make one request of the service, by the name of its operation",
		Long: `Make one request of the service, by the name of its operation, and print the
answer as JSON. eventbatch operations lists the operations.

With --all a list is asked for page by page, and each of its records is a line.
Secrets in an answer, such as a webhook's, are left out unless they are asked for.`,
		Example: `  eventbatch call events/get event_id=evt-9aQ2
  eventbatch call events/guests/list event_id=evt-9aQ2 --all
  eventbatch call organizations/calendars/list --all`,
		Args:              needOperation,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.call(cmd.Context(), opts, args) },
		ValidArgsFunction: completeCall,
	}
	cmd.Flags().BoolVar(&opts.all, "all", false, "go through all pages of a list, and print each record on a line of its own")
	cmd.Flags().BoolVar(&opts.secrets, "show-secrets", false, "print secrets of the answer too, such as that of a webhook")
	opts.send.registerPace(cmd.Flags())
	return cmd
}

// needOperation asks for the name of an operation, and words behind it that say something.
func needOperation(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return &usageError{err: errors.New("call needs an operation"), hint: "eventbatch operations lists all operations"}
	}
	if schema.OperationNamed(args[0]) == nil {
		return unknownOperation(args[0])
	}
	for _, arg := range args[1:] {
		if name, _, given := strings.Cut(arg, "="); !given || name == "" {
			return &usageError{err: fmt.Errorf("%q says nothing", arg), hint: "write FIELD=VALUE, such as event_id=evt-9aQ2"}
		}
	}
	return nil
}

func unknownOperation(name string) error {
	err := &usageError{err: fmt.Errorf("no operation %q", name), hint: "eventbatch operations lists all operations"}
	if near := spelling.Nearest(name, operationNames()); near != "" {
		err.hint = "did you mean " + near + "?"
	}
	return err
}

// completeCall offers operations, and then what they take, to the shell.
func completeCall(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return operationNames(), cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	if op := schema.OperationNamed(args[0]); op != nil {
		for _, p := range op.Query() {
			words = append(words, p.Path+"=")
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func (a *app) call(ctx context.Context, opts callOptions, args []string) error {
	op := schema.OperationNamed(args[0])
	if !op.Reads() {
		return &usageError{err: fmt.Errorf("%s changes something", op.Name), hint: "import a row that asks for it"}
	}
	query, err := queryOf(op, args[1:])
	if err != nil {
		return err
	}
	if opts.all && !op.Lists() {
		return usagef("--all: %s is no list", op.Name)
	}
	if opts.all && a.global.json {
		return usagef("--all prints an object a line, and --json one document: leave one of the two out")
	}
	conn, err := a.connect(&opts.send)
	if err != nil {
		return err
	}
	defer conn.close()
	if !opts.all {
		body, err := conn.Read(ctx, op, query)
		if err != nil {
			return because(ctx, err)
		}
		var text bytes.Buffer
		if err := json.Indent(&text, fit(body, opts.secrets), "", "  "); err != nil {
			return err
		}
		text.WriteByte('\n')
		return a.print(text.Bytes())
	}
	for entry, err := range conn.Entries(ctx, op, query) {
		if err != nil {
			return because(ctx, err)
		}
		var text bytes.Buffer
		if err := json.Compact(&text, fit(entry, opts.secrets)); err != nil {
			return err
		}
		text.WriteByte('\n')
		if err := a.print(text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// print writes to standard output.
func (a *app) print(text []byte) error {
	if _, err := a.stdout.Write(text); err != nil {
		return a.output.failed
	}
	return nil
}

// queryOf reads the parameters of a read.
func queryOf(op *schema.Operation, args []string) (url.Values, error) {
	query, parameters := url.Values{}, op.Query()
	var names []string
	for _, p := range parameters {
		names = append(names, p.Path)
	}
	takes := op.Name + " takes no parameter"
	if len(names) > 0 {
		takes = op.Name + " takes " + strings.Join(names, ", ")
	}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		i := slices.Index(names, name)
		if i < 0 {
			hint := takes
			if near := spelling.Nearest(name, names); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, &usageError{err: fmt.Errorf("%s has no parameter %q", op.Name, name), hint: hint}
		}
		var set schema.Setting
		if fault := parameters[i].Parse(&set, value); fault != nil {
			return nil, &usageError{err: fmt.Errorf("%s: %w", name, fault), hint: schema.HintOf(fault)}
		}
		if query.Has(name) && !parameters[i].Many {
			return nil, usagef("%s is given twice", name)
		}
		query.Add(name, set.Text)
	}
	for _, p := range parameters {
		if p.Need && !query.Has(p.Path) {
			return nil, &usageError{err: fmt.Errorf("%s needs %s", op.Name, p.Path), hint: takes}
		}
	}
	return query, nil
}

// fit returns an answer as it may be printed: without secrets unless they are asked for, and
// with characters escaped that nobody sees.
func fit(body json.RawMessage, secrets bool) json.RawMessage {
	if len(body) == 0 {
		return json.RawMessage("{}")
	}
	if !secrets {
		for _, value := range secretsOf(body) {
			body = bytes.ReplaceAll(body, value, []byte(`"[redacted]"`))
		}
	}
	if !bytes.ContainsFunc(body, func(r rune) bool { return r >= utf8.RuneSelf && printable.Hidden(r) }) {
		return body
	}
	var b bytes.Buffer
	for _, r := range string(body) {
		if r >= utf8.RuneSelf && r != utf8.RuneError && printable.Hidden(r) {
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes()
}

// secretsOf returns the values of an answer, as JSON texts, that are secrets.
func secretsOf(body json.RawMessage) (values []json.RawMessage) {
	var members map[string]json.RawMessage
	var items []json.RawMessage
	switch {
	case json.Unmarshal(body, &members) == nil:
		for name, value := range members {
			if name == "secret" && len(value) > len(`""`) && value[0] == '"' {
				values = append(values, value)
				continue
			}
			values = append(values, secretsOf(value)...)
		}
	case json.Unmarshal(body, &items) == nil:
		for _, item := range items {
			values = append(values, secretsOf(item)...)
		}
	}
	return values
}
