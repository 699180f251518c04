package main

import (
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/pgtest"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// What the topic has to ask in SQL says what show does, to a user who may do nothing else.
func TestExampleAsksInSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("it has processes of two machines")
	}
	t.Parallel()
	f := newFleet(t, 2, sandbox.Config{Limits: sandbox.Limits{Calendar: 100, Window: time.Second}})
	f.service.rejections = map[string][]string{"Session row 2": {"name: it is refused"}, "Session row 5": {"name: it is refused"}}
	stuck, free := atomic.Bool{}, make(chan struct{})
	defer close(free)
	f.service.asked = func(r *http.Request) {
		if r.Method == http.MethodPost && stuck.Load() {
			<-free
		}
	}
	database := pgtest.Database(t)
	f.home.env = append(f.home.env, "EVENTBATCH_STORE="+database)
	f.home.must(t, 0, "store", "migrate")
	p := newProgramme("row", 8, f.calendars...)
	f.home.write(t, "rows.csv", p.text.String())
	f.home.must(t, exitPartial, "import", "rows.csv", "--yes")

	owner := strings.Replace(database, "plain@", "postgres@", 1)
	pgtest.Exec(t, owner, "drop role if exists dashboard")
	pgtest.Exec(t, owner, "create role dashboard login")
	t.Cleanup(func() { pgtest.Exec(t, owner, "drop owned by dashboard; drop role dashboard") })
	blocks := fenced(textOf(t, "templates/topics/sql.md"), "sql")
	if len(blocks) != 2 {
		t.Fatalf("the topic has %d blocks of SQL", len(blocks))
	}
	pgtest.Exec(t, database, blocks[1].text)
	conn, err := pgx.Connect(t.Context(), strings.Replace(database, "plain@", "dashboard@", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	ask := func(sql string) (list []map[string]any) {
		t.Helper()
		rows, err := conn.Query(t.Context(), sql)
		if err == nil {
			list, err = pgx.CollectRows(rows, pgx.RowToMap)
		}
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return list
	}
	statements := strings.Split(strings.TrimSuffix(strings.TrimSpace(blocks[0].text), ";"), ";")
	if len(statements) != 4 {
		t.Fatalf("the topic has %d statements", len(statements))
	}

	shown := f.home.show(t, "latest")
	counted := map[string]int{}
	for _, row := range ask(statements[0]) {
		counted[row["status"].(string)] = int(row["count"].(int64))
	}
	if diff := difference(t, map[string]int{"done": shown.Rows[found.Created], "failed": shown.Rows[found.Failed]}, counted); diff != "" {
		t.Error(diff)
	}
	for _, step := range ask("explain " + statements[0]) {
		if strings.Contains(step["QUERY PLAN"].(string), "on ops") {
			t.Errorf("to count it reads plans: %v", step)
		}
	}
	list := ask(statements[1])
	if len(list) != 1 || list[0]["count"] != int64(2) || !strings.Contains(list[0]["min"].(string), "it is refused") {
		t.Errorf("what has failed: %v", list)
	}
	lines := ask("select * from eventbatch.rows order by n")
	if len(lines) != len(shown.Lines) {
		t.Fatalf("%d rows of %d", len(lines), len(shown.Lines))
	}
	for i, line := range lines {
		want := &shown.Lines[i]
		told, _ := line["error"].(string)
		if line["file"] != want.File || line["row"] != int32(want.Row) || line["key"] != want.Key ||
			line["operation"] != "events/create" || (line["event"] == nil) != (want.EventID == "") || line["sheet"] != nil ||
			told != want.Error || !line["at"].(time.Time).Equal(*want.At) {
			t.Errorf("%v, and shown as %+v", line, want)
		}
	}

	// One share waits for a key, and a worker has the other one in its hands.
	machine := f.machine(t)
	text, err := os.ReadFile(machine.path("eventbatch.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	machine.write(t, "eventbatch.yaml", strings.Replace(string(text), `"env:KEY_1"`, `"env:NO_KEY"`, 1))
	worker := machine.start(t, "worker", "--pace", "0")
	stuck.Store(true)
	f.home.write(t, "rows.csv", newProgramme("more", 10, f.calendars...).text.String())
	f.home.must(t, 0, "import", "rows.csv", "--yes", "--detach")
	worker.says(t, `why="no key`)
	shown = f.home.show(t, "latest")
	list = ask(statements[2])
	if len(list) != 1 || list[0]["run"] != shown.Run || list[0]["waiting"] != int32(5) ||
		!strings.Contains(shown.Workers, list[0]["waits"].(string)) {
		t.Errorf("what waits: %v, and shown as %q", list, shown.Workers)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, time.Minute, "the worker has a lease", func() bool { return len(ask(statements[3])) > 0 })
	list = ask(statements[3])
	has := list[0]
	if len(list) != 1 || has["run"] != shown.Run || has["pid"] != int32(worker.Process.Pid) || has["host"] != host ||
		time.Since(has["beat"].(time.Time)) > 30*time.Second || time.Since(has["taken"].(time.Time)) > time.Minute {
		t.Errorf("who holds what: %v", list)
	}
}
