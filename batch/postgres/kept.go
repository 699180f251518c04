package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"
)

// texts are the texts that are kept under names.
type texts struct{ *client }

// Kept returns what was kept under a name.
func (t texts) Kept(kind, name string) (text []byte, err error) {
	return text, t.one("select text from kept where kind = $1 and name = $2", []any{kind, name}, &text)
}

// Names returns the names under which something of a kind is kept.
func (t texts) Names(kind string) ([]string, error) {
	return collect(t, pgx.RowTo[string], "select name from kept where kind = $1 order by name", kind)
}

// keep stores a text under a name, in the place of what was kept there before, where a condition holds.
func keep(where string) string {
	return "insert into kept (kind, name, text) select $1, $2, $3::bytea where " + where +
		" on conflict (kind, name) do update set text = excluded.text"
}

// Keep stores a text under a name, in the place of what was kept there before.
func (t texts) Keep(kind, name string, text []byte) error {
	_, err := t.do(keep("true"), kind, name, text)
	return err
}

// Change puts what change makes of a text in its place, while no other process does; nil
// removes it.
func (t texts) Change(kind, name string, change func(text []byte) []byte) error {
	ctx, cancel := timely()
	defer cancel()
	err := pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended($1, 0))", t.schema+":kept:"+kind+":"+name)
		if err != nil {
			return err
		}
		var text []byte
		err = tx.QueryRow(ctx, "select text from kept where kind = $1 and name = $2", kind, name).Scan(&text)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if text = change(text); text == nil {
			_, err = tx.Exec(ctx, "delete from kept where kind = $1 and name = $2", kind, name)
		} else {
			_, err = tx.Exec(ctx, keep("true"), kind, name, text)
		}
		return err
	})
	if err != nil {
		return t.away(err)
	}
	return nil
}
