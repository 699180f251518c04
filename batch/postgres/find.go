package postgres

import (
	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
)

// lookup is what a memory asks for.
type lookup struct {
	service int
	of      []journal.Subject
	met     []scanned // with the numbers that runs have in the database
}

// lookSQL finds each name by itself, however many there are.
const lookSQL = "select ord, " + keyColumns + " from unnest($1::int[], $2::int[], $3::text[], $4::bytea[]) " +
	"as v (ord, of, letter, called), lateral " +
	"(select * from keys where service = v.of and kind = v.letter::\"char\" and name = v.called limit 1) as k"

// look looks up what all memories of the process ask for.
func (d *DB) look(list []*lookup) error {
	var ords, services []int32
	var kinds []string
	var names [][]byte
	for i, l := range list {
		for n := range l.of {
			of := &l.of[n]
			ords, services = append(ords, int32(i)), append(services, int32(l.service))
			kinds, names = append(kinds, kindLetters[of.Kind:of.Kind+1]), append(names, of.Name[:])
		}
	}
	type found struct {
		ord int
		scanned
	}
	met, err := collect(d, func(row pgx.CollectableRow) (one found, err error) {
		one.scanned, err = scanKey(row, &one.ord)
		return one, err
	}, lookSQL, ords, services, kinds, names)
	if err != nil {
		return err
	}
	for i := range met {
		l := list[met[i].ord]
		l.met = append(l.met, met[i].scanned)
	}
	return nil
}
