package postgres

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/plan"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// twoOf returns two processes of a store in which there is a run of five creates.
func twoOf(t *testing.T) (p *place, a, b *Store, run string) {
	t.Helper()
	p = newPlace(t, pgtest.Database(t))
	a, b = p.Open().(*Store), p.Open().(*Store)
	draft, err := a.Draft(time.Time{})
	for n := range 5 {
		err = errors.Join(err, draft.Add(&plan.Op{
			N: n, Action: plan.Create, Operation: "events/create",
			Event: plan.Event{Calendar: "cal-1", Key: fmt.Sprint("key-", n), Slug: fmt.Sprint("a-", n)},
		}))
	}
	if err != nil {
		t.Fatal(err)
	}
	made, err := draft.Seal(plan.Header{Command: "import", Target: target}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, a, b, made.ID()
}

var target = plan.Target{BaseURL: "https://service.test/api", Calendars: map[string]string{"cal-1": "00112233"}}

// take takes a run up; nil where another process has it.
func take(t *testing.T, s *Store, run string) journal.Journal {
	t.Helper()
	r, err := s.Find(run)
	if err != nil {
		t.Fatal(err)
	}
	j, _, err := r.Attach(journal.Attachment{Target: target})
	if _, locked := errors.AsType[*journal.LockedError](err); err != nil && !locked {
		t.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return j
}

func intent(n int) journal.Record {
	return journal.Record{Type: journal.Intent, Op: n, Operation: "events/create", Key: journal.KeyHash("cal-1", fmt.Sprint("key-", n))}
}

func isFenced(err error) bool {
	_, fenced := errors.AsType[*journal.FencedError](err)
	return fenced
}

// A process that the database has lost sight of may wake up at any time.
func TestWhoeverWasLostStoresNothingMore(t *testing.T) {
	p, a, b, run := twoOf(t)
	first := take(t, a, run)
	if err := errors.Join(first.Commit(t.Context(), intent(0)), first.Commit(t.Context(), journal.Record{Type: journal.Fail})); err != nil {
		t.Fatal(err)
	}
	if take(t, b, run) != nil {
		t.Fatal("two processes have the run")
	}
	p.exec("select pg_terminate_backend($1)", a.locks.PgConn().PID())
	var second journal.Journal
	for second == nil { // the server ends it in its own time
		second = take(t, b, run)
	}
	if err := first.Commit(t.Context(), intent(1)); !isFenced(err) {
		t.Errorf("a process that was lost goes on: %v", err)
	}
	err := errors.Join(second.Commit(t.Context(), intent(2)), second.Commit(t.Context(), journal.Record{Type: journal.Fail, Op: 2}))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := b.Failed(run); n != 2 || err != nil {
		t.Errorf("%d ops have failed, %v", n, err)
	}
	if err := first.Close(); !isFenced(err) {
		t.Errorf("it ends as if nothing had been: %v", err)
	}
	if held, err := a.Held(run); !held || err != nil {
		t.Errorf("who was lost has given the run of another up: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := a.Find(run)
	if err != nil {
		t.Fatal(err)
	}
	state, err := r.State()
	if tally := state.Tally(); err != nil || tally[journal.Failed] != 2 || tally[journal.Pending] != 3 || state.Attached != 2 {
		t.Errorf("%v, %v", tally, err)
	}
}

// What is under way when somebody takes over is stored before that one reads.
func TestASuccessorWaitsForWhatIsUnderWay(t *testing.T) {
	p, a, b, run := twoOf(t)
	take(t, a, run)
	conn, err := pgx.Connect(t.Context(), p.address+"&search_path=eventbatch")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "update attachments set failed = 1 where run = $1", run); err != nil {
		t.Fatal(err)
	}
	p.exec("select pg_terminate_backend($1)", a.locks.PgConn().PID())
	took := make(chan struct{})
	go func() {
		defer close(took)
		for take(t, b, run) == nil {
		}
	}()
	select {
	case <-took:
		t.Error("it did not wait")
	case <-time.After(200 * time.Millisecond):
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-took
}

func TestWhatCannotKeepThePromisesIsRefused(t *testing.T) {
	database := pgtest.Database(t)
	open := func(address string) error {
		d, err := Open(t.Context(), told(t, address))
		if err == nil {
			_ = d.Close()
		}
		return err
	}
	for _, tt := range []struct {
		name, address string
		before        func()
		kind          error
		want          string
	}{
		{"not made", database, nil, failure.Config, "there is no store in"},
		{"read only", database + "&default_transaction_read_only=on", nil, failure.Config, "can only be read"},
		{"no database", strings.Replace(database, "/test", "/none", 1), nil, failure.Config, "does not exist"},
		{"nobody there", "postgres://events@127.0.0.1:1/agency", nil, failure.Away, "refused"},
		{"not TLS", "postgres://events@db.example.invalid/agency", nil, failure.Config, "would be reached without TLS"},
		{"two schemas", database + "&search_path=a,b", nil, failure.Config, "no single name: \"a,b\""},
		{"a schema of the system", database + "&search_path=information_schema", nil, failure.Config, "of PostgreSQL's own"},
		{"another", database + "&search_path=pg_catalog", nil, failure.Config, "of PostgreSQL's own"},
		{"nobody of that name", strings.Replace(database, "plain@", "nobody@", 1), nil, failure.NoKey, `role "nobody" does not exist`},
		{"a schema that would be cut", database + "&search_path=" + strings.Repeat("a", 64), nil, failure.Config, "no single name"},
		{"a quoted schema", database + "&search_path=Agency", nil, failure.Config, "no single name: \"Agency\""},
		{"not let in", strings.Replace(database, "plain@", "guest@", 1), func() {
			pgtest.Exec(t, strings.Replace(database, "plain@", "postgres@", 1), "drop role if exists guest; create role guest login")
			pgtest.Exec(t, database, "create schema eventbatch")
		}, failure.NoKey, "may not look into schema eventbatch"},
		{"of a later version", database, func() {
			if _, _, err := Migrate(t.Context(), told(t, database)); err != nil {
				t.Fatal(err)
			}
			pgtest.Exec(t, database, "insert into eventbatch.versions (n) values (99)")
		}, failure.Config, "is of version 99, and this program knows"},
	} {
		if tt.before != nil {
			tt.before()
		}
		if err := open(tt.address); !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		} else if hint, _ := failure.HintOf(err); (tt.name == "nobody of that name") != strings.HasPrefix(hint, "the address names") {
			t.Errorf("%s: hint: %s", tt.name, hint)
		}
	}
}

func TestAPoolerKeepsAConnectionForASession(t *testing.T) {
	for _, mode := range []string{"session", "transaction", "statement"} {
		t.Run(mode, func(t *testing.T) {
			database := pgtest.Database(t)
			if _, _, err := Migrate(t.Context(), told(t, database)); err != nil {
				t.Fatal(err)
			}
			pooled := told(t, pgtest.Pooler(t, database, mode))
			d, err := Open(t.Context(), pooled)
			if mode != "session" {
				if !errors.Is(err, failure.Config) || !strings.Contains(err.Error(), "is behind a pooler") {
					t.Error(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			other, err := Open(t.Context(), pooled)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			unlock, err := d.lock(t.Context(), runsLock, alone)
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := other.take(t.Context(), runsLock, alone); ok || err != nil {
				t.Errorf("two processes have it: %v", err)
			}
			if err := unlock(); err != nil {
				t.Error(err)
			}
			if ok, err := other.take(t.Context(), runsLock, alone); !ok || err != nil {
				t.Errorf("nobody has it, and nobody can: %v", err)
			}
		})
	}
}

func TestAnAddressOnACommandLineHasNoPassword(t *testing.T) {
	for _, address := range []string{
		"postgres://events:secret@db.example.com/agency", "postgres://db.example.com/agency?password=secret", "mysql://x", "agency",
		"postgres://%zz", "postgres://db.example.com/agency?sslpassword=secret", "postgres://db.example.com/agency?SSLPassword=secret",
		"postgres://events%3Asecret@db.example.com/agency", "postgres://db.example.com/agency?a=b;password=secret",
		"postgres://db.example.com/agency?a=b#&password=secret", "postgres://db.example.com/agency?p%61ssword=secret",
		"postgres://events:12/secret@db.example.com/agency", "postgres://events:12?secret@db.example.com/agency",
		"postgres://db.example.com/agency#password=secret",
	} {
		if s, err := Told(address); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s became %v, %v", address, s, err)
		}
	}
	for _, address := range []string{
		"postgres://events@db.example.com/agency?passfile=/run/pass&sslkey=/run/key&application_name=a&search_path=b",
		"postgres:///a?host=/tmp",
	} {
		if _, err := Told(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A variable may hold the password, and it is no part of a name that errors tell.
func TestAPasswordIsNoPartOfAName(t *testing.T) {
	for _, address := range []string{
		"postgres://events%3Asecret@127.0.0.1:1/agency", "postgres://127.0.0.1:1/agency?user=events:secret",
		"user=events:secret host=127.0.0.1 port=1", "postgres://127.0.0.1:1/secret@127.0.0.1/agency",
		"postgres://events:sec%zzret@127.0.0.1:1/agency", "postgres://events:secret/@127.0.0.1:1/a",
		"postgres://events:pass@secret@db.example.com/agency", "postgres://events:p@secret@127.0.0.1:1,127.0.0.1:2/agency",
		"postgres://127.0.0.1:1/agency#password=secret",
	} {
		s, err := secret.NewPhrase(address)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), s)
		if hint, _ := failure.HintOf(err); !errors.Is(err, failure.Config) || strings.Contains(err.Error()+hint, "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A server across a network is verified, or somebody is told that it is not.
func TestAServerThatIsNotVerifiedIsDoubted(t *testing.T) {
	t.Setenv("PGSSLROOTCERT", "")
	for address, doubted := range map[string]bool{
		"postgres://db.example.com/a?sslmode=require":     true,
		"postgres://10.0.0.1,127.0.0.1/a?sslmode=require": true,
		"postgres://127.0.0.1,10.0.0.1/a?sslmode=require": true,
		"postgres://db.example.com/a?sslmode=verify-full": false,
		"postgres://localhost/a?sslmode=require":          false,
		"postgres://localhost/a":                          false,
		"postgres:///a?host=/tmp":                         false,
	} {
		config, _, err := parse(told(t, address), "")
		if err != nil {
			t.Errorf("%s: %v", address, err)
		} else if got := trusting(config.ConnConfig); got != doubted {
			t.Errorf("%s is doubted: %v", address, got)
		}
	}
}

// A dump is restored into the server that it is of, more often than not, and beneath processes that live on.
func TestTablesThatWereRestoredAreACopy(t *testing.T) {
	database := pgtest.Database(t)
	restore := func() {
		pgtest.Exec(t, database, "drop schema if exists eventbatch cascade")
		if _, _, err := Migrate(t.Context(), told(t, database)); err != nil {
			t.Fatal(err)
		}
	}
	restore()
	open := func() *DB {
		d, err := Open(t.Context(), told(t, database))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d
	}
	name := func(d *DB) string {
		home, err := d.home()
		if err != nil {
			t.Fatal(err)
		}
		return home.Host
	}
	d := open()
	was := name(d)
	var numbers string // which runs have on record
	err := d.one("select format('database cluster %s, tables %s', system_identifier, "+tables+") from pg_control_system()", nil, &numbers)
	if err != nil || was != numbers {
		t.Errorf("it is %q, not %q: %v", was, numbers, err)
	}
	if again := name(open()); again != was {
		t.Errorf("it is %s, and was %s", again, was)
	}
	if restore(); name(d) == was || name(open()) == was {
		t.Error("it is taken for what it was")
	}
}

func TestWhoeverLooksAtARunKeepsNobodyFromIt(t *testing.T) {
	_, a, b, run := twoOf(t)
	ended := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				if _, err := b.Held(run); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for range 200 {
		h, _, err := a.hold(run, nil)
		if h == nil || err != nil {
			t.Fatalf("it cannot be taken: %v", err)
		}
		if err := h.Release(); err != nil {
			t.Error(err)
		}
	}
	close(ended)
	looking.Wait()
	j := take(t, a, run)
	if held, err := b.Held(run); err != nil || !held {
		t.Errorf("it is seen as free: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if held, err := b.Held(run); err != nil || held {
		t.Errorf("it is seen as held: %v", err)
	}
}

// A share is read before it is taken up. Who has had the whole run may store something in between.
func TestAShareIsReadAnewWhereSomebodyHasStored(t *testing.T) {
	_, a, b, run := twoOf(t)
	lease, err := a.Lease("one")
	must(t, err)
	share, err := lease.Share([]string{"cal-1"}).Find(run)
	must(t, err)
	if state, err := share.State(); err != nil || state.Tally()[journal.Pending] != 5 {
		t.Fatalf("it begins with %v, %v", state.Tally(), err)
	}
	whole := take(t, b, run)
	must(t, whole.Commit(t.Context(), intent(0)))
	must(t, whole.Close())
	j, state, err := share.Attach(journal.Attachment{Target: target})
	must(t, err)
	if state.Op(0).Status != journal.Sent || state.Attached != 2 {
		t.Errorf("it goes on from %+v", state.Op(0))
	}
	if state, err := share.State(); err != nil || state.Attached != 2 {
		t.Errorf("it is at work, and read as %+v, %v", state, err)
	}
	must(t, j.Commit(t.Context(), intent(1)))
	if state, err := share.State(); err != nil || state.Op(1).Status != journal.Sent {
		t.Errorf("it is at work, and read as %+v, %v", state, err)
	}
	must(t, j.Close())
	must(t, lease.Release(nil))
}

// The backup is of the same epoch as the process.
func TestARecordThatWasRestoredIsNotGoneOnWith(t *testing.T) {
	p, a, _, run := twoOf(t)
	j := take(t, a, run)
	if err := j.Commit(t.Context(), intent(0)); err != nil {
		t.Fatal(err)
	}
	p.exec("update outcomes set status = 'p', attempts = 0")
	p.exec("update attachments set commits = commits - 1")
	if err := j.Commit(t.Context(), intent(1)); !isFenced(err) {
		t.Errorf("a process goes on in what was restored: %v", err)
	}
}

// What an administrator sets for a role shall not cost the locks, nor have a statement fail for another.
func TestSettingsOfARoleDoNoHarm(t *testing.T) {
	database := pgtest.Database(t)
	admin := strings.Replace(database, "plain@", "postgres@", 1) // whose own sessions are not meant
	if _, _, err := Migrate(t.Context(), told(t, database)); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"idle_session_timeout": "100", "default_transaction_isolation": "serializable", "statement_timeout": "500",
		"lock_timeout": "1", "standard_conforming_strings": "off", "datestyle": "'SQL, DMY'", "intervalstyle": "sql_standard",
		"timezone": "'Pacific/Chatham'", "bytea_output": "escape", "search_path": "public",
	} {
		pgtest.Exec(t, admin, "alter role plain set "+name+" = "+value)
		t.Cleanup(func() { pgtest.Exec(t, admin, "alter role plain reset "+name) })
	}
	a, err := Open(t.Context(), told(t, database))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	lease, _, _, err := a.lease("cal-1")
	if err != nil {
		t.Fatal(err)
	}
	watch, err := pgx.Connect(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close(t.Context())
	pgtest.Eventually(t, func() bool { // or the server has ended a session, and they are fewer
		var idle int
		err := watch.QueryRow(t.Context(), "select count(*) from pg_stat_activity where usename = 'plain' "+
			"and datname = current_database() and state = 'idle' and state_change < now() - interval '300 ms'").Scan(&idle)
		return err == nil && idle > 0
	})
	b, err := Open(t.Context(), told(t, database))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if had, _, _, err := b.lease("cal-1"); err != nil || had != nil {
		t.Errorf("a lease was lost in idle time: %v, %v", had, err)
	}
	var isolation string
	if err := a.one("show transaction isolation level", nil, &isolation); err != nil || isolation != "read committed" {
		t.Errorf("transactions are %s, %v", isolation, err)
	}
	if err := lease.Release([]byte{0, 255}); err != nil {
		t.Error(err)
	}
	_, left, _, err := b.lease("cal-1")
	if err != nil || !left.Released || left.Ago > time.Minute || string(left.Slots) != "\x00\xff" {
		t.Errorf("%+v, %v", left, err)
	}
}

func TestACommitWaitsForTheDisk(t *testing.T) {
	database := pgtest.Database(t)
	if _, _, err := Migrate(t.Context(), told(t, database)); err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, database, "alter role plain set synchronous_commit = off")
	t.Cleanup(func() { pgtest.Exec(t, database, "alter role plain reset synchronous_commit") })
	d, err := Open(t.Context(), told(t, database))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var set string
	if err := d.one("select current_setting('synchronous_commit')", nil, &set); err != nil || set != "on" {
		t.Errorf("it is %q, %v", set, err)
	}
}

// A machine that is lost does not close its connections: its locks are to be free within half a minute.
func TestTheServerMissesALostMachine(t *testing.T) {
	address := told(t, pgtest.TCP(t))
	if _, _, err := Migrate(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var seconds int
	const idle = "select current_setting('tcp_keepalives_idle')::int + " +
		"current_setting('tcp_keepalives_interval')::int * current_setting('tcp_keepalives_count')::int"
	if err := d.one(idle, nil, &seconds); err != nil || seconds > 30 {
		t.Errorf("it is missed after %d seconds, %v", seconds, err)
	}
	const answer = "select current_setting('tcp_user_timeout')::int / 1000"
	if err := d.one(answer, nil, &seconds); err != nil || seconds == 0 || seconds > 30 {
		t.Errorf("an answer to it is given up after %d seconds, %v", seconds, err)
	}
}
