package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	found "eventbatch/batch/report/finding"

	"eventbatch/batch"
	"eventbatch/batch/report"
)

// invoke runs the program in this process, in a folder of its own.
func invoke(t *testing.T, stdin io.Reader, stdout, stderr io.Writer, args ...string) int {
	t.Helper()
	dir := t.TempDir()
	env := []string{"HOME=" + dir, "EVENTBATCH_PACE=0", "EVENTBATCH_WORKSPACE=" + filepath.Join(dir, "workspace")}
	return run(t.Context(), env, args, stdin, stdout, stderr)
}

const oneRow = "key,name,start_at,timezone\na,Tea,2027-03-20 18:00,Europe/Paris\n"

func writeRows(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// onWrite does something at the nth write, and otherwise keeps what is written.
type onWrite struct {
	bytes.Buffer
	left int
	do   func() (int, error)
}

func (w *onWrite) Write(data []byte) (int, error) {
	if w.left--; w.left == 0 {
		return w.do()
	}
	return w.Buffer.Write(data)
}

// document reads the one JSON document of an output.
func document(t *testing.T, text string) (exit found.Exit) {
	t.Helper()
	var doc struct {
		Command string
		Exit    found.Exit
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&doc); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if decoder.More() || doc.Command == "" {
		t.Errorf("more than one document, or no command: %s", text)
	}
	return doc.Exit
}

// A panic reaches nobody bare: the code is 1, the words are those of an error,
// and the document is whole even where it was begun.
func TestPanicIsAnInternalError(t *testing.T) {
	path := writeRows(t, strings.Replace(oneRow, "Paris", "Nowhere", 1))
	defect := func() (int, error) { panic("index out of range [3]\nof a secret") }
	for name, args := range map[string][]string{
		"check": {"check", path, "--json"}, "plan": {"plan", path, "--sandbox", "--json"},
		"import": {"import", path, "--sandbox", "--yes", "--json"}, "fields": {"fields", "--json"},
	} {
		var stderr bytes.Buffer
		stdout := &onWrite{left: 2, do: defect}
		if name != "check" { // the others write at once
			stdout.left = 1
		}
		code := invoke(t, strings.NewReader(""), stdout, &stderr, args...)
		words := stderr.String()
		if code != exitInternal || !strings.Contains(words, "eventbatch: internal error: index out of range [3]\n") ||
			strings.Contains(words, "goroutine") || strings.Contains(words, "secret") {
			t.Errorf("%s: exit %d: %s", name, code, words)
		}
		if name == "check" && document(t, stdout.String()).Code != exitInternal {
			t.Errorf("check: %s", stdout)
		}
	}
}

// Under --verbose the stack is there for who mends it.
func TestPanicShowsItsStackUnderVerbose(t *testing.T) {
	var stderr bytes.Buffer
	stdout := &onWrite{left: 1, do: func() (int, error) { panic("no such thing") }}
	if code := invoke(t, strings.NewReader(""), stdout, &stderr, "fields", "-v"); code != exitInternal {
		t.Errorf("exit %d", code)
	}
	if !strings.Contains(stderr.String(), "run_test.go") {
		t.Errorf("no stack: %s", &stderr)
	}
}

// A panic in the goroutine of the progress ends the command, not the process.
func TestPanicElsewhereIsAnInternalError(t *testing.T) {
	broken := report.NewProgress(report.ProgressConfig{}) // without a screen
	a := &env{}
	_, err := watched(t.Context(), a, broken, func() (*batch.Applied, error) { return nil, nil })
	if code := exitCode(err); code != exitInternal {
		t.Errorf("exit %d, error %v", code, err)
	}
}

// Who reads the output may go away: no stack, no words to nobody, 74.
func TestClosedPipeIsToldToNobody(t *testing.T) {
	path := writeRows(t, oneRow)
	for _, args := range [][]string{
		{"fields"}, {"explain"}, {"--help"}, {"check", path, "--json"}, {"import", path, "--sandbox", "--yes", "--json"},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		if code := invoke(t, strings.NewReader(""), writer, &stderr, args...); code != exitIOErr || stderr.Len() > 0 {
			t.Errorf("%v: exit %d: %s", args, code, &stderr)
		}
		_ = writer.Close()
	}
}

// An output that takes nothing is an error of its own.
func TestFullOutputIsAnError(t *testing.T) {
	for _, args := range [][]string{{"fields"}, {"version"}, {"--help"}, {"runs", "--json"}, {"completion", "bash"}} {
		var stderr bytes.Buffer
		stdout := &onWrite{left: 1, do: func() (int, error) { return 0, syscall.ENOSPC }}
		code := invoke(t, strings.NewReader(""), stdout, &stderr, args...)
		if code != exitIOErr || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: exit %d: %s", args, code, &stderr)
		}
	}
}

