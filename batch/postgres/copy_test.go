package postgres

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/journal"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

const service = "https://service.test/api"

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
			switch {
			case i%10 == 7 && n == 2:
				must(t, j.Append(journal.Record{
					Type: journal.Fail, Op: n, Code: "rejected", Status: 400, Error: "no ☕",
					Fields: []journal.FieldError{{Path: "name", Reason: `it is "taken"`}},
				}))
			case i%10 != 8 || n == 0:
				must(t, j.Append(journal.Record{Type: journal.OK, Op: n, EventID: fmt.Sprintf("evt-%d-%d", i, n)}))
			}
		}
		must(t, j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "done"}))
		must(t, j.Close())
	}
}

func TestRunsAreCopiedThereAndBack(t *testing.T) {
	const runs, early = 110, 10
	folder, back := folderPlace{dir: t.TempDir()}, folderPlace{dir: t.TempDir()}
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
	want := toldOf(t, from, runs)
	for _, way := range [][2]journal.Store{{from, there}, {there, back.Open()}} {
		done, err := journal.Copy(t.Context(), way[0], way[1], "sources")
		must(t, err)
		if done.Runs != runs-len(gone.Runs) {
			t.Errorf("copied %+v", done)
		}
		if diff := cmp.Diff(want, toldOf(t, way[1], runs)); diff != "" {
			t.Errorf("%s says otherwise: %s", way[1].Name(), diff)
		}
	}
}

// What was pruned has numbers too, which come before those of all runs.
func TestARunIsPlannedWhereAllWerePruned(t *testing.T) {
	folder, database := folderPlace{dir: t.TempDir()}, newPlace(t, pgtest.Database(t))
	past(t, folder.Open(), 0, 2)
	_, err := folder.Open().Prune(t.Context(), journal.Pruning{Keep: 0, Bodies: journal.Always})
	must(t, err)
	_, err = journal.Copy(t.Context(), folder.Open(), database.Open())
	must(t, err)
	past(t, database.Open(), 2, 1)
	run, err := database.Open().Find(journal.Latest)
	must(t, err)
	if number := run.Header().Number; number != 1 {
		t.Errorf("the next run has the number %d", number)
	}
}

func TestCopyGoesOnAndIsOfOneStore(t *testing.T) {
	database := newPlace(t, pgtest.Database(t))
	folder := folderPlace{dir: t.TempDir()}
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
	database.exec("update ops set line = set_byte(line, 30, get_byte(line, 30) # 1) where run = $1 and n = 0", run.ID())
	if _, err = journal.Copy(t.Context(), from, there); err == nil {
		t.Fatal("damage is not noticed")
	}
	database.exec("delete from runs where id = $1", run.ID())
	past(t, there, 9, 1)
	copied(0, failure.Usage) // a run that the folder does not have
}

// shared makes a number of runs that two processes carry in shares. Some change their owners
// meanwhile, or come to their end with somebody who has the whole of them, and some have not.
func shared(t *testing.T, store journal.Shared, first, runs int) {
	t.Helper()
	target := plan.Target{BaseURL: service, Calendars: map[string]string{"cal-1": "00112233", "cal-2": "00112233"}}
	for i := first; i < first+runs; i++ {
		draft, err := store.Draft(time.Date(2026, 1, 2, 0, i, 0, 0, time.UTC))
		must(t, err)
		calendar := func(n int) string { return fmt.Sprint("cal-", 1+n%2) }
		for n := range 4 {
			must(t, draft.Add(&plan.Op{
				N: n, Action: plan.Create, Operation: "events/create", Hash: fmt.Sprint("hash-", i),
				Event:   plan.Event{Calendar: calendar(n), Key: fmt.Sprintf("key-%d-%d", i, n)},
				Payload: plan.Payload{Cells: []string{"Tea"}, Body: []byte(`{"name":"Tea"}`)},
			}))
		}
		h := plan.Header{Command: "import", Identity: fmt.Sprint("file-", i), Target: target}
		h.Source = "members"
		run, err := draft.Seal(h, nil)
		must(t, err)
		write := func(j journal.Journal, typ journal.Type, ops ...int) {
			t.Helper()
			for _, n := range ops {
				r := journal.Record{Type: typ, Op: n}
				switch typ {
				case journal.Intent:
					r.Operation, r.Hash = "events/create", fmt.Sprint("hash-", i)
					r.Key = journal.KeyHash(calendar(n), fmt.Sprintf("key-%d-%d", i, n))
				case journal.OK, journal.Resolved:
					r.EventID = fmt.Sprintf("evt-%d-%d", i, n)
				}
				must(t, j.Append(r))
			}
		}
		carry := func(owner string, calendars []string, write func(j journal.Journal)) {
			t.Helper()
			lease, err := store.Lease(owner)
			must(t, err)
			share, err := lease.Share(calendars).Find(run.ID())
			must(t, err)
			j, _, err := share.Attach(journal.Attachment{Target: share.Header().Target})
			must(t, err)
			write(j)
			must(t, j.Close())
			must(t, lease.Release(nil))
		}
		end := func(j journal.Journal, code string) {
			t.Helper()
			end := journal.Record{Type: journal.End, Code: code, Requests: journal.Made{Sent: 2, Reads: 1}}
			must(t, j.Commit(t.Context(), end))
		}
		carry("two", []string{"cal-2"}, func(j journal.Journal) {
			write(j, journal.Intent, 1, 3)
			if i%4 == 0 {
				return // it is killed
			}
			write(j, journal.OK, 1, 3)
			end(j, "done")
		})
		carry("one", []string{"cal-1"}, func(j journal.Journal) {
			write(j, journal.Intent, 0, 2)
			write(j, journal.OK, 0)
			write(j, journal.Fail, 2)
			end(j, map[bool]string{true: "interrupted", false: "done"}[i%4 == 1])
		})
		switch i % 8 {
		case 0: // by the key of their organization
			carry("all", []string{"cal-1", "cal-2"}, func(j journal.Journal) {
				write(j, journal.Resolved, 1, 3)
				end(j, "done")
			})
		case 4:
			j, _, err := run.Attach(journal.Attachment{Target: target, Turn: 1})
			must(t, err)
			write(j, journal.Resolved, 1)
			end(j, "too-many-errors")
			must(t, j.Close())
		}
	}
}

