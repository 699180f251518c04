package night

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/report/finding"
)

func syncFolder(t *testing.T, name string) (workspace, folder string) {
	t.Helper()
	workspace = t.TempDir()
	folder = Folder(workspace, name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return workspace, folder
}

func log(t *testing.T, folder string, e Entry) {
	t.Helper()
	if err := Log(folder, e); err != nil {
		t.Fatal(err)
	}
}

func TestNightIsLoggedWithItsBeginningAndItsEnd(t *testing.T) {
	workspace, folder := syncFolder(t, "members")
	begin := time.Date(2026, 10, 31, 23, 59, 59, 5, time.UTC)
	first := Entry{Sync: "members", Source: "members", Began: begin}
	log(t, folder, first)
	first.Ended, first.Run, first.Told = begin.Add(time.Minute), "20261031-x", []string{"ops@example.org"}
	first.Ending = Ending{Exit: 3, Reason: "partial", State: "failed", Error: "2 rows failed"}
	first.Work = Work{Rows: Counts{finding.Read: 3, finding.Failed: 2}, Requests: 7, Throttled: 1}
	log(t, folder, first)
	second := Entry{Sync: "members", Source: "members", Began: begin.Add(24 * time.Hour)} // and then a kill
	log(t, folder, second)
	got, unread, err := Logged(workspace, begin)
	if diff := cmp.Diff([]Entry{first, second}, got); diff != "" || unread != 0 || err != nil {
		t.Errorf("%d lines unread, %v\n%s", unread, err, diff)
	}
	if got, _, err := Logged(workspace, begin.Add(time.Second)); len(got) != 1 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got, _, err := Logged(t.TempDir(), begin); len(got) != 0 || err != nil {
		t.Errorf("of no workspace: %v, %v", got, err)
	}
}

func TestTornLineCostsNoOther(t *testing.T) {
	workspace, folder := syncFolder(t, "members")
	begin := time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)
	night := Entry{Sync: "members", Began: begin, Ended: begin.Add(time.Second), Ending: Ending{Reason: "done"}}
	log(t, folder, night)
	path := filepath.Join(folder, "nights-2026-11.jsonl")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"sync":"members","beg`); err != nil {
		t.Fatal(err)
	}
	file.Close()
	next := night
	next.Began, next.Ended = begin.Add(time.Hour), begin.Add(2*time.Hour)
	log(t, folder, next)
	got, unread, err := Logged(workspace, time.Time{})
	if diff := cmp.Diff([]Entry{night, next}, got); diff != "" || unread != 1 || err != nil {
		t.Errorf("%d lines unread, %v\n%s", unread, err, diff)
	}
}

func TestLogIsKeptForSomeMoreThanAYear(t *testing.T) {
	workspace, folder := syncFolder(t, "members")
	begin := time.Date(2026, 1, 15, 2, 0, 0, 0, time.UTC)
	for range 800 {
		log(t, folder, Entry{Sync: "members", Began: begin})
		begin = begin.AddDate(0, 0, 1)
	}
	for _, name := range []string{"memory.json", "nights-2026-13.jsonl"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := Logged(workspace, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got); n < 400 || n > 462 || !got[n-1].Began.Equal(begin.AddDate(0, 0, -1)) {
		t.Errorf("%d nights are kept", n)
	}
	if files, _ := os.ReadDir(folder); len(files) > 18 {
		t.Errorf("%d files", len(files))
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"sync":"a","began":"2026-11-22T02:00:00Z"}` + "\n" + `{"sync":"a","began":"2026-11-22T02:00:00Z","exit":4}`))
	f.Add([]byte("{\n\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		unread := 0
		for _, e := range parseLog(nil, data, &unread) {
			if e.Began.IsZero() {
				t.Errorf("%+v", e)
			}
		}
	})
}
