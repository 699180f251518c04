package postgres

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

const service = "https://service.test/api"

var target = plan.Target{BaseURL: service, Calendars: map[string]string{"cal-1": "00112233"}}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// past makes a number of runs: most have come to their end, some have not, and some were only
// planned.
func past(t *testing.T, store journal.Store, first, runs int) {
	t.Helper()
	for i := first; i < first+runs; i++ {
		draft, err := store.Draft(time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC))
		must(t, err)
		for n := range 3 {
			must(t, draft.Add(&plan.Op{
				N: n, Action: plan.Create, Operation: "events/create", Hash: fmt.Sprint("hash-", i),
				Event:   plan.Event{Calendar: "cal-1", Key: fmt.Sprintf("key-%d-%d", i, n)},
				Payload: plan.Payload{Cells: []string{"Tea <&> ☕"}, Body: []byte(`{"name":"Tea"}`)},
			}))
		}
		h := plan.Header{Command: "import", Identity: fmt.Sprint("file-", i), Target: target}
		h.Source = "members"
		run, err := draft.Seal(h, nil)
		must(t, err)
		if i%10 == 9 {
			continue
		}
		j, _, err := run.Attach(journal.Attachment{Target: target, Turn: i + 1})
		must(t, err)
		for n := range 3 {
			key := journal.KeyHash("cal-1", fmt.Sprintf("key-%d-%d", i, n))
			hash := fmt.Sprint("hash-", i)
			must(t, j.Append(journal.Record{Type: journal.Intent, Op: n, Operation: "events/create", Key: key, Hash: hash}))
			if i%10 != 8 || n == 0 {
				must(t, j.Append(journal.Record{Type: journal.OK, Op: n, EventID: fmt.Sprintf("evt-%d-%d", i, n)}))
			}
		}
		must(t, j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "done"}))
		must(t, j.Close())
	}
}

// sums returns the sums of what lies in a workspace, but for locks, and for the moment at
// which rows were dropped: a database knows it in microseconds.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "lock" || d.Name() == "dropped" {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path) // it is below
		found[name] = fmt.Sprintf("%d bytes, %x", len(text), sha256.Sum256(text))
		return err
	}))
	return found
}

// remembered returns what a store knows of the keys of so many runs.
func remembered(t *testing.T, store journal.Store, runs int) map[string]string {
	t.Helper()
	said := map[string]string{}
	list, err := store.Runs()
	must(t, err)
	for i := range list {
		said[list[i].ID] = fmt.Sprint(list[i].Header.Number, list[i].Started, list[i].Ended, list[i].Tally, list[i].At, list[i].Err)
	}
	m, err := store.Memory(service)
	must(t, err)
	said["turn"] = fmt.Sprint(m.Turn())
	for i := range runs {
		key := fmt.Sprintf("key-%d-1", i)
		known, ok := m.Recall("cal-1", key)
		said[key] = fmt.Sprintf("%+v %v", known, ok)
	}
	must(t, errors.Join(m.Err(), m.Close()))
	kept, err := store.Kept("sources", "members")
	must(t, err)
	said["source"] = string(kept)
	return said
}

func TestRunsAreCopiedThereAndBack(t *testing.T) {
	const runs, early = 110, 10
	folder, back := files{dir: t.TempDir()}, files{dir: t.TempDir()}
	database := newPlace(t, pgtest.Database(t))
	from, there := folder.Open(), database.Open()
	past(t, from, 0, early)
	must(t, from.Keep("sources", "members", []byte("what they are for\n")))
	gone, err := from.Prune(t.Context(), journal.Pruning{Keep: 0, Bodies: journal.Always})
	must(t, err)
	past(t, from, early, 20)
	stripped, err := from.Prune(t.Context(), journal.Pruning{Keep: journal.Always, Bodies: 0})
	must(t, err)
	past(t, from, early+20, runs-early-20)
	if len(gone.Runs) == 0 || len(stripped.Bodies) == 0 {
		t.Fatalf("pruned %d runs and the rows of %d", len(gone.Runs), len(stripped.Bodies))
	}
	want, known := sums(t, folder.dir), remembered(t, from, runs)
	for _, way := range [][2]journal.Store{{from, there}, {there, back.Open()}} {
		done, err := journal.Copy(t.Context(), way[0], way[1], "sources")
		must(t, err)
		if done.Runs != runs-len(gone.Runs) {
			t.Errorf("copied %+v", done)
		}
		if diff := cmp.Diff(known, remembered(t, way[1], runs)); diff != "" {
			t.Errorf("%s remembers otherwise: %s", way[1].Name(), diff)
		}
	}
	if diff := cmp.Diff(want, sums(t, back.dir)); diff != "" {
		t.Error(diff)
	}
}

