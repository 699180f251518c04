package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// copied reads an export as new events, each named by the id of the one that it is a copy of.
const copied = "version: 1\nkey: Event id\nignore: [Slug, \"* id\"]\n"

// TestASeasonGoesRound imports the sample season in one command, exports it whole, and imports that
// where it came from, which sends nothing, and where nothing is, which makes the same season.
func TestASeasonGoesRound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sample, err := filepath.Abs("../../samples/season.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	here, there := house{t, dir, "here"}, house{t, dir, "there"}
	first := here.imports(sample, "--allow", "mail")
	if rows := first.Rows["read"]; rows < 500 || first.Rows["created"] != rows {
		t.Fatalf("%v", first.Rows)
	}
	if again := here.imports(sample); again.Rows["unchanged"] != first.Rows["read"] || again.Requests.Sent > 0 {
		t.Errorf("the same again: %v, %d requests", again.Rows, again.Requests.Sent)
	}

	out := here.exports()
	if back := here.imports(out); back.Rows["unchanged"] != back.Rows["read"] || back.Requests.Sent > 0 {
		t.Errorf("the export: %v, %d requests", back.Rows, back.Requests.Sent)
	}

	mapping := filepath.Join(dir, "copy.map.yaml")
	if err := os.WriteFile(mapping, []byte(copied), 0o600); err != nil {
		t.Fatal(err)
	}
	copied := there.imports(out, "--mapping", mapping, "--compare", "none", "--allow", "mail")
	if copied.Rows["created"] != copied.Rows["read"] {
		t.Errorf("the export elsewhere: %v", copied.Rows)
	}
	if diff := difference(t, whatItHolds(t, out), whatItHolds(t, there.exports())); diff != "" {
		t.Errorf("what was exported, and what has become of it elsewhere (-want +got):\n%s", diff)
	}
	for _, of := range []house{here, there} {
		for _, mail := range of.outbox() {
			if mail != "events/hosts/add" { // which says nothing else
				t.Errorf("%s: %s mails", of.name, mail)
			}
		}
	}
}

// house is a sandbox with a workspace of its own.
type house struct {
	t    *testing.T
	dir  string
	name string
}

func (h house) run(doc any, args ...string) {
	h.t.Helper()
	var stdout, stderr bytes.Buffer
	args = append(args, "--sandbox", "--json", "--workspace", filepath.Join(h.dir, h.name))
	env := []string{"HOME=" + h.dir, "XDG_STATE_HOME=" + filepath.Join(h.dir, h.name+".state"), "EVENTBATCH_PACE=0"}
	if code := run(h.t.Context(), env, args, nil, &stdout, &stderr); code != exitDone {
		h.t.Fatalf("%v: exit %d\n%s", args, code, &stderr)
	}
	if err := json.Unmarshal(stdout.Bytes(), doc); err != nil {
		h.t.Fatal(err)
	}
}

// imported is what an import says of itself.
type imported struct {
	Rows     map[string]int
	Requests struct{ Sent int }
}

func (h house) imports(path string, more ...string) (doc imported) {
	h.t.Helper()
	h.run(&doc, append([]string{"import", path, "--yes"}, more...)...)
	return doc
}

// exports writes a workbook of all that the season has, without what the sandbox had before.
func (h house) exports() string {
	h.t.Helper()
	out := filepath.Join(h.dir, h.name+".xlsx")
	var doc struct{}
	args := []string{"export", "event-tags", "events", "ticket-types", "coupons", "hosts", "guests"}
	h.run(&doc, append(args, "--calendar", "all", "--from", "2027-09-01", "-o", out)...)
	return out
}

// outbox lists what has mailed somebody.
func (h house) outbox() (operations []string) {
	var doc struct{ Outbox []struct{ Operation string } }
	h.run(&doc, "sandbox", "outbox")
	if len(doc.Outbox) == 0 {
		h.t.Error("no host was mailed")
	}
	for _, e := range doc.Outbox {
		operations = append(operations, e.Operation)
	}
	return operations
}

// whatItHolds returns the rows of a workbook by sheet, without ids: an event is known by its name and start.
func whatItHolds(t *testing.T, path string) map[string][]string {
	t.Helper()
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names, all := map[string]string{}, map[string][]string{}
	for _, sheet := range f.GetSheetList() {
		if visible, err := f.GetSheetVisible(sheet); err != nil || !visible {
			continue
		}
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		header := rows[0]
		for _, row := range rows[1:] {
			cells := map[string]string{}
			for i, text := range row {
				cells[header[i]] = text
			}
			if id := cells["Event id"]; sheet == "Events" {
				names[id] = cells["Name"] + " of " + cells["Start"]
			}
			if id := cells["Event"]; id != "" {
				cells["Event"] = names[id]
			}
			tags := strings.Split(cells["Tags"], "; ") // in the order in which they were put on
			slices.Sort(tags)
			cells["Tags"] = strings.Join(tags, "; ")
			for _, id := range []string{"Event id", "Ticket type id", "Tag id", "Slug", "_url"} {
				delete(cells, id)
			}
			var words []string
			for _, name := range slices.Sorted(maps.Keys(cells)) {
				if cells[name] != "" {
					words = append(words, name+": "+cells[name])
				}
			}
			all[sheet] = append(all[sheet], strings.Join(words, ", "))
		}
		slices.Sort(all[sheet])
	}
	return all
}
