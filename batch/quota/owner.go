package quota

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
)

// ownerName is what makes two Owners the same.
type ownerName struct{ kind, id string }

// owner is an Owner with its ledger. Guarded by Scheduler.mu.
type owner struct {
	Owner
	limit  int // the lowest heard of, after Share
	ledger *ledger
	paced  bool  // the pace follows its limit
	retry  int64 // before this, asking the ledger for a slot is pointless
	held   int64 // until then the service has asked this process to wait
}

// owners are those that a scheduler knows, by the one clock. Guarded by Scheduler.mu.
type owners struct {
	cfg    Config
	margin time.Duration // beyond Window: unequal clock rates, both ends of an interval
	clock  *clock
	known  map[ownerName]*owner
	listed []*owner // as lanes named them
}

// owner returns the one of that name. Lanes that disagree on its limit get the lowest.
func (s *owners) owner(o Owner) *owner {
	name := ownerName{o.Kind, o.ID}
	known := s.known[name]
	if known == nil {
		known = &owner{Owner: o, limit: s.share(o.Limit), ledger: newLedger(s.path(o), s.cfg, s.clock.show)}
		known.ledger.keep = own.Keeps && len(s.listed) < mostKept
		s.known[name] = known
		s.listed = append(s.listed, known)
	}
	known.lower(s.share(o.Limit))
	return known
}

// mostKept is of how many owners the files stay open: of a thousand calendars they would be more than a process may open.
const mostKept = 16

// close closes the files.
func (s *owners) close() error {
	var all []error
	for _, o := range s.listed {
		all = append(all, o.ledger.close())
	}
	return errors.Join(all...)
}

// flush records the answers. Where a ledger cannot be written, its slots stay out
// until their leases end.
func (s *owners) flush() {
	for _, o := range s.listed {
		_ = o.ledger.flush()
	}
}

// now reads the wall clock in Unix nanoseconds: the one clock that processes
// share. A step forward would free slots before their time, so after one every
// owner waits for a window; after a step back the ledgers bring near what has
// come to lie too far ahead.
func (s *owners) now() int64 {
	now, step := s.clock.now()
	if step == 0 {
		return now
	}
	for _, o := range s.listed {
		o.retry = 0
		if step < 0 {
			o.held += int64(step)
		}
		if step > 0 {
			// Where it cannot be written, this process waits at least.
			_ = o.ledger.pause(s.cfg.Window + s.margin)
			o.retry = now + int64(s.cfg.Window+s.margin)
		}
	}
	return now
}

func (o *owner) lower(limit int) { o.limit = min(o.limit, limit) }

// throttled is until when the owner is, zero where it is not; other processes count
// as of the last look.
func (o *owner) throttled(now int64) int64 {
	if until := max(o.held, o.ledger.throttled); until > now {
		return until
	}
	return 0
}

// share is the part of a limit that is ours: rounded down, but something.
func (s *owners) share(limit int) int {
	// A product such as 100×0.29 comes out a hair below the whole number.
	return max(1, int(float64(limit)*s.cfg.Share+1e-9))
}

func (s *owners) path(o Owner) string {
	if s.cfg.Dir == "" {
		return ""
	}
	return named(s.cfg.Dir, fmt.Sprintf("%q %q", o.Kind, o.ID), suffix)
}

// named returns the path of the file about something, whatever characters its name has.
func named(dir, what, suffix string) string {
	sum := sha256.Sum256([]byte(what))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+suffix)
}

// suffix ends the name of a ledger's file.
const suffix = ".ledger"

// reserve reserves one slot of the owner; a zero reservation means that there is none
// before retry.
func (o *owner) reserve(id uint64) (reservation, error) {
	r, retry, err := o.ledger.reserve(o.limit, id)
	if err != nil {
		return r, unwritable("keeping the quota of the "+o.Kind, err)
	}
	o.retry = retry
	return r, nil
}

// unwritable returns the error that something about the folder of the ledgers cannot be done.
func unwritable(doing string, err error) error {
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err),
		"see to it that the folder can be written, or name another in the variable XDG_STATE_HOME")
}

// Unpark ends the throttling of all owners whose ledgers are in the folder of the
// Config, and tells how many were throttled. What they have used up stays used up.
func Unpark(cfg Config) (n int, err error) {
	paths, err := filepath.Glob(filepath.Join(cfg.Dir, "*"+suffix))
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		l := newLedger(path, cfg, func() int64 { return time.Now().UnixNano() })
		was, err := l.resume()
		if err != nil {
			return n, err
		}
		if was {
			n++
		}
	}
	return n, nil
}