// Words that cannot be written keep nothing from being done.
func TestClosedStderrKeepsNothingFromBeingDone(t *testing.T) {
	var stdout bytes.Buffer
	code := invoke(t, strings.NewReader(""), &stdout, failing{}, "import", writeRows(t, oneRow), "--sandbox", "--yes")
	if code != exitDone {
		t.Errorf("exit %d", code)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// A command whose context has ended does nothing, and says so in its document.
func TestInterruptedCheckLeavesOneDocument(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&interruptedError{signal: syscall.SIGTERM})
	var stdout, stderr bytes.Buffer
	code := run(
		ctx, []string{"HOME=" + t.TempDir()}, []string{"check", writeRows(t, oneRow), "--json"}, strings.NewReader(""), &stdout,
		&stderr,
	)
	if exit := document(t, stdout.String()); code != exitTerminated || exit.Code != exitTerminated || exit.Reason != "interrupted" {
		t.Errorf("exit %d, document %+v: %s", code, exit, &stderr)
	}
}

// Marking takes longer than a check: it ends with it.
func TestInterruptedCheckMakesNoMarkedCopy(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&interruptedError{signal: syscall.SIGINT})
	var stderr bytes.Buffer
	report := filepath.Join(t.TempDir(), "marked.xlsx")
	args := []string{"check", writeRows(t, oneRow), "--report", report}
	code := run(ctx, []string{"HOME=" + t.TempDir()}, args, strings.NewReader(""), io.Discard, &stderr)
	if _, err := os.Stat(report); code != exitInterrupted || !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(stderr.String(), "there is no marked copy: interrupted") {
		t.Errorf("exit %d, %v: %s", code, err, &stderr)
	}
}

// sandbox serves until it is interrupted; its address is all that stdout holds.
// doubled has the command sandbox serve with these flags while the calls are made, and returns what
// it says at its end.
func doubled(t *testing.T, flags []string, calls func(call func(method, path, body string) string)) string {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	reader, writer := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		args := append([]string{"sandbox", "--addr", "127.0.0.1:0", "--dir", t.TempDir(), "--json"}, flags...)
		ended <- run(ctx, []string{"HOME=" + t.TempDir()}, args, strings.NewReader(""), writer, &stderr)
	}()
	var doc sandboxDoc
	if err := json.NewDecoder(bufio.NewReader(reader)).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	client := &http.Client{Timeout: 10 * time.Second}
	calls(func(method, path, body string) string {
		t.Helper()
		req, err := http.NewRequest(method, doc.BaseURL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-service-api-key", doc.Keys[0].Key)
		req.Header.Set("Content-Type", "application/json")
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%s %s: %d %s, %v", method, path, res.StatusCode, text, err)
		}
		return string(text)
	})
	client.CloseIdleConnections()
	stop(&interruptedError{signal: os.Interrupt})
	if code := <-ended; code != exitDone {
		t.Errorf("exit %d: %s", code, &stderr)
	}
	return stderr.String()
}

func TestSandboxServesUntilItIsInterrupted(t *testing.T) {
	words := doubled(t, nil, func(call func(method, path, body string) string) { call(http.MethodGet, "/v1/users/get-self", "") })
	if !strings.Contains(words, "1 request, 0 events created, 0 answered with 429") {
		t.Errorf("words: %s", words)
	}
}

func TestSandboxLagsAsItsFlagsSay(t *testing.T) {
	const tea = `{"name":"Tea","start_at":"2027-05-01T18:30Z","timezone":"UTC"}`
	const ada = `{"event_id":"evt-spring-gala","guests":[{"email":"ada@example.org"}]}`
	doubled(t, []string{"--list-lag", "1h", "--background", "1h"}, func(call func(method, path, body string) string) {
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(call(http.MethodPost, "/v1/events/create", tea)), &made); err != nil {
			t.Fatal(err)
		}
		call(http.MethodGet, "/v1/events/get?event_id="+made.ID, "")
		if list := call(http.MethodGet, "/v1/calendars/events/list", ""); strings.Contains(list, "Tea") || !strings.Contains(list, "Gala") {
			t.Errorf("list: %s", list)
		}
		call(http.MethodPost, "/v1/events/guests/add", ada)
		if event := call(http.MethodGet, "/v1/events/guests/list?event_id=evt-spring-gala", ""); strings.Contains(event, "ada@") {
			t.Errorf("guests: %s", event)
		}
	})
}

func TestSandboxHasABadDay(t *testing.T) {
	const tea = `{"name":"Tea","start_at":"2027-05-01T18:30Z","timezone":"UTC"}`
	doubled(t, []string{"--bad-day", "880"}, func(call func(method, path, body string) string) {
		call(http.MethodPost, "/v1/events/create", tea)
		if list := call(http.MethodGet, "/v1/calendars/events/list", ""); strings.Contains(list, "Tea") {
			t.Errorf("list: %s", list)
		}
	})
}

// A word of another program may not hide a command that has come since.
func TestOtherWordsAreNoCommands(t *testing.T) {
	for _, cmd := range (&env{}).root().Commands() {
		for _, name := range append(cmd.Aliases, cmd.Name()) {
			if hint, ok := otherWords[name]; ok {
				t.Errorf("eventbatch %s is a command, and said to be %q", name, hint)
			}
		}
	}
}