func TestCopyGoesOnAndIsOfOneStore(t *testing.T) {
	database := newPlace(t, pgtest.Database(t))
	folder := files{dir: t.TempDir()}
	from, there := folder.Open(), database.Open()
	past(t, from, 0, 5)
	copied := func(runs int, kind error) {
		t.Helper()
		done, err := journal.Copy(t.Context(), from, there)
		switch {
		case !errors.Is(err, kind):
			t.Fatalf("got %v, want %v", err, kind)
		case err == nil && done.New != runs:
			t.Fatalf("copied %d runs, not %d", done.New, runs)
		}
	}
	copied(5, nil)
	list, err := there.Runs()
	must(t, err)
	database.exec("delete from runs where id = any ($1)", []string{list[1].ID, list[4].ID})
	copied(2, nil) // what an interruption kept from being copied

	run, err := from.Find("latest")
	must(t, err)
	j, _, err := run.Attach(journal.Attachment{Target: target, Turn: 9})
	must(t, err)
	_, err = journal.Copy(t.Context(), from, there)
	if _, held := errors.AsType[*journal.LockedError](err); !held {
		t.Fatalf("a run under way: %v", err)
	}
	must(t, j.Close())
	copied(0, failure.Stale) // it has gone on
	database.exec("delete from runs where id = $1", run.ID())
	copied(1, nil)
	database.exec("update journal set lines = set_byte(lines, 30, get_byte(lines, 30) # 1) where run = $1 and n = 0", run.ID())
	if _, err = journal.Copy(t.Context(), from, there); err == nil {
		t.Fatal("damage is not noticed")
	}
	database.exec("delete from runs where id = $1", run.ID())
	past(t, there, 9, 1)
	copied(0, failure.Usage) // a run that the folder does not have
}

// counting counts how often the memory of keys was brought from a database.
type counting struct {
	journal.Database

	brought int
}

func (c *counting) KeptSince(kind, name, word string) (text []byte, now string, err error) {
	if text, now, err = c.Database.KeptSince(kind, name, word); text != nil {
		c.brought++
	}
	return text, now, err
}

func TestTheMemoryOfKeysIsBroughtOnce(t *testing.T) {
	database := newPlace(t, pgtest.Database(t))
	other := database.Open()
	past(t, other, 0, 3)
	pruned := func() {
		t.Helper()
		_, err := other.Prune(t.Context(), journal.Pruning{Keep: 0, Bodies: journal.Always})
		must(t, err)
	}
	pruned()
	c := &counting{Database: database.open[0]}
	local, err := journal.OpenWorkspace(t.TempDir())
	must(t, err)
	store := journal.OpenShared(c, local)
	remembers := func(want int, keys ...string) {
		t.Helper()
		for range 3 {
			m, err := store.Memory(service)
			must(t, err)
			for _, key := range keys {
				if known, ok := m.Recall("cal-1", key); !ok || known.EventID == "" {
					t.Errorf("of %s it knows %+v", key, known)
				}
			}
			must(t, errors.Join(m.Err(), m.Close()))
		}
		if c.brought != want {
			t.Errorf("it was brought %d times, want %d", c.brought, want)
		}
	}
	remembers(1, "key-0-1")
	past(t, other, 3, 3)
	pruned()
	remembers(2, "key-0-1", "key-3-1")
}

func TestARunThatWasCarriedInSharesIsNotCopied(t *testing.T) {
	s := newPlace(t, pgtest.Database(t)).Open().(*journal.Shared)
	past(t, s, 9, 1) // it is only planned
	run, err := s.Find("latest")
	must(t, err)
	lease, err := s.Lease("one")
	must(t, err)
	share, err := lease.Share([]string{"cal-1"}).Find(run.ID())
	must(t, err)
	j, _, err := share.Attach(journal.Attachment{Target: target})
	must(t, err)
	must(t, j.Close())
	if _, err := journal.Copy(t.Context(), s, files{dir: t.TempDir()}.Open()); !errors.Is(err, failure.Usage) {
		t.Errorf("it is: %v", err)
	}
}
