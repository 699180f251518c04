package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"eventbatch/batch/plan"
)

// A journal is one chain of lines, written by whoever carries the run. Where a run is carried in
// shares there is another one for each owner of a share, since several processes write at once; an
// op is in one of them, but for what was recorded while its calendar belonged to another owner, or
// somebody had the whole run. Of each op that one counts which was taken up last.

// folding is what one chain has said so far.
type folding struct {
	owner   string // empty for that of the whole run
	records int64
	turn    int32 // of its last attachment
	latest  int32 // of all of them
	started bool
	home    *plan.Home // of the last attachment
	code    string     // of the end since, empty without one
	// ended and counted say whether there is an end at all, and an attachment that has kept
	// count in synced.
	ended, counted bool
}

func (c *folding) attach(e *entry) {
	c.started, c.code, c.turn = true, "", int32(e.Turn)
	c.latest = max(c.latest, c.turn)
	if e.Home != nil {
		c.home, c.counted = e.Home, true
	}
}

// read folds the journal in, and returns how large it is, and of the chain of an owner how far it
// goes. A size of -1 means that a tail has to be cut off, or that there is no journal.
func (r *run) read(state *State, found *evidence, owner string) (size int64, own extent, err error) {
	size = -1
	err = r.journals(func(of, path string, lines io.Reader) error {
		ext, err := replay(path, lines, r.fold(state, of))
		if of == owner {
			own = ext
		}
		if size = max(size, 0) + ext.size; ext.tail {
			size = -1
		}
		return err
	})
	state.conclude(&r.header, found.here)
	return size, own, err
}

// fold gives what replay does with each record of a chain: the first has to be this run's.
func (r *run) fold(state *State, owner string) func(*entry) error {
	state.chain = &folding{owner: owner}
	state.chains = append(state.chains, state.chain)
	return func(e *entry) error {
		if e.n > 1 {
			return state.apply(e)
		}
		if e.T != Open {
			return fmt.Errorf("it does not begin with an open record")
		}
		if e.Version != version {
			return unknownVersion(r.journalPath(), e.Version, version)
		}
		target := r.header.Target
		if e.Run != r.ID() {
			return fmt.Errorf("it is the journal of run %s", e.Run)
		}
		whole := owner == "" && r.part == nil
		if e.Plan != r.seal.Seal || e.BaseURL != target.BaseURL || whole && !maps.Equal(e.Calendars, target.Calendars) {
			return errors.New("it belongs to another plan of the run")
		}
		return state.apply(e)
	}
}

// opening is the record that binds a chain to its plan and, where it is that of the whole run, to
// its target.
func (r *run) opening() encoded {
	e := encoded{T: Open, At: r.now().UnixMilli(), Version: version, Run: r.ID(), Plan: r.seal.Seal, BaseURL: r.header.Target.BaseURL}
	if r.part == nil {
		e.Calendars = r.header.Target.Calendars
	}
	return e
}

// conclude says of the run what its chains come to: where shares were taken up after the whole run
// was last, these count.
func (s *State) conclude(h *plan.Header, here plan.Home) {
	if len(s.chains) == 0 || len(s.chains) == 1 && s.chains[0].owner == "" {
		return
	}
	whole := &folding{home: &h.Home}
	if s.chains[0].owner == "" {
		whole = s.chains[0]
	}
	shares := slices.DeleteFunc(slices.Clone(s.chains), func(c *folding) bool {
		return c.owner == "" || !c.started || c.turn < whole.turn
	})
	s.Ended, s.home = whole.code, *cmp.Or(whole.home, &h.Home)
	if len(shares) == 0 {
		return
	}
	s.Ended = "done"
	for _, c := range shares {
		if s.Ended != "" && c.code != "done" {
			s.Ended = c.code
		}
	}
	if s.Ended == "done" && s.nth == nil && s.Tally().Open() > 0 {
		s.Ended = "" // other shares are still to come
	}
	if s.nth != nil {
		last := slices.MaxFunc(shares, func(a, b *folding) int { return cmp.Compare(a.turn, b.turn) })
		s.home = *cmp.Or(last.home, &s.home)
		return
	}
	for _, c := range shares {
		if c.home != nil && elsewhere(c.home, &here) {
			s.home = *c.home
		}
	}
}

// elsewhere reports whether a run is not where it was.
func elsewhere(was, here *plan.Home) bool { return was.Host != here.Host || was.Inode != here.Inode }
