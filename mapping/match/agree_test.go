package match_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// programmeColumns are a header, a row of it, and the column whose cells are drawn.
type programmeColumns struct {
	header, row []string
	at          int
	field       schema.ID
}

var drawnColumns = map[string]programmeColumns{
	"time":   columnsOf("Titel Datum Beginn Zone", "Tee 2027-05-01 ? UTC", catalog.FieldStartAt),
	"end":    columnsOf("Titel Datum Beginn Ende Zone", "Tee 2027-05-01 05:00 ? UTC", catalog.FieldEndAt),
	"date":   columnsOf("Titel Datum Beginn Zone", "Tee ? 12:00 UTC", catalog.FieldStartAt),
	"moment": columnsOf("Titel Start Zone", "Tee ? UTC", catalog.FieldStartAt),
	"seats":  columnsOf("Titel Datum Beginn Plätze Zone", "Tee 2027-05-01 19:00 ? UTC", catalog.FieldMaxCapacity),
}

func columnsOf(header, row string, field schema.ID) programmeColumns {
	cells := strings.Fields(row)
	return programmeColumns{strings.Fields(header), cells, slices.Index(cells, "?"), field}
}

// drawnCells returns the cells of testdata/cells.txt by kind of column.
func drawnCells(t *testing.T) map[string][]string {
	t.Helper()
	table, err := os.ReadFile("../testdata/cells.txt")
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string][]string{}
	for line := range strings.Lines(string(table)) {
		parts := strings.Split(line, " | ")
		if len(parts) != 3 {
			continue
		}
		cell, err := strconv.Unquote(`"` + strings.ReplaceAll(parts[1], `"`, `\"`) + `"`)
		if err != nil {
			t.Fatal(err)
		}
		kind := parts[0]
		if kind == "dmy" || kind == "mdy" {
			kind = "date"
		}
		cells[kind] = append(cells[kind], cell)
	}
	return cells
}

// drawCell returns a cell of a kind of column, at times with some of it changed.
func drawCell(t *rapid.T, cells []string) string {
	cell := []rune(rapid.SampledFrom(cells).Draw(t, "cell"))
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "changes") {
		at := rapid.IntRange(0, len(cell)).Draw(t, "at")
		until := min(len(cell), at+rapid.IntRange(0, 2).Draw(t, "length"))
		part := rapid.SampledFrom([]string{
			"", "1", "0", "20", "1.200", ".", ":", "-", " - ", " ", ",", "'", "ca. ", " Pers.", "k", "h", "pm", " Uhr", "ab ", "bis ",
			"Doors ", "/", "+", "Mi ", " Mai ", "2027", "½",
		}).Draw(t, "part")
		cell = slices.Concat(cell[:at], []rune(part), cell[until:])
	}
	return strings.TrimSpace(string(cell))
}

