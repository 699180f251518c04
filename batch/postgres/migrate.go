package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// The migrations are numbered without gaps, and none changes once it was published.
//
//go:embed migrations/*.sql
var migrations embed.FS

// steps returns the migrations in order.
func steps() ([]string, error) {
	entries, err := migrations.ReadDir("migrations")
	if err != nil {
		return nil, err
	}
	var list []string
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	slices.Sort(list)
	for i, name := range list {
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s stands at place %d", name, i+1)
		}
	}
	return list, nil
}

// Migrate makes the store at an address, or brings it up to what this program knows. It
// returns the version that it found, 0 for none, and that which it left.
func Migrate(ctx context.Context, address secret.Secret) (from, to int, err error) {
	c, err := connect(ctx, address, "")
	if err != nil {
		return 0, 0, err
	}
	defer c.pool.Close()
	list, err := steps()
	if err != nil {
		return 0, 0, err
	}
	err = pgx.BeginFunc(ctx, c.pool, func(tx pgx.Tx) error {
		from, err = c.migrate(ctx, tx, list)
		return err
	})
	if err != nil {
		return from, from, c.away(err)
	}
	return from, len(list), nil
}

// migrate takes the steps that are missing, while nobody else does.
func (c *client) migrate(ctx context.Context, tx pgx.Tx, list []string) (from int, err error) {
	schema := pgx.Identifier{c.schema}.Sanitize()
	if _, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended($1, 0))", c.schema+":migrate"); err != nil {
		return 0, err
	}
	var there bool
	if err := tx.QueryRow(ctx, "select exists (select from pg_namespace where nspname = $1)", c.schema).Scan(&there); err != nil {
		return 0, err
	}
	if !there {
		if _, err := tx.Exec(ctx, "create schema "+schema); err != nil {
			return 0, err
		}
	}
	const versions = "create table if not exists versions (n integer primary key, at timestamptz not null default now())"
	if _, err := tx.Exec(ctx, versions); err != nil {
		return 0, err
	}
	if err := tx.QueryRow(ctx, "select coalesce(max(n), 0) from versions").Scan(&from); err != nil {
		return 0, c.foreign(err)
	}
	if from > len(list) {
		return from, c.unlike(from, len(list), later)
	}
	for n := from; n < len(list); n++ {
		text, err := migrations.ReadFile("migrations/" + list[n])
		if err != nil {
			return from, err
		}
		if _, err := tx.Exec(ctx, string(text)); err != nil {
			err = fmt.Errorf("migration %s: %w", list[n], err)
			if from == 0 {
				err = c.foreign(err)
			}
			return from, err
		}
		if strings.HasSuffix(list[n], "_rows.sql") {
			if err := fromLines(ctx, tx, c.name); err != nil {
				return from, fmt.Errorf("migration %s: %w", list[n], err)
			}
		}
		if _, err := tx.Exec(ctx, "insert into versions (n) values ($1)", n+1); err != nil {
			return from, err
		}
	}
	return from, nil
}

// current returns an error unless the store is of the version that this program knows.
func (c *client) current(ctx context.Context) error {
	list, err := steps()
	if err != nil {
		return err
	}
	version := 0
	err = c.pool.QueryRow(ctx, "select coalesce(max(n), 0) from versions").Scan(&version)
	if code := codeOf(err); err != nil && code != noTable && code != noSchema {
		return c.away(c.foreign(err))
	}
	switch {
	case version > len(list):
		return c.unlike(version, len(list), later)
	case version == 0:
		return c.absent(ctx)
	case version < len(list):
		return c.unlike(version, len(list), "eventbatch store migrate brings it up")
	}
	return nil
}

// absent returns the error that there is no store, or that its schema is closed to this user.
func (c *client) absent(ctx context.Context) error {
	var closed bool
	err := c.pool.QueryRow(ctx, "select exists (select from pg_namespace where nspname = $1 and not has_schema_privilege(oid, 'usage'))",
		c.schema).Scan(&closed)
	switch {
	case err != nil:
		return c.away(err)
	case closed:
		return failure.New(failure.NoKey, fmt.Errorf("%s: the user may not look into schema %s", c.name, c.schema), c.rights())
	}
	return failure.New(failure.Config, errors.New("there is no store in "+c.name), "eventbatch store migrate makes one")
}

// foreign returns the error that the schema has tables of something else, where that is why a table cannot be
// made, or read.
func (c *client) foreign(err error) error {
	if code := codeOf(err); code != hasTable && code != noColumn {
		return err
	}
	return failure.New(failure.Config, fmt.Errorf("schema %s of %s has tables of something else: %w", c.schema, c.name, err),
		"another schema is meant: name it in the address, as search_path=NAME")
}

// later is what to do about a store that this program is too old for.
const later = "use the version of eventbatch that made it, or a later one"

// unlike returns the error that the store is of another version than the program knows.
func (c *client) unlike(version, know int, advice string) error {
	return failure.New(failure.Config,
		fmt.Errorf("the store in %s is of version %d, and this program knows %d", c.name, version, know), advice)
}