func TestRunsThatWereCarriedInSharesAreCopiedThereAndBack(t *testing.T) {
	const runs = 24
	address := pgtest.Database(t)
	at := newPlace(t, address)
	from := at.Open().(journal.Shared)
	must(t, from.Keep("sources", "members", []byte("what they are for\n")))
	shared(t, from, 0, 8)
	gone, err := from.Prune(t.Context(), journal.Pruning{Keep: 0, Bodies: journal.Always})
	must(t, err)
	shared(t, from, 8, runs-8)
	if len(gone.Runs) == 0 {
		t.Fatal("nothing was pruned")
	}
	want := toldOf(t, from, runs)
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(id string) bool { return id == "memory" || id == "source" })
	copied := func(from, to journal.Store) {
		t.Helper()
		for n := range 2 {
			done, err := journal.Copy(t.Context(), from, to, "sources")
			must(t, err)
			if done.Runs != len(ids) || done.New != len(ids)*(1-n) {
				t.Errorf("copied %+v", done)
			}
		}
		if diff := cmp.Diff(want, toldOf(t, to, runs)); diff != "" {
			t.Errorf("%s says otherwise: %s", to.Name(), diff)
		}
	}
	one, two := folderPlace{dir: t.TempDir()}, folderPlace{dir: t.TempDir()}
	copied(from, one.Open())
	at.close()
	there := newPlace(t, address).Open().(journal.Shared) // another database in its place
	copied(one.Open(), there)
	copied(there, two.Open())

	// What was left open goes on there in shares, and nothing of it is lost.
	for _, id := range ids {
		run, err := there.Find(id)
		must(t, err)
		state, err := run.State()
		must(t, err)
		if state.Tally().Open() == 0 {
			continue
		}
		lease, err := there.Lease("all")
		must(t, err)
		share, err := lease.Share([]string{"cal-1", "cal-2"}).Find(id)
		must(t, err)
		j, before, err := share.Attach(journal.Attachment{Target: share.Header().Target})
		must(t, err)
		if before.Tally() != state.Tally() {
			t.Errorf("a share goes on from %v, of %s", before.Tally(), want[id])
		}
		must(t, j.Append(journal.Record{Type: journal.Resolved, Op: 3, EventID: "evt-late"}))
		_, err = journal.Copy(t.Context(), there, two.Open())
		if _, held := errors.AsType[*journal.LockedError](err); !held || !strings.Contains(err.Error(), "is under way") {
			t.Errorf("a share is being carried: %v", err)
		}
		must(t, j.Close())
		must(t, lease.Release(nil))
		if state, err = run.State(); err != nil || state.Op(3).EventID != "evt-late" {
			t.Errorf("it comes to %+v, %v", state.Op(3), err)
		}
		if _, err = journal.Copy(t.Context(), there, two.Open()); !errors.Is(err, failure.Stale) {
			t.Errorf("it has gone on: %v", err)
		}
		return
	}
	t.Error("no run was open")
}

// The journal of a run is lost before it was ever taken up, as its results tell: what it may have made is looked for in
// a copy, too.
func TestACopyOwesWhatARunWithoutAJournalDoes(t *testing.T) {
	folder, database := folderPlace{dir: t.TempDir()}, newPlace(t, pgtest.Database(t))
	draft, err := folder.Open().Draft(time.Time{})
	must(t, err)
	must(t, draft.Add(&plan.Op{
		N: 0, Action: plan.Create, Operation: "events/create", Event: plan.Event{Calendar: "cal-1", Key: "key-1"},
	}))
	run, err := draft.Seal(plan.Header{Target: target, Options: plan.Options{Slug: "keep"}}, nil)
	must(t, err)
	must(t, os.WriteFile(run.Files().Results, nil, 0o600))
	_, err = journal.Copy(t.Context(), folder.Open(), database.Open())
	must(t, err)
	for _, store := range []journal.Store{folder.Open(), database.Open()} {
		m, err := store.Memory(target.BaseURL)
		must(t, err)
		if known, ok := m.Recall("cal-1", "key-1"); !ok || !known.Owed {
			t.Errorf("%s knows of a create that may have been sent as %+v", store.Name(), known)
		}
		must(t, errors.Join(m.Err(), m.Close()))
	}
}
