package postgres

import (
	"strings"

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
func (c *client) look(list []*lookup) error {
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
	met, err := collect(c, func(row pgx.CollectableRow) (one found, err error) {
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

const keyColumns = "kind::text, name, run, turn, op, gone, event, event_turn, event_op, cancelled, life_turn, life_op, hash, undone, " +
	"hash_turn, hash_op, own_run, own_turn, own_op"

// scanned is a row of keys, with the numbers that its runs have in the database.
type scanned struct {
	journal.Entry

	last, own int32
}

func scanKey(row pgx.CollectableRow, before ...any) (r scanned, err error) {
	f := journal.NewFact()
	var kind string
	var name []byte
	err = row.Scan(append(before,
		&kind, &name, &r.last, &f.Last.Turn, &f.Last.Op, &f.Gone, &f.ID, &f.IDBy.Turn, &f.IDBy.Op,
		&f.Cancelled, &f.LifeBy.Turn, &f.LifeBy.Op, &f.Values, &f.Undone, &f.ValuesBy.Turn, &f.ValuesBy.Op,
		&r.own, &f.OwnBy.Turn, &f.OwnBy.Op,
	)...)
	r.Kind, r.Fact = journal.Kind(strings.Index(kindLetters, kind)), f
	copy(r.Name[:], name)
	return r, err
}
