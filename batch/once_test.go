package batch

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/mapping"
)

// meanwhile is standard input that does something when it is read.
type meanwhile struct {
	io.Reader
	do func()
}

func (m *meanwhile) Read(p []byte) (int, error) {
	if m.do != nil {
		m.do()
		m.do = nil
	}
	return m.Reader.Read(p)
}

// A file that takes the place of another while that is planned does not get its rows
// sent under the other's name.
func TestFilePutInPlaceOfAnotherIsNotSentUnderItsName(t *testing.T) {
	w := newWorld(t)
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(w.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rows := write("rows.csv", header+"\n"+tea+"\n")
	planOf := func(swap func()) (names, run string) {
		planned, err := Plan(t.Context(), PlanConfig{
			Command: "plan", Options: w.options, Service: w.service, Workspace: w.workspace,
			Reading: mapping.Config{
				Files: []string{rows, "-"}, Format: "csv", Now: time.Now(),
				Stdin: &meanwhile{strings.NewReader(header + "\n" + cake + "\n"), swap},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for op, err := range planned.Run.Ops() {
			if err != nil {
				t.Fatal(err)
			}
			names += op.Event.Name + " "
		}
		return names, planned.Run.ID()
	}
	before, first := planOf(func() {
		if err := os.Rename(write("other.csv", header+"\n"+strings.Replace(tea, "Tea", "Jazz", 1)+"\n"), rows); err != nil {
			t.Error(err)
		}
	})
	after, second := planOf(nil)
	if before != "Tea Cake " || after != "Jazz Cake " || first == second {
		t.Errorf("%s%s", before, after)
	}
}
