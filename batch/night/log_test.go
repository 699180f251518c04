package night

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
)

func syncFolder(t *testing.T) (texts Folders, folder string) {
	t.Helper()
	texts = Folders{t.TempDir()}
	folder = texts.Of("members")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return texts, folder
}

// kept is a database as a map.
type kept map[string][]byte

func (k kept) Name() string { return "postgres://here" }

func (k kept) Kept(kind, name string) ([]byte, error) {
	if text, there := k[kind+" "+name]; there {
		return text, nil
	}
	return nil, fs.ErrNotExist
}

func (k kept) Keep(kind, name string, text []byte) error {
	k[kind+" "+name] = text
	return nil
}

func (k kept) Change(kind, name string, change func(text []byte) []byte) error {
	text := change(k[kind+" "+name])
	if text == nil {
		delete(k, kind+" "+name)
		return nil
	}
	return k.Keep(kind, name, text)
}

func (k kept) Names(kind string) (names []string, err error) {
	for key := range k {
		if name, of := strings.CutPrefix(key, kind+" "); of {
			names = append(names, name)
		}
	}
	return names, nil
}

// everywhere runs a test with each kind of store.
func everywhere(t *testing.T, test func(t *testing.T, texts Store)) {
	t.Run("in folders", func(t *testing.T) {
		texts, _ := syncFolder(t)
		test(t, texts)
	})
	t.Run("in a database", func(t *testing.T) { test(t, InDatabase(kept{"keys https://x": nil})) })
}

func log(t *testing.T, texts Store, e Entry) {
	t.Helper()
	if err := Log(texts, "members", e); err != nil {
		t.Fatal(err)
	}
}

func TestNightIsLoggedWithItsBeginningAndItsEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, texts Store) {
		begin := time.Date(2026, 10, 31, 23, 59, 59, 5, time.UTC)
		first := Entry{Sync: "members", Source: "members", Began: begin}
		log(t, texts, first)
		first.Ended, first.Run, first.Told = begin.Add(time.Minute), "20261031-x", []string{"ops@example.org"}
		first.Ending = Ending{Exit: finding.Exit{Code: 3, Reason: "partial", Error: "2 rows failed"}, State: "failed"}
		first.Work = Work{Rows: Counts{finding.Read: 3, finding.Failed: 2}, Requests: journal.Made{Sent: 5, Reads: 2, Throttled: 1}}
		log(t, texts, first)
		second := Entry{Sync: "members", Source: "members", Began: begin.Add(24 * time.Hour)} // and then a kill
		log(t, texts, second)
		got, unread, err := Logged(texts, begin)
		if diff := cmp.Diff([]Entry{first, second}, got); diff != "" || unread != 0 || err != nil {
			t.Errorf("%d lines unread, %v\n%s", unread, err, diff)
		}
		if got, _, err := Logged(texts, begin.Add(time.Second)); len(got) != 1 || err != nil {
			t.Errorf("%v, %v", got, err)
		}
		if got, _, err := Logged(Folders{t.TempDir()}, begin); len(got) != 0 || err != nil {
			t.Errorf("of no workspace: %v, %v", got, err)
		}
	})
}

func TestTornLineCostsNoOther(t *testing.T) {
	texts, folder := syncFolder(t)
	begin := time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)
	night := Entry{Sync: "members", Began: begin, Ended: begin.Add(time.Second), Ending: Ending{Exit: finding.Exit{Reason: "done"}}}
	log(t, texts, night)
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
	log(t, texts, next)
	got, unread, err := Logged(texts, time.Time{})
	if diff := cmp.Diff([]Entry{night, next}, got); diff != "" || unread != 1 || err != nil {
		t.Errorf("%d lines unread, %v\n%s", unread, err, diff)
	}
}

func TestLogIsKeptForSomeMoreThanAYear(t *testing.T) {
	everywhere(t, func(t *testing.T, texts Store) {
		begin := time.Date(2026, 1, 15, 2, 0, 0, 0, time.UTC)
		for range 800 {
			log(t, texts, Entry{Sync: "members", Began: begin})
			begin = begin.AddDate(0, 0, 1)
		}
		for _, name := range []string{"memory.json", "nights-2026-13.jsonl"} {
			if err := texts.Replace("members", name, []byte{}); err != nil {
				t.Fatal(err)
			}
		}
		got, _, err := Logged(texts, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(got); n < 400 || n > 462 || !got[n-1].Began.Equal(begin.AddDate(0, 0, -1)) {
			t.Errorf("%d nights are kept", n)
		}
		if names, err := texts.Names("members"); err != nil || len(names) > 17 {
			t.Errorf("%q, %v", names, err)
		}
	})
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

func TestTheFirstVersionHadExitAndRequestsAsNumbers(t *testing.T) {
	texts, folder := syncFolder(t)
	text := `{"sync":"members","source":"members","began":"2026-11-01T02:00:00Z","ended":"2026-11-01T02:00:01Z","exit":3,` +
		`"reason":"partial","state":"failed","error":"1 row failed","hint":"look","rows":{"read":2,"failed":1},"requests":7,"throttled":1}`
	if err := os.WriteFile(filepath.Join(folder, "nights-2026-11.jsonl"), []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nights, unread, err := Logged(texts, time.Time{})
	if err != nil || unread != 0 || len(nights) != 1 {
		t.Fatal(nights, unread, err)
	}
	want := Entry{
		Sync: "members", Source: "members", Began: time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC),
		Ended:  time.Date(2026, 11, 1, 2, 0, 1, 0, time.UTC),
		Ending: Ending{Exit: finding.Exit{Code: 3, Reason: "partial", Error: "1 row failed", Hint: "look"}, State: "failed"},
		Work:   Work{Rows: Counts{finding.Read: 2, finding.Failed: 1}, Requests: journal.Made{Sent: 7, Throttled: 1}},
	}
	if diff := cmp.Diff(want, nights[0]); diff != "" {
		t.Error(diff)
	}
}
