package files_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"eventbatch/batch/internal/storetest"
	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
)

func TestWorkspaceKeepsThePromisesOfAStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Place {
		return &folder{t: t, dir: t.TempDir(), broken: map[string]*atomic.Bool{}}
	})
}

var _ storetest.LinesPlace = (*folder)(nil)

// folder is a place of files.
type folder struct {
	t      testing.TB
	dir    string
	broken map[string]*atomic.Bool
}

func (f *folder) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *folder) Open() journal.Store {
	w, err := files.Faulty(f.dir, f.broken)
	f.must(err)
	return w
}

func (f *folder) path(run, name string) string { return filepath.Join(f.dir, "runs", run, name) }

// Kill keeps what a process still has to write from the disk.
func (f *folder) Kill(run string) { f.Break(run) }

func (f *folder) Break(run string) { f.broken[f.path(run, "journal.jsonl")].Store(true) }

func (f *folder) Cut(run string, lines int) {
	f.change(run, "journal.jsonl", func(text []byte) []byte {
		all := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		return bytes.Join(all[:max(1, len(all)-lines)], nil)
	})
}

func (f *folder) SpoilLine(run string) {
	f.change(run, "journal.jsonl", func(text []byte) []byte {
		text[len(text)/2] ^= 1
		return text
	})
}

func (f *folder) Spoil(run string, part storetest.Part) {
	name, mark := "plan.jsonl", "import"
	switch part {
	case storetest.Lines:
		mark = "so it is"
	case storetest.Rows:
		name, mark = "rows.jsonl", "Tea"
	}
	f.change(run, name, func(text []byte) []byte {
		text[bytes.LastIndex(text, []byte(mark))] ^= 1
		return text
	})
}

func (f *folder) change(run, name string, change func([]byte) []byte) {
	text, err := os.ReadFile(f.path(run, name))
	f.must(err)
	f.must(os.WriteFile(f.path(run, name), change(text), 0o600))
}
