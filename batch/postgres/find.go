package postgres

import (
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/sourcegraph/conc/panics"
)

// finder looks names up for all memories of a process, those that are asked for at a time in one statement.
type finder struct {
	db *DB

	mu      sync.Mutex
	waiting []*lookup
	running bool
	last    time.Time // when it looked last
	several bool      // were asked for then, by as many
}

// lookup is what somebody asks for.
type lookup struct {
	service int
	names   []keyName
	done    chan struct{}
	met     []scanned // set before done is closed
	err     error
}

// find returns what is known of names of a service, with the numbers that runs have in the database.
func (f *finder) find(service int, names []keyName) ([]scanned, error) {
	l := &lookup{service: service, names: names, done: make(chan struct{})}
	f.mu.Lock()
	f.waiting = append(f.waiting, l)
	if !f.running {
		f.running = true
		go f.run()
	}
	f.mu.Unlock()
	<-l.done
	return l.met, raised(l.err)
}

// run looks up what is waited for until that is nothing. Where several wait at a time it lets some more come.
func (f *finder) run() {
	for {
		f.mu.Lock()
		wait := gather - time.Since(f.last)
		if f.several && wait > 0 {
			f.mu.Unlock()
			time.Sleep(wait)
			f.mu.Lock()
		}
		list := f.waiting
		f.waiting, f.several = nil, len(list) > 1
		if len(list) == 0 {
			f.running = false
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		var err error
		if caught := panics.Try(func() { err = f.look(list) }); caught != nil {
			err = caught.AsError()
		}
		f.mu.Lock()
		f.last = time.Now()
		f.mu.Unlock()
		for _, l := range list {
			l.err = err
			close(l.done)
		}
	}
}

// lookSQL finds each name by itself, however many there are.
const lookSQL = "select ord, " + keyColumns + " from unnest($1::int[], $2::int[], $3::text[], $4::bytea[]) " +
	"as v (ord, of, letter, called), lateral " +
	"(select * from keys where service = v.of and kind = v.letter::\"char\" and name = v.called limit 1) as k"

func (f *finder) look(list []*lookup) error {
	var ords, services []int32
	var kinds []string
	var names [][]byte
	for i, l := range list {
		for n := range l.names {
			of := &l.names[n]
			ords, services = append(ords, int32(i)), append(services, int32(l.service))
			kinds, names = append(kinds, kindLetters[of.kind:of.kind+1]), append(names, of.name[:])
		}
	}
	type found struct {
		ord int
		scanned
	}
	met, err := collect(f.db, func(row pgx.CollectableRow) (one found, err error) {
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
