package pgtest

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Counts is what a database was asked.
type Counts struct {
	Statements, Commits int
	Log                 int // bytes of the write-ahead log of the server
}

// Counting returns the address of an empty database of a server for one test that counts what it is asked, and what
// returns that. A session tells its commits once it is idle for a while, or ends.
func Counting(t testing.TB) (address string, counts func() Counts) {
	t.Helper()
	s := begin(t, setting{options: []string{"-c", "shared_preload_libraries=pg_stat_statements"}})
	address = s.Database(t)
	apart := s.address("postgres", "postgres")
	Exec(t, apart, "create extension pg_stat_statements")
	return address, func() (c Counts) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		conn, err := pgx.Connect(ctx, apart)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(ctx)
		err = conn.QueryRow(ctx, "select (select sum(calls) from pg_stat_statements where dbid = datid and toplevel)::bigint, "+
			"xact_commit, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint from pg_stat_database where datname = 'test1'").
			Scan(&c.Statements, &c.Commits, &c.Log)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}
