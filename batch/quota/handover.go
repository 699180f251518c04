package quota

import "time"

// Account returns what an owner has out, for whoever sends for it next from another
// machine: the records of its ledger with times that count from now on. It is nil where
// no lane has named the owner.
func (s *Scheduler) Account(o Owner) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.known[ownerName{o.Kind, o.ID}]
	if known == nil {
		return nil, nil
	}
	return known.ledger.left()
}

// Restore enters what an owner had out so long ago, when its last holder gave its account.
// Slots that the ledger knows already, since that holder shared it, count once. An account
// that cannot be read, such as the empty one of a holder that died, stands for a full window.
func (s *Scheduler) Restore(o Owner, account []byte, ago time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner(o).ledger.restore(account, ago, s.next(), o.Limit)
}

// Unparked returns an account without what the service has asked to wait.
func Unparked(text []byte) []byte {
	var left account
	if !left.decode(text) {
		return text
	}
	left.throttled = 0
	return left.encode(nil)
}

// left returns the account with its times from now on. Requests under way are those of
// other processes: their slots come free when their leases end.
func (l *ledger) left() (text []byte, err error) {
	err = l.change(true, func(now int64) bool {
		left := account{span: l.span, records: make([]record, len(l.records))}
		if l.throttled > 0 {
			left.throttled = l.throttled - now
		}
		for i, r := range l.records {
			r.until, r.state = r.until-now, done
			left.records[i] = r
		}
		text = left.encode(nil)
		return false
	})
	return text, err
}

// restore enters an account of so long ago, or a full window of slots under a number.
func (l *ledger) restore(text []byte, ago time.Duration, number uint64, limit int) error {
	var left account
	if !left.decode(text) {
		left = account{records: []record{{id: number, until: int64(l.window + l.margin), count: uint32(limit), state: others}}}
	}
	return l.change(true, func(now int64) bool {
		since := now - int64(ago)
		if left.throttled > 0 {
			l.throttle(now, since+left.throttled)
		}
		for _, r := range left.records {
			if r.until += since; r.until > now {
				l.unite(now, r, l.grain())
			}
		}
		return true
	})
}
