package postgres

import (
	"errors"
	"io/fs"
	"net/url"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"eventbatch/batch/internal/storetest"
	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/pgtest"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

func TestDatabaseKeepsThePromisesOfAStore(t *testing.T) {
	t.Parallel()
	places := places{address: pgtest.Database(t)}
	storetest.Run(t, func(t testing.TB) storetest.Place { return places.next(t) })
}

func TestDatabaseKeepsThePromisesOfShares(t *testing.T) {
	places := places{address: pgtest.Database(t)}
	storetest.Shares(t, func(t testing.TB) storetest.SharedPlace { return places.next(t) })
}

func TestDatabaseRemembersWhatAWorkspaceDoes(t *testing.T) {
	t.Parallel()
	places := places{address: pgtest.Database(t)}
	storetest.Alike(
		t, func(t testing.TB) storetest.Place { return folderPlace{dir: t.TempDir()} },
		func(t testing.TB) storetest.Place { return places.next(t) },
	)
}

// folderPlace is a place of files to which nothing happens.
type folderPlace struct {
	storetest.Place

	dir string
}

func (f folderPlace) Open() journal.Store {
	w, err := files.OpenWorkspace(f.dir)
	if err != nil {
		panic(err)
	}
	return w
}

// places are those of a database, one after another.
type places struct {
	address string
	last    *place
}

// next empties the tables, and goes on with the processes that have nothing: to make either anew takes many times as long.
func (l *places) next(t testing.TB) *place {
	t.Helper()
	if l.last == nil {
		l.last = newPlace(t, l.address)
		return l.last
	}
	next := &place{t: t, address: l.address, workspace: t.TempDir()}
	next.open = slices.DeleteFunc(l.last.open, func(d *DB) bool {
		d.locking.Lock()
		has := len(d.taken) > 0
		d.locking.Unlock()
		if has {
			next.end(d)
		}
		return has
	})
	l.last.open = nil
	l.last = next
	t.Cleanup(next.close)
	next.exec(`do $$ declare name text; begin
		for name in select oid::regclass::text from pg_class
			where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname not in ('versions', 'turns', 'beats')
		loop execute 'delete from ' || name; end loop;
		update turns set n = 0;
	end $$`)
	return next
}

// newPlace makes the store in a database, without what was there.
func newPlace(t testing.TB, address string) *place {
	t.Helper()
	pgtest.Exec(t, address, "drop schema if exists eventbatch cascade")
	if from, to, err := Migrate(t.Context(), told(t, address)); err != nil || from != 0 || to == 0 {
		t.Fatalf("migrated from %d to %d: %v", from, to, err)
	}
	p := &place{t: t, address: address, workspace: t.TempDir()}
	t.Cleanup(p.close)
	return p
}

func told(t testing.TB, address string) secret.Secret {
	t.Helper()
	s, err := Told(address)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// place is a store in a database.
type place struct {
	t                  testing.TB
	address, workspace string
	open               []*DB // processes, which are more than one, and not too many for the server
	last               int
}

func (p *place) close() {
	for _, d := range p.open {
		_ = d.Close()
	}
	p.open = nil
}

func (p *place) Open() journal.Store {
	p.t.Helper()
	d := p.process()
	local, err := files.OpenWorkspace(p.workspace)
	if err != nil {
		p.t.Fatal(err)
	}
	return OpenStore(d, local)
}

// process returns the next of some processes that have no run: one that is killed has no other.
func (p *place) process() *DB {
	p.t.Helper()
	for range p.open {
		p.last++
		d := p.open[p.last%len(p.open)]
		d.locking.Lock()
		free := len(d.taken) == 0
		d.locking.Unlock()
		if free && len(p.open) > 2 {
			return d
		}
	}
	d, err := Open(p.t.Context(), told(p.t, p.address))
	if err != nil {
		p.t.Fatal(err)
	}
	p.open = append(p.open, d)
	return d
}

// Kill closes the connections of the process that has a run, and waits until the server has noticed: a
// lock is let go by what served its connection, some time after that was closed.
func (p *place) Kill(run string) {
	p.open = slices.DeleteFunc(p.open, func(d *DB) bool {
		d.locking.Lock()
		has := d.taken[runLock(run)] != 0
		d.locking.Unlock()
		if has {
			p.end(d)
		}
		return has
	})
}

// end ends a process that has locks, and its session: the server of a busy machine may take longer for that than a process waits.
func (p *place) end(d *DB) {
	locks := d.locks.PgConn().PID()
	_ = d.Close()
	p.exec("select pg_terminate_backend($1, 5000)", locks)
}

// Break has another process take a run over.
func (p *place) Break(run string) {
	p.exec("update attachments set epoch = epoch + 1 where run = $1", run)
}

func (p *place) Spoil(run string, part storetest.Part) {
	change := map[storetest.Part]string{
		storetest.Header: "update runs set header = set_byte(header, 100, get_byte(header, 100) # 1) where id = $1",
		storetest.Lines:  "update ops set line = set_byte(line, 30, get_byte(line, 30) # 1) where run = $1 and n = 1",
		storetest.Rows:   "update ops set row = set_byte(row, 30, get_byte(row, 30) # 1) where run = $1 and n = 1",
	}
	p.exec(change[part], run)
}

func (p *place) exec(sql string, args ...any) {
	pgtest.Exec(p.t, p.address+"&search_path=eventbatch", sql, slices.Clone(args)...)
}

// Lose ends the connection that has the locks of the process that has a lease, or a whole run.
func (p *place) Lose(owner, run string) {
	for _, d := range p.open {
		d.locking.Lock()
		has := owner != "" && d.taken[owner] != 0 || owner == "" && d.taken[runLock(run)] < 0
		if has && !d.locks.IsClosed() {
			p.exec("select pg_terminate_backend($1, 5000)", d.locks.PgConn().PID())
		}
		d.locking.Unlock()
	}
}

// A database that cannot be reached is not one in which something is missing: what is not there is taken for empty.
func TestASocketThatIsGoneIsNoMissingRow(t *testing.T) {
	_, err := Open(t.Context(), told(t, "postgres://plain@/test?host="+url.QueryEscape(t.TempDir())))
	if !errors.Is(err, failure.Away) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// What others hold for too long is let go of some day: the same command goes on then. A database that has answered that it
// cannot keep something is no such thing.
func TestALockThatIsHeldTooLongIsNoDefect(t *testing.T) {
	for code, want := range map[string]failure.Kind{
		"55P03": failure.Away, "40P01": failure.Away, "57014": failure.Away, "08006": failure.Away,
		"53100": failure.Disk, "42501": failure.NoKey,
	} {
		if err := (&client{name: "the store"}).away(&pgconn.PgError{Code: code}); !errors.Is(err, want) {
			t.Errorf("%s: %v is not %s", code, err, want)
		}
	}
}
