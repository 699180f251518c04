package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// ofLines makes a store as it was when what became of ops was in lines: testdata/lines.sql is what version 4 had stored,
// and lines.json what that version said of it.
func ofLines(t *testing.T) (p *place) {
	t.Helper()
	p = &place{t: t, address: pgtest.Database(t), workspace: t.TempDir()}
	t.Cleanup(p.close)
	var sql strings.Builder
	sql.WriteString("create schema eventbatch; set search_path = eventbatch; " +
		"create table versions (n integer primary key, at timestamptz not null default now()); " +
		"insert into versions values (1), (2), (3), (4);")
	list, err := steps()
	must(t, err)
	for _, name := range list[:4] {
		text, err := migrations.ReadFile("migrations/" + name)
		must(t, err)
		sql.WriteString(string(text))
	}
	text, err := os.ReadFile("testdata/lines.sql")
	must(t, err)
	pgtest.Exec(t, p.address, sql.String()+"delete from turns;"+string(text))
	return p
}

func migrated(t *testing.T, p *place) *Store {
	t.Helper()
	if from, to, err := Migrate(t.Context(), told(t, p.address)); err != nil || from != 4 || to <= from {
		t.Fatalf("migrated from %d to %d: %v", from, to, err)
	}
	return p.Open().(*Store)
}

// toldOf returns what a store says of its runs and of the keys of so many, as lines.json has it.
func toldOf(t *testing.T, store journal.Store, runs int) map[string][]string {
	t.Helper()
	told := map[string][]string{}
	list, err := store.Runs()
	must(t, err)
	for i := range list {
		run, err := store.Find(list[i].ID)
		must(t, err)
		state, err := run.State()
		must(t, err)
		sendings, err := run.Sendings()
		must(t, err)
		checksum, _ := run.Checksum() // the rows of one were dropped
		lines := []string{
			fmt.Sprint("run ", run.Header().Number, " ", checksum, " ", state.Started, " ", state.Attached, " ", state.Ended, " ",
				state.At.UnixMilli(), " ", state.Undone, " ", state.Requests, " ", state.Tally()),
			fmt.Sprint("list ", list[i].Started, " ", list[i].Ended, " ", list[i].At.UnixMilli(), " ", list[i].Tally),
		}
		for _, s := range sendings {
			lines = append(lines, fmt.Sprint("sent ", s.Op, " ", s.At.UnixMilli()))
		}
		for n := range state.Ops {
			op, why := state.Op(n), ""
			if op.Why != nil {
				why = fmt.Sprintf("%+v", *op.Why)
			}
			lines = append(lines, fmt.Sprint("op ", n, " ", op.Status, " ", op.EventID, " ", op.Operation(), " ", op.Attempts, " ",
				op.HTTP, " ", op.At().UnixMilli(), " ", why))
		}
		told[list[i].ID] = lines
	}
	m, err := store.Memory(service)
	must(t, err)
	lines := []string{fmt.Sprint("turn ", m.Turn())}
	say := func(of string, k plan.Known) {
		lines = append(lines, fmt.Sprintln(of, k.EventID, k.Hash, k.Run, k.Cancelled, k.Gone, k.Owed, k.Undone, k.Source))
	}
	for i := range runs {
		for n := range 12 {
			for _, calendar := range []string{"cal-1", "cal-2"} {
				key := fmt.Sprintf("key-%d-%d", i, n)
				if k, ok := m.Recall(calendar, key); ok {
					say(calendar+" "+key, k)
				}
			}
			if k, ok := m.Event(fmt.Sprintf("evt-%d-%d", i, n)); ok {
				say("event", k)
			}
		}
	}
	must(t, errors.Join(m.Err(), m.Close()))
	told["memory"] = lines
	kept, err := store.Kept("sources", "members")
	must(t, err)
	told["source"] = []string{string(kept)}
	return told
}

// keptRun returns the run of creates that only a list can find, one of which was to be sent again.
func keptRun(t *testing.T, store *Store) *journal.Run {
	t.Helper()
	run, err := store.Find("20260101-0024")
	must(t, err)
	return run
}

