package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/templates"
)

// TestPythonIsThere sees to it that the script with a program in Python is not skipped where all have to run.
func TestPythonIsThere(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("python3 is needed: %v", err)
	}
}

// printedDocuments is the variable with the path of the file in which the commands of a script note what they print.
const printedDocuments = "PRINTED_DOCUMENTS"

// printedNote is a line of that file.
type printedNote struct {
	Args    []string
	Printed []byte // documents
	Wrong   string // what is wrong with a line of the log, or with how the command has ended
}

// watchDocuments looks at the documents that the commands of a script have printed, and fails the test where one
// is wrong.
func watchDocuments(t *testing.T, env *testscript.Env) {
	t.Helper()
	path := env.WorkDir + ".documents"
	env.Setenv(printedDocuments, path)
	env.Defer(func() {
		file, err := os.Open(path)
		if err != nil {
			return // the script has no command
		}
		defer os.Remove(path)
		defer file.Close()
		for notes := json.NewDecoder(file); ; {
			var note printedNote
			err := notes.Decode(&note)
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil && note.Wrong != "" {
				err = errors.New(note.Wrong)
			} else if err == nil {
				err = documentsError(note.Printed)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", env.WorkDir, strings.Join(note.Args, " "), err)
				return
			}
		}
	})
}

// scriptedMain is main for a script, and notes what the command prints.
func scriptedMain() {
	runtime.MemProfileRate = 0 // as for a program that is not linked with tests
	path := os.Getenv(printedDocuments)
	if path == "" {
		main()
	}
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, printedDocuments+"=") })
	note := func(n printedNote) {
		n.Args = os.Args
		line, err := json.Marshal(n)
		if err != nil {
			panic(err)
		}
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		defer file.Close()
		if _, err := file.Write(append(line, '\n')); err != nil {
			panic(err)
		}
	}
	wrong := func(err error) { note(printedNote{Wrong: err.Error()}) }
	var (
		stdout, stderr io.Writer = os.Stdout, os.Stderr
		printed        bytes.Buffer
	)
	documents := asksForJSON(os.Args, variables(environ)) && !slices.Contains(os.Args, "--help") && !slices.Contains(os.Args, "help")
	if documents && !report.IsTerminal(os.Stdout) {
		stdout = io.MultiWriter(os.Stdout, &printed)
	}
	if logs := strings.Join(os.Args, "="); strings.Contains(logs, "--log-format=json") && !report.IsTerminal(os.Stderr) {
		stderr = io.MultiWriter(os.Stderr, &lineWatch{wrong: wrong})
	}
	a := newEnv(variables(environ), os.Stdin, stdout, stderr)
	code := a.do(context.Background(), os.Args[1:])
	if documents {
		note(printedNote{Printed: printed.Bytes()})
	}
	if err := conductError(a.command, os.Args[1:], code, printed.Bytes()); err != nil {
		wrong(err)
	}
	os.Exit(code)
}

// conductError returns what a command has done otherwise than commands says of it: how it has ended, and what it has
// printed. Of a command line that could not be read the command is nil.
func conductError(cmd *cobra.Command, args []string, code int, printed []byte) error {
	if cmd == nil {
		root := (&env{}).root()
		cmd = named(root, looking(root, args))
	}
	known := rowOf(cmd)
	if known.words == "" {
		return nil // it is no command
	}
	if codes := known.exits(cmd.Flags()); !slices.Contains(codes, code) {
		return fmt.Errorf("%s ends with %d, and commands says %v", cmd.CommandPath(), code, codes)
	}
	for _, begin := range bytes.Split(printed, []byte(`"format": "eventbatch/`))[1:] {
		name, _, _ := strings.Cut(string(begin), "/")
		if name != "end" && !slices.Contains(known.documents, name) {
			return fmt.Errorf("%s prints the document %s, and commands says %v", cmd.CommandPath(), name, known.documents)
		}
	}
	return nil
}

// lineWatch looks at each line of a log.
type lineWatch struct {
	held  []byte
	wrong func(error)
}

func (w *lineWatch) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	for {
		line, rest, ended := bytes.Cut(w.held, []byte("\n"))
		if !ended {
			return len(p), nil
		}
		if err := documentError(line); err != nil {
			w.wrong(err)
		}
		w.held = rest
	}
}

// documentsError returns what is wrong with the output of a command with --json: a document, or a list of them.
func documentsError(output []byte) error {
	list := []json.RawMessage{output}
	if bytes.HasPrefix(output, []byte("[")) {
		if err := json.Unmarshal(output, &list); err != nil {
			return err
		}
	}
	for _, document := range list {
		if err := documentError(document); err != nil {
			return err
		}
	}
	return nil
}

// documentError returns what is wrong with a document.
func documentError(text []byte) error {
	var head struct {
		Format string
		Exit   found.Exit
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("%w: %q", err, text)
	}
	if known := exits[head.Exit.Code]; head.Exit.Reason != "" && head.Exit.Reason != known.reason {
		return fmt.Errorf("the reason of code %d is %s: %s", head.Exit.Code, known.reason, text)
	}
	if begin := bytes.TrimLeft(text, "{ \n"); !bytes.HasPrefix(begin, []byte(`"format":`)) {
		return fmt.Errorf("the first member is not format: %s", text)
	}
	name, _ := strings.CutPrefix(head.Format, "eventbatch/")
	s, err := strictSchema(strings.TrimSuffix(name, "/1"))
	if err != nil {
		return err
	}
	var document any
	if err = json.Unmarshal(text, &document); err == nil {
		err = s.Validate(document)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// strictSchema returns the schema of a document as this version writes it: with no member that it does not name.
func strictSchema(name string) (*jsonschema.Resolved, error) {
	known, _ := strictSchemas.LoadOrStore(name, sync.OnceValues(func() (*jsonschema.Resolved, error) { return readStrictSchema(name) }))
	return known.(func() (*jsonschema.Resolved, error))()
}

var strictSchemas sync.Map // what returns them, by name

func readStrictSchema(name string) (*jsonschema.Resolved, error) {
	text, err := templates.Schemas.ReadFile("schemas/" + name + ".json")
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	forbidMore(&s)
	if more := s.Properties["more"]; name == "log" && more != nil {
		more.AdditionalProperties = nil // a line of work has what it has
	}
	return s.Resolve(nil)
}

func forbidMore(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	} else {
		forbidMore(s.AdditionalProperties)
	}
	for _, property := range s.Properties {
		forbidMore(property)
	}
	for _, shared := range s.Defs {
		forbidMore(shared)
	}
	forbidMore(s.Items)
}
