package postgres

import "github.com/jackc/pgx/v5"

// collect reads rows.
func collect[T any](d *DB, scan pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	ctx, cancel := timely()
	defer cancel()
	rows, err := d.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, d.away(err)
	}
	list, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, d.away(err)
	}
	return list, nil
}
