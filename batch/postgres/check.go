package postgres

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// Fits returns an error where the tables do not fit together, once each op was found to be what was written.
func (d *DB) Fits() error {
	var misfits []string
	for _, check := range []struct{ what, sql string }{
		{
			"changes without an outcome", "select count(*) from ops p where convert_from(substr(line, 10), 'UTF8')::json ->> 'action' = " +
				"any ('{create,update,cancel}') and not exists (select from outcomes o where o.run = p.run and o.n = p.n)",
		},
		{
			"outcomes of no change",
			"select count(*) from outcomes o where not exists (select from ops p where p.run = o.run and p.n = o.n)",
		},
		{
			"keys of a run that is not there", "select count(*) from keys where not exists (select from runs where number = run) " +
				"or own_turn >= 0 and not exists (select from runs where number = own_run)",
		},
	} {
		var n int
		if err := d.one(check.sql, nil, &n); err != nil {
			return err
		}
		if n > 0 {
			misfits = append(misfits, fmt.Sprintf("%s: %d", check.what, n))
		}
	}
	if misfits != nil {
		return &journal.DamagedError{Path: d.name, Reason: strings.Join(misfits, ", ")}
	}
	return nil
}

// Risks returns, for people, the settings by which the database may lose what it has stored, or has too little room.
func (d *DB) Risks() ([]string, error) {
	return collect(d, pgx.RowTo[string], "select name || ' is off: what was stored may be lost when the machine of the database fails, "+
		"and rows be sent twice' from pg_settings where name = any($1) and setting = 'off' union all "+crowded+" order by 1",
		[]string{"fsync", "full_page_writes", "synchronous_commit"})
}

// crowded is the sentence that the server has fewer locks than owners, each of which takes one, in a row where that is so.
const crowded = "select 'the server has room for ' || room || ' locks, fewer than the ' || owners || ' owners to send for: raise " +
	"max_locks_per_transaction' from (select current_setting('max_locks_per_transaction')::int * " +
	"(current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int) as room, " +
	"(select count(*) from leases) as owners) as locks where owners > room"
