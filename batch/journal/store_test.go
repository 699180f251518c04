package journal_test

import (
	"bytes"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"eventbatch/batch/internal/storetest"
	"eventbatch/batch/journal"
)

func TestWorkspaceKeepsThePromisesOfAStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Place {
		return &folder{t: t, dir: t.TempDir(), broken: map[string]*atomic.Bool{}}
	})
}

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
	w, err := journal.Faulty(f.dir, f.broken)
	f.must(err)
	return w
}

func (f *folder) path(run, name string) string { return filepath.Join(f.dir, "runs", run, name) }

// Kill keeps what a process still has to write from the disk.
func (f *folder) Kill(run string) { f.Break(run) }

func (f *folder) Break(run string) { f.broken[f.path(run, "journal.jsonl")].Store(true) }

func (f *folder) Cut(run string, records int) {
	f.change(run, "journal.jsonl", func(text []byte) []byte {
		lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
		return bytes.Join(lines[:len(lines)-records], nil)
	})
}

func (f *folder) Spoil(run string, part storetest.Part) {
	name := map[storetest.Part]string{
		storetest.Header: "plan.jsonl", storetest.Lines: "plan.jsonl", storetest.Rows: "rows.jsonl", storetest.Records: "journal.jsonl",
	}[part]
	f.change(run, name, func(text []byte) []byte {
		at := len(text) / 2
		if part == storetest.Header {
			at = bytes.Index(text, []byte("import"))
		} else if part == storetest.Lines {
			at = bytes.LastIndex(text, []byte("so it is"))
		}
		text[at] ^= 1
		return text
	})
}

func (f *folder) change(run, name string, change func([]byte) []byte) {
	text, err := os.ReadFile(f.path(run, name))
	f.must(err)
	f.must(os.WriteFile(f.path(run, name), change(text), 0o600))
}
