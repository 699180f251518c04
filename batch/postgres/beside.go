package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Schemas returns the schemas of the database that hold a store which the user may read, by name.
func (d *DB) Schemas() ([]string, error) {
	return collect(d, pgx.RowTo[string], "select nspname from pg_namespace s where nspname ~ '^[a-z_][a-z0-9_]*$' "+
		"and has_schema_privilege(s.oid, 'usage') and (select count(*) from pg_class c where c.relnamespace = s.oid "+
		"and relname = any ('{runs,ops,outcomes,attachments,kept,versions}') and relkind = 'r' "+
		"and has_table_privilege(c.oid, 'select')) = 6 "+
		"order by nspname")
}

// Beside opens the store in another schema of the database.
func (d *DB) Beside(ctx context.Context, schema string) (*DB, error) {
	return open(ctx, d.address, schema)
}