// whatIsPlanned returns for each row what a field is read as, in the words of a shape, and
// whether the row is refused.
func whatIsPlanned(t *rapid.T, path string, f *mapfile.File, id schema.ID) (read []string, refused []bool) {
	r, err := mapping.Read(t.Context(), mapping.Config{
		Files: []string{path}, Mapping: f, Now: time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC), Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	for result, err := range r.Results(t.Context()) {
		if err != nil {
			t.Skip(err) // of a column that proves both orders
		}
		text := "blank"
		if s := result.Draft.Get(id); s != nil {
			at := time.UnixMilli(s.Instant).UTC()
			switch {
			case id == catalog.FieldMaxCapacity && s.State == schema.Clear:
				text = "no limit"
			case id == catalog.FieldMaxCapacity:
				text = s.Text
			default:
				text = at.Format("Mon 2 Jan 2006 15:04")
			}
			if end := result.Draft.Get(catalog.FieldEndAt); id == catalog.FieldStartAt && end != nil {
				text += " – " + time.UnixMilli(end.Instant).UTC().Format("Mon 2 Jan 2006 15:04")
			}
		}
		read = append(read, text)
		refused = append(refused, slices.ContainsFunc(result.Problems, func(p schema.Problem) bool {
			return p.Severity == schema.Error && p.Code != schema.CodeEndBeforeStart
		}))
	}
	return read, refused
}

// agrees reports whether what a shape becomes is what is read, as far as the column says it.
func agrees(becomes, read string) bool {
	if at, err := time.Parse("Mon 2 Jan 2006 15:04 -07:00", becomes); err == nil {
		return read == at.UTC().Format("Mon 2 Jan 2006 15:04")
	}
	if at, err := time.Parse("15:04 -07:00", becomes); err == nil {
		return strings.HasSuffix(read, at.UTC().Format("15:04"))
	}
	from, until, two := strings.Cut(strings.ReplaceAll(becomes, "24:00", "00:00"), " – ")
	readFrom, readUntil, readTwo := strings.Cut(read, " – ")
	if day, ok := strings.CutSuffix(readFrom, " 00:00"); ok && readTwo && !two && day == from {
		return true // a whole day among ranges of days
	}
	if two && !strings.Contains(becomes, ":") { // whole days, whose last ends at midnight
		at, err := time.Parse("Mon 2 Jan 2006", until)
		until = at.AddDate(0, 0, 1).Format("Mon 2 Jan 2006")
		two = err == nil
	}
	if two != readTwo {
		return false
	}
	within := func(part, whole string) bool { return strings.HasPrefix(whole, part) || strings.HasSuffix(whole, part) }
	return within(from, readFrom) && within(until, readUntil)
}

// What a shape of cells is said to become is what is read by the mapping that is proposed
// with it, and cells that are said to be refused are.
func TestWhatIsShownIsWhatIsRead(t *testing.T) {
	cells, dir, compared := drawnCells(t), t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]string{"time", "end", "date", "moment", "seats"}).Draw(t, "kind")
		c := drawnColumns[kind]
		records := [][]string{c.header}
		for i := range rapid.IntRange(1, 6).Draw(t, "rows") {
			row := slices.Clone(c.row)
			row[0] += " " + string(rune('A'+i))
			row[c.at] = drawCell(t, cells[kind])
			records = append(records, row)
		}
		answers := map[string]string{}
		if order := rapid.SampledFrom([]string{"dmy", "mdy"}).Draw(t, "order"); kind == "date" || kind == "moment" {
			answers["date_order"] = order
		}
		var p *match.Proposal
		for range 20 {
			p = gatherRecords(records).Propose(match.Config{Now: november, Answers: answers})
			open := false
			for _, q := range p.Questions {
				if q.Default != "" && answers[q.ID] == "" {
					answers[q.ID], open = q.Default, true
				}
			}
			if !open {
				break
			}
		}
		encoded, err := p.Write("")
		if err != nil {
			t.Fatal(err)
		}
		f, err := mapfile.Decode(encoded, "m.yaml")
		if err != nil {
			t.Fatalf("%v in\n%s", err, encoded)
		}
		var text bytes.Buffer
		if err := csv.NewWriter(&text).WriteAll(records); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "in.csv")
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		read, refused := whatIsPlanned(t, path, f, c.field)
		if len(read) != len(records)-1 {
			return // rows that are no events, which are told
		}
		for i := range p.Shapes {
			s := &p.Shapes[i]
			if s.Column != c.header[c.at] || s.Field != catalog.Path(c.field) {
				continue
			}
			at := slices.IndexFunc(records[1:], func(row []string) bool { return row[c.at] == s.Example })
			switch {
			case at < 0:
			case s.Refused || s.Asked != "":
				if !refused[at] && read[at] != "blank" {
					t.Fatalf("%q is said to be refused, and read as %s by\n%s\nof\n%s", s.Example, read[at], encoded, text.String())
				}
			case refused[at] && c.field == catalog.FieldEndAt && (datetime.MaybeLength(s.Example) || openHalf(s.Example, s.Becomes)):
				// as the start of the row has it
			case refused[at] && (kind == "date" && strings.Contains(s.Becomes, ":") || kind == "time" && strings.Contains(s.Becomes, "20")):
				// the cell says more than its column, and may contradict the other
			case refused[at] && s.Becomes == "": // for want of an order of dates, which is asked for once
			case refused[at] && strings.Contains(s.Becomes, " +"): // an offset, which may be another than that of the zone
			case refused[at] && s.Becomes == "blank" && c.field == catalog.FieldStartAt: // which a row cannot be without
			case refused[at]:
				t.Fatalf("%q is said to become %q, and refused by\n%s\nof\n%s", s.Example, s.Becomes, encoded, text.String())
			case s.Becomes != "" && !agrees(s.Becomes, read[at]):
				t.Fatalf("%q is said to become %q, and read as %s by\n%s\nof\n%s", s.Example, s.Becomes, read[at], encoded, text.String())
			default:
				compared++
			}
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d shapes were compared", compared)
}

// openHalf reports whether a time of day that is read as another does not say in which half of the day it is.
func openHalf(text, becomes string) bool {
	m, fault := datetime.Scan(becomes, datetime.Unknown)
	return fault == datetime.OK && datetime.HalfOpen(text, &m)
}
