package storetest

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"eventbatch/batch/journal"
)

// shareModel is one run that processes carry, of which some are lost from sight and know nothing of
// it: who may write what, and what was written.
type shareModel struct {
	place    SharedPlace
	run      string
	carriers []*carrier
	owners   map[string]string // whose share each calendar is
	ops      [shareOps]journal.Status
}

const (
	shareOps       = 6
	shareCalendars = 3
)

// owned are the calendars that owners reach. Those of the organization are reached by others, too.
var owned = map[string][]string{
	"one": {calendar(0)}, "two": {calendar(1), calendar(2)}, "organization": {calendar(0), calendar(1), calendar(2)},
}

// carrier is a process that has a lease or, without one, the whole run.
type carrier struct {
	*process

	owner   string
	journal journal.Journal // nil while it has nothing of the run
	lost    bool
	fenced  bool // somebody has taken over what it has
}

// carried draws processes that come, write, are lost and are taken over from in any order.
func carried(t *testing.T, open func(t testing.TB) SharedPlace) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &shareModel{place: open(t), owners: map[string]string{}}
		m.run = sharedRun(rt, m.place.Open(), shareOps, shareCalendars).ID()
		defer func() {
			for _, c := range m.carriers {
				if c.journal != nil {
					_ = c.journal.Close() // it may have been taken over
				}
			}
		}()
		rt.Repeat(map[string]func(*rapid.T){
			"lease": m.lease, "take": m.take, "take the whole": m.whole, "commit": m.commit, "lose": m.lose, "close": m.close,
			"release": m.release, "": m.look,
		})
	})
}

// draw draws a carrier of some kind.
func (m *shareModel) draw(t *rapid.T, of func(*carrier) bool) *carrier {
	var list []*carrier
	for _, c := range m.carriers {
		if of(c) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		t.Skip("no such process")
	}
	return rapid.SampledFrom(list).Draw(t, "process")
}

func (m *shareModel) is(of func(*carrier) bool) bool { return slices.ContainsFunc(m.carriers, of) }

func (m *shareModel) has(owner string) bool {
	return m.is(func(c *carrier) bool { return c.owner == owner && c.process != nil && !c.lost })
}

func (m *shareModel) lease(t *rapid.T) {
	owner := rapid.SampledFrom([]string{"one", "two", "organization"}).Draw(t, "owner")
	store := m.place.Open().(*journal.Shared)
	lease, err := store.Lease(owner)
	if m.has(owner) {
		if !isLocked(err) {
			t.Fatalf("two processes have %s: %v", owner, err)
		}
		return
	}
	must(t, err)
	for _, c := range m.carriers {
		c.fenced = c.fenced || c.owner == owner
	}
	p := &process{store, lease, lease.Share(owned[owner])}
	m.carriers = append(m.carriers, &carrier{process: p, owner: owner})
}

func (m *shareModel) take(t *rapid.T) {
	c := m.draw(t, func(c *carrier) bool { return c.process != nil && c.journal == nil && !c.lost })
	j, state, err := c.process.take(m.run)
	others := m.is(func(c *carrier) bool { return c.process == nil && !c.lost })
	for _, calendar := range owned[c.owner] {
		of := m.owners[calendar]
		others = others || of != "" && of != c.owner && m.has(of)
	}
	if others {
		if !isLocked(err) {
			t.Fatalf("%s is taken besides others: %v", c.owner, err)
		}
		return
	}
	must(t, err)
	c.journal = j
	for _, calendar := range owned[c.owner] {
		for _, of := range m.carriers {
			taken := of.process == nil || slices.Contains(owned[of.owner], calendar)
			of.fenced = of.fenced || of != c && of.journal != nil && taken
		}
		m.owners[calendar] = c.owner
	}
	m.compare(t, state)
}

func (m *shareModel) whole(t *rapid.T) {
	j, state, err := found(t, m.place.Open(), m.run).Attach(journal.Attachment{Target: everywhere(shareCalendars), Turn: 1})
	if m.is(func(c *carrier) bool { return c.journal != nil && !c.lost }) {
		if !isLocked(err) {
			t.Fatalf("the whole run is taken besides others: %v", err)
		}
		return
	}
	must(t, err)
	for _, c := range m.carriers {
		c.fenced = c.fenced || c.journal != nil
	}
	m.carriers = append(m.carriers, &carrier{journal: j})
	m.compare(t, state)
}

func (m *shareModel) commit(t *rapid.T) {
	c := m.draw(t, func(c *carrier) bool { return c.journal != nil })
	n := rapid.IntRange(0, shareOps-1).Draw(t, "op")
	if c.process != nil && !slices.Contains(owned[c.owner], calendar(n%shareCalendars)) {
		t.Skip("not its op")
	}
	records := []journal.Record{intent(n), ok(n), {Type: journal.Fail, Op: n}, {Type: journal.Doubt, Op: n}}
	record := rapid.SampledFrom(records).Draw(t, "record")
	err := c.journal.Commit(t.Context(), record)
	switch {
	case c.fenced && !isFenced(err):
		t.Fatalf("%q has been taken over, and writes: %v", c.owner, err)
	case !c.fenced:
		must(t, err)
		m.ops[n] = statuses[record.Type]
	}
}

func (m *shareModel) lose(t *rapid.T) {
	c := m.draw(t, func(c *carrier) bool { return !c.lost })
	m.place.Lose(c.owner, m.run)
	c.lost = true
}

func (m *shareModel) close(t *rapid.T) {
	c := m.draw(t, func(c *carrier) bool { return c.journal != nil })
	if err := c.journal.Close(); err != nil && (!c.fenced || !isFenced(err)) {
		t.Fatal(err)
	}
	c.journal = nil
	m.carriers = slices.DeleteFunc(m.carriers, func(of *carrier) bool { return of == c && (c.lost || c.process == nil) })
}

func (m *shareModel) release(t *rapid.T) {
	c := m.draw(t, func(c *carrier) bool { return c.process != nil && c.journal == nil && !c.lost })
	must(t, c.process.lease.Release(nil))
	m.carriers = slices.DeleteFunc(m.carriers, func(of *carrier) bool { return of == c })
}

// look reads the run as one who only looks.
func (m *shareModel) look(t *rapid.T) {
	state, err := found(t, m.place.Open(), m.run).State()
	must(t, err)
	m.compare(t, state)
}

func (m *shareModel) compare(t *rapid.T, state *journal.State) {
	for n, want := range m.ops {
		if s := state.Op(n); s != nil && s.Status != want {
			t.Fatalf("op %d is %s, not %s", n, s.Status, want)
		}
	}
	if state.Lost != "" {
		t.Fatal(errors.New("nothing is lost, but " + state.Lost))
	}
}