func TestLinesBecomeRows(t *testing.T) {
	text, err := os.ReadFile("testdata/lines.json")
	must(t, err)
	var want map[string][]string
	must(t, json.Unmarshal(text, &want))
	store := migrated(t, ofLines(t))
	kept := want[keptRun(t, store).ID()]
	for i := range kept { // it is in another database now
		kept[i] = strings.Replace(kept[i], "[2 0 1", "[0 0 1", 1)
		kept[i] = strings.Replace(kept[i], " 0 0 0 0 0]", " 0 2 0 0 0]", 1)
		if strings.HasPrefix(kept[i], "op 1") || strings.HasPrefix(kept[i], "op 2") {
			kept[i] = strings.Replace(kept[i], "pending", "in_doubt", 1) + "{Code:lost Error: Fields:[]}"
			kept[i] = strings.Replace(kept[i], "  0 0", " events/create 0 0", 1)
		}
	}
	for range 2 { // the first reader notes which runs are settled
		if diff := cmp.Diff(want, toldOf(t, store, 24)); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestRunsOfLinesGoOnInRows(t *testing.T) {
	p := ofLines(t)
	store := migrated(t, p)
	run, err := store.Find("20260101-0021")
	must(t, err)
	j, state, err := run.Attach(journal.Attachment{Target: run.Header().Target})
	must(t, err)
	if tally := state.Tally(); tally[journal.Sent] != 2 || tally[journal.InDoubt] != 1 || tally[journal.Pending] != 2 {
		t.Errorf("it goes on from %v", tally)
	}
	for _, n := range []int{1, 8, 9} {
		must(t, j.Append(journal.Record{Type: journal.Resolved, Op: n, EventID: fmt.Sprint("evt-21-", n)}))
	}
	must(t, j.Append(journal.Record{Type: journal.Skip, Op: 10, EventID: "evt-21-10"}))
	must(t, j.Append(journal.Record{Type: journal.Skip, Op: 11, EventID: "evt-21-11"}))
	must(t, j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "done"}))
	must(t, j.Close())

	lease, err := store.Lease("two")
	must(t, err)
	if lease.Epoch != 4 {
		t.Errorf("the lease is of epoch %d", lease.Epoch)
	}
	share, err := lease.Share([]string{"cal-2"}).Find("20260102-0012")
	must(t, err)
	j, state, err = share.Attach(journal.Attachment{Target: share.Header().Target})
	must(t, err)
	if state.Op(3).Status != journal.Sent || state.Op(0) != nil {
		t.Errorf("a share goes on from %+v", state.Op(3))
	}
	must(t, j.Append(journal.Record{Type: journal.Resolved, Op: 3, EventID: "evt-12-3"}))
	must(t, j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "done"}))
	must(t, j.Close())
	must(t, lease.Release(nil))

	m, err := store.Memory(service)
	must(t, err)
	for key, event := range map[string]string{"cal-1 key-21-1": "evt-21-1", "cal-1 key-21-9": "evt-21-9", "cal-2 key-12-3": "evt-12-3"} {
		calendar, key, _ := strings.Cut(key, " ")
		if k, _ := m.Recall(calendar, key); k.EventID != event || k.Owed || k.Source == "" {
			t.Errorf("of %s it knows %+v", key, k)
		}
	}
	must(t, errors.Join(m.Err(), m.Close()))

	handed, err := store.Find("20260101-0023")
	must(t, err)
	if held, err := handed.Held(); err != nil || !held {
		t.Errorf("a run that waits for workers is not held: %v", err)
	}
	p.exec("delete from shares")
	folder := folderPlace{dir: t.TempDir()}.Open()
	done, err := journal.Copy(t.Context(), store, folder, "sources")
	must(t, err)
	want := toldOf(t, store, 24)
	if done.New != len(want)-2 {
		t.Errorf("copied %+v", done)
	}
	if diff := cmp.Diff(want, toldOf(t, folder, 24)); diff != "" {
		t.Errorf("the folder says otherwise: %s", diff)
	}
}

func TestCreatesOfAChainThatHasLostItsEndAreInDoubt(t *testing.T) {
	p := ofLines(t)
	p.exec("delete from journal j where run like '20260101-0024%' and n = (select max(n) from journal where run = j.run)")
	run := keptRun(t, migrated(t, p))
	statuses, err := collect(p.process(), pgx.RowTo[string], "select status::text from outcomes where run = $1 order by n", run.ID())
	must(t, err)
	if diff := cmp.Diff([]string{"d", "s", "?"}, statuses); diff != "" {
		t.Error(diff)
	}
}

func TestLinesThatCannotBeReadStay(t *testing.T) {
	for name, spoil := range map[string]string{
		"journal":    "update journal set lines = set_byte(lines, 30, get_byte(lines, 30) # 1) where run like '20260101-0021%' and n = 0",
		"plan":       "update ops set line = set_byte(line, 30, get_byte(line, 30) # 1) where run like '20260101-0021%' and n = 2",
		"keys":       "delete from kept where kind = 'keys'",
		"keys' bits": "update kept set text = set_byte(text, 30, get_byte(text, 30) # 1) where kind = 'keys'",
	} {
		t.Run(name, func(t *testing.T) {
			p := ofLines(t)
			p.exec(spoil)
			if _, to, err := Migrate(t.Context(), told(t, p.address)); !errors.Is(err, failure.Disk) || to != 4 {
				t.Errorf("migrated to %d: %v", to, err)
			}
			p.exec("select from chains")
		})
	}
}

func TestLinesThatAreWrittenMeanwhileBecomeRows(t *testing.T) {
	p := ofLines(t)
	conn, err := pgx.Connect(t.Context(), p.address+"&search_path=eventbatch")
	must(t, err)
	defer conn.Close(t.Context())
	exec := func(sql string) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
	// An earlier version stores a line: more is counted than is there.
	exec("begin")
	exec("update chains set records = records + 1 where run like '20260101-0024%'")
	done := make(chan error)
	go func() {
		_, _, err := Migrate(t.Context(), told(t, p.address))
		done <- err
	}()
	const waiting = "select exists (select from pg_locks where not granted and mode = 'AccessExclusiveLock')"
	for waits := false; !waits; {
		must(t, conn.QueryRow(t.Context(), waiting).Scan(&waits))
	}
	exec("insert into journal (run, owner, n, lines) select id, 'somebody', 0, '' from runs where id like '20260101-0024%'")
	exec("commit")
	must(t, <-done)
	var doubts int
	must(t, conn.QueryRow(t.Context(), "select count(*) from outcomes where run like '20260101-0024%' and status = '?'").Scan(&doubts))
	if doubts != 2 {
		t.Errorf("%d creates are in doubt", doubts)
	}
}
