package dialog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/batch/report"
	"eventbatch/mapping/match"
)

const termine = "Titel,Datum,Uhrzeit,Für wen\nTee,03.04.2027,18:00,Alle\nKuchen,04.04.2027,18:00,Vorstand\n"

// mapped returns a file's rows, and a person who answers line by line.
func mapped(t *testing.T, answers string) (*match.Table, Person, *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "programme.csv")
	if err := os.WriteFile(path, []byte(termine), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := match.Read(t.Context(), match.Wanted{File: path}, match.Config{Answers: map[string]string{}})
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	return table, asking(strings.NewReader(answers), &screen), &screen
}

func asking(in io.Reader, out io.Writer) Person {
	return Person{Lines: bufio.NewReader(in), Screen: report.NewScreen(out, report.ScreenConfig{})}
}

func TestALineIsChangedAndTheRestTaken(t *testing.T) {
	// Why; no line; how long the events take; the zone, of which a country has two. Then the
	// rest is taken, and asked is what has no answer: a word.
	table, ask, screen := mapped(t, "?\n99\n6\n2h\n7\nQqqqq\nSpain\n1\n\n9\n3\n")
	p, err := ask.Review(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Questions) > 0 {
		t.Errorf("open are %+v", p.Questions)
	}
	text, err := p.Write("")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`start_at + duration("2h")`, "Vorstand: private", "default: Europe/Madrid", "date_order: dmy"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, want := range []string{
		"write a number from 1 to 7\n", "write a number from 1 to 4, or later to leave it open", "Für wen → visibility", "Alle ×1 → public",
		"a city, a country or an IANA name such as Europe/Paris, or later", "Titel → name: a usual name for it",
	} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("no %q on the screen:\n%s", want, screen)
		}
	}
}

func TestAQuestionMayBeLeftOpen(t *testing.T) {
	// Nothing but the defaults, then the value's question.
	table, ask, _ := mapped(t, "\nlater\n")
	p, err := ask.Review(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	if p.Open() != 1 {
		t.Errorf("%d questions are open, want the value's: %+v", p.Open(), p.Questions)
	}
}

func TestTheEndOfTheInputIsNoAnswer(t *testing.T) {
	table, ask, _ := mapped(t, "\n")
	if _, err := ask.Review(t.Context(), table); err != io.EOF {
		t.Errorf("error %v", err)
	}
}

var errStopped = errors.New("stopped")

func TestAQuestionEndsWithItsContext(t *testing.T) {
	table, _, _ := mapped(t, "")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close(); _ = writer.Close() }()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errStopped)
	ask := asking(reader, &bytes.Buffer{})
	if _, err := ask.Review(ctx, table); err != errStopped {
		t.Errorf("error %v", err)
	}
}
