package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"

	"eventbatch/batch/report"
	"eventbatch/templates"
)

// TestPythonIsThere sees to it that the script with a program in Python is not skipped where all have to run.
func TestPythonIsThere(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("python3 is needed: %v", err)
	}
}

// wrongDocuments is the variable with the path of the file in which the commands of a script say which of the documents
// that they print are not as their schema says.
const wrongDocuments = "WRONG_DOCUMENTS"

// watchDocuments has the commands of a script look at the documents that they print, and fails the test where one
// is wrong.
func watchDocuments(t *testing.T, env *testscript.Env) {
	t.Helper()
	path := env.WorkDir + ".documents"
	env.Setenv(wrongDocuments, path)
	env.Defer(func() {
		if wrong, err := os.ReadFile(path); err == nil {
			t.Errorf("%s: documents that are not as their schema says:\n%s", env.WorkDir, wrong)
			_ = os.Remove(path)
		}
	})
}

// scriptedMain is the command as scripts run it.
func scriptedMain() {
	path := os.Getenv(wrongDocuments)
	if path == "" {
		main()
	}
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, wrongDocuments+"=") })
	collectLate()
	wrong := func(err error) {
		file, failed := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if failed != nil {
			panic(failed)
		}
		fmt.Fprintf(file, "%s: %v\n", strings.Join(os.Args, " "), err)
		file.Close()
	}
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
	code := run(context.Background(), environ, os.Args[1:], os.Stdin, stdout, stderr)
	if err := documentsError(printed.Bytes()); documents && err != nil {
		wrong(err)
	}
	if err := conductError(os.Args[1:], code, printed.Bytes()); err != nil {
		wrong(err)
	}
	os.Exit(code)
}

// conductError returns what a command has done otherwise than commands says of it: how it has ended, and what it has
// printed.
func conductError(args []string, code int, printed []byte) error {
	root := (&env{}).root()
	cmd := named(root, looking(root, args))
	known, ok := conducts[below(cmd)]
	if !ok {
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
	var head struct{ Format string }
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("%w: %q", err, text)
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
