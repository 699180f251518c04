package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/batch/report"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

const termine = "Titel,Datum,Uhrzeit,Für wen\nTee,03.04.2027,18:00,Alle\nKuchen,04.04.2027,18:00,Vorstand\n"

// mapped returns a file's columns, and a program with a person who answers line by line.
func mapped(t *testing.T, answers string) (*match.Columns, *app, *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "programme.csv")
	if err := os.WriteFile(path, []byte(termine), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := readTable(t.Context(), path, sheet.Options{}, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	var screen bytes.Buffer
	return table.columns, asking(strings.NewReader(answers), &screen), &screen
}

func asking(in io.Reader, out io.Writer) *app {
	return &app{lines: bufio.NewReader(in), screen: report.NewScreen(out, report.ScreenConfig{})}
}

func TestQuestionsAreAskedALineAtATime(t *testing.T) {
	// How long; the word of a value; the zone, wrong at first; the order of dates.
	columns, ask, screen := mapped(t, "4\n9\n3\nMars\nEurope/Berlin\n2\n")
	p, err := ask.askAll(t.Context(), columns, match.Config{Answers: map[string]string{}})
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
	for _, want := range []string{`start_at + duration("2h")`, "Vorstand: private", "default: Europe/Berlin", "date_order: dmy"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, want := range []string{"write a number from 1 to 5", "write an IANA name such as Europe/Paris, or nothing to leave it open"} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("no %q on the screen:\n%s", want, screen)
		}
	}
}

func TestAQuestionMayBeLeftOpen(t *testing.T) {
	// Nothing but the defaults, the open end of the value's question, no zone, no order.
	columns, ask, _ := mapped(t, "\n5\n\n3\n")
	p, err := ask.askAll(t.Context(), columns, match.Config{Answers: map[string]string{}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Open() != 3 {
		t.Errorf("%d questions are open, want the value's, the zone's and the order's: %+v", p.Open(), p.Questions)
	}
}

func TestTheEndOfTheInputIsAnInterruption(t *testing.T) {
	columns, ask, _ := mapped(t, "4\n")
	_, err := ask.askAll(t.Context(), columns, match.Config{Answers: map[string]string{}})
	if !is[*interruptedError](err) || exitCode(err) != exitInterrupted {
		t.Errorf("error %v", err)
	}
}

func TestAQuestionEndsWithItsContext(t *testing.T) {
	columns, _, _ := mapped(t, "")
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close(); _ = writer.Close() }()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&interruptedError{signal: os.Interrupt})
	ask := asking(reader, &bytes.Buffer{})
	if _, err := ask.askAll(ctx, columns, match.Config{Answers: map[string]string{}}); !is[*interruptedError](err) {
		t.Errorf("error %v", err)
	}
}

func TestAnAnswersIDMayHoldAnEqualsSign(t *testing.T) {
	id, value, found := cutAnswer("visibility:a=b=private")
	if id != "visibility:a=b" || value != "private" || !found {
		t.Errorf("%q, %q, %t", id, value, found)
	}
	if _, _, found := cutAnswer("timezone"); found {
		t.Error("an answer without a value is taken")
	}
}

func TestDraftIsToldByTheFieldsOfItsResource(t *testing.T) {
	d := schema.NewDraft(schema.Guests, schema.Place{})
	for i, text := range []string{"K1", "ada@example.org"} {
		d.Put(schema.Setting{Field: schema.Guests.Own[i].ID, State: schema.Set, Text: text})
	}
	if got, want := draftWords(d), "K1 · ada@example.org"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
