package postgres

import (
	"errors"
	"strings"
	"testing"

	"eventbatch/batch/pgtest"
	"eventbatch/mapping/failure"
)

// A schema that has tables of something else is not the one that is meant.
func TestASchemaOfSomethingElseIsNoStore(t *testing.T) {
	for name, test := range map[string]struct {
		table string
		opens bool // it is found only when the store is made
	}{
		"runs":     {"create table runs (id integer)", true},
		"leases":   {"create table leases (name text)", true},
		"versions": {"create table versions (version text)", false},
	} {
		t.Run(name, func(t *testing.T) {
			database := pgtest.Database(t)
			pgtest.Exec(t, database, "create schema eventbatch")
			pgtest.Exec(t, database+"&search_path=eventbatch", test.table)
			address, err := Told(database)
			if err != nil {
				t.Fatal(err)
			}
			refused := func(what string, err error) {
				t.Helper()
				hint, _ := failure.HintOf(err)
				if !errors.Is(err, failure.Config) || !strings.HasPrefix(hint, "another schema is meant") {
					t.Errorf("%s: %v, %s", what, err, hint)
				}
			}
			_, _, err = Migrate(t.Context(), address)
			refused("migrate", err)
			if test.opens {
				return
			}
			_, err = Open(t.Context(), address)
			refused("open", err)
		})
	}
}
