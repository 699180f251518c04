package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/tools/txtar"
)

// peoplesFile is a file that people made, and what they mean with each of its rows.
type peoplesFile struct {
	path    string
	name    string
	archive *txtar.Archive
	file    string // its name
	data    []byte
	zone    string            // of the events that have none of their own
	answers map[string]string // of a person, by the ids of their questions
	flags   []string
	meant   []meantRow
	numbers map[string]int // of events that were right each way, and of questions

	got       map[string]tally // by the way
	questions int              // that map asks with Enter at each, but for those that may be left alone
	given     []string         // ids of the questions that a person answers
}

// meantRow is what a person says of a row, or of one of its cells.
type meantRow struct {
	sheet   string // where the file has several
	row     int
	event   map[string]string // nil where the row is none
	refused bool              // no event can be made of the row, and that has to be said
}

// events returns how many events the programme has.
func (p *peoplesFile) events() (n int) {
	for _, m := range p.meant {
		if m.event != nil {
			n++
		}
	}
	return n
}

// readProgramme reads a fixture. It begins with a sentence, and has these sections:
//
//   - answers: one a line, ID=VALUE, or a flag with its value, such as --date-order dmy.
//   - book, or book.ods: a workbook that the test writes, as bookWriter says. What a row means
//     stands behind it.
//   - any other name: the file as it is. "NAME windows-1252" is written in that encoding.
//   - truth: what the rows of such a file mean, one a line: ROW => MEANING. "zone Europe/Paris" is
//     the zone of those that do not name one, where no answer gives it.
//   - measure: how many events were right each way, and how many questions asked.
//
// A meaning is "left out", "refused", or events parted by &&, each "NAME | START | END | PLACE | more":
// END and PLACE may be -, an END without a date is of the same day or the next morning, and more is
// any of seats 40; visibility private; url https://…; key K-1; zone America/Chicago.
func readProgramme(t *testing.T, path string) *peoplesFile {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(path)
	p := &peoplesFile{
		path: path, name: strings.TrimSuffix(name, ".txtar"), archive: archive,
		answers: map[string]string{}, numbers: map[string]int{}, got: map[string]tally{},
	}
	for _, section := range archive.Files {
		if section.Name == "answers" {
			p.readAnswers(string(section.Data))
		}
	}
	for _, section := range archive.Files {
		switch file, encoding, _ := strings.Cut(section.Name, " "); file {
		case "answers":
		case "book", "book.ods":
			book := &bookWriter{t: t, p: p}
			for line := range strings.Lines(string(section.Data)) {
				book.line(strings.TrimRight(line, "\n"))
			}
			if p.file, p.data = "programme.xlsx", nil; file == "book.ods" {
				p.file, p.data = "programme.ods", book.ods()
			} else {
				p.data = book.xlsx()
			}
		case "truth":
			p.readTruth(t, string(section.Data))
		case "measure":
			for line := range strings.Lines(string(section.Data)) {
				what, n, _ := strings.Cut(strings.TrimSpace(line), " ")
				if p.numbers[what], err = strconv.Atoi(n); err != nil {
					t.Fatal(err)
				}
			}
		default:
			p.file, p.data = file, section.Data
			if encoding == "windows-1252" {
				if p.data, err = charmap.Windows1252.NewEncoder().Bytes(section.Data); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return p
}

func (p *peoplesFile) readAnswers(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "--") {
			p.flags = append(p.flags, strings.Fields(line)...)
			continue
		}
		id, answer, _ := strings.Cut(line, "=")
		p.answers[id] = answer
		if id == "timezone" {
			p.zone = answer
		}
	}
}

func (p *peoplesFile) readTruth(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		row, meaning, isRow := strings.Cut(line, " => ")
		if zone, isZone := strings.CutPrefix(line, "zone "); isZone {
			p.zone = zone
			continue
		}
		number, err := strconv.Atoi(row)
		if err != nil || !isRow {
			t.Fatalf("%s: no row and meaning: %v", line, err)
		}
		p.mean(t, "", number, meaning)
	}
}

// mean adds what a row means.
func (p *peoplesFile) mean(t *testing.T, sheet string, row int, meaning string) {
	t.Helper()
	switch meaning {
	case "left out", "refused":
		p.meant = append(p.meant, meantRow{sheet: sheet, row: row, refused: meaning == "refused"})
		return
	}
	for event := range strings.SplitSeq(meaning, " && ") {
		parts := strings.SplitN(event+" | | | | ", "|", 5)
		for i := range parts {
			parts[i] = strings.Trim(parts[i], " |")
		}
		fields := map[string]string{"name": parts[0], "start": parts[1], "visibility": "public", "zone": p.zone}
		if end := parts[2]; end != "" && end != "-" {
			fields["end"] = endOf(t, parts[1], end)
		}
		if place := parts[3]; place != "" && place != "-" {
			fields["place"] = place
		}
		for more := range strings.SplitSeq(parts[4], "; ") {
			if name, value, said := strings.Cut(more, " "); said {
				fields[name] = value
			}
		}
		zone, err := time.LoadLocation(fields["zone"])
		if err != nil || fields["zone"] == "" {
			t.Fatalf("row %d: %s: no zone: %v", row, event, err)
		}
		at, err := time.ParseInLocation("2006-01-02 15:04", parts[1], zone)
		if err != nil {
			t.Fatalf("row %d: %s: no start: %v", row, event, err)
		}
		fields["zone"] = at.Format("-07:00") // Vienna's clock is as good as Berlin's
		p.meant = append(p.meant, meantRow{sheet: sheet, row: row, event: fields})
	}
}

// endOf returns an end with its date: that of the start, or of the day after where its hour has passed.
func endOf(t *testing.T, start, end string) string {
	t.Helper()
	if strings.Contains(end, "-") {
		return end
	}
	day, clock, _ := strings.Cut(start, " ")
	if end > clock {
		return day + " " + end
	}
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	return at.AddDate(0, 0, 1).Format(time.DateOnly) + " " + end
}

// save writes the numbers into the programme's file.
func (p *peoplesFile) save(t *testing.T) {
	t.Helper()
	var text strings.Builder
	for _, way := range ways {
		fmt.Fprintf(&text, "%s %d\n", way, p.got[way].right)
	}
	fmt.Fprintf(&text, "questions %d\n", p.questions)
	at := len(p.archive.Files)
	for i, section := range p.archive.Files {
		if section.Name == "measure" {
			at = i
		}
	}
	if at == len(p.archive.Files) {
		p.archive.Files = append(p.archive.Files, txtar.File{Name: "measure"})
	}
	p.archive.Files[at].Data = []byte(text.String())
	if err := os.WriteFile(p.path, txtar.Format(p.archive), 0o600); err != nil {
		t.Fatal(err)
	}
}
