package send

import (
	"context"
	"math"
	"sync/atomic"
)

// pacing decides how many strands are at work for the places on the wire. Where a
// sync is a good part of what an answer takes, those on the wire would else wait
// for it, all at once, between any two answers: so others go ahead, who take their
// slot and have their intent synced before they have a place. Where the sync is
// lost in what an answer takes nobody does, for the less there are the fewer a
// process that is killed leaves in doubt; nor where there is but one place, for
// there the rows leave in their order.
type pacing struct {
	places int
	answer atomic.Int64  // what the last request took; 0 before there is one
	commit atomic.Int64  // what the last intent took
	in     atomic.Int64  // strands at work
	left   chan struct{} // one has left
}

const (
	// furthest is how many may be ahead for each that is on the wire.
	furthest = 3
	// notable is the part of an answer from which on a sync is worth hiding.
	notable = 50
)

// ahead is how many may go ahead: as many rounds on the wire as fit into a sync.
func (p *pacing) ahead() int {
	answer, commit := p.answer.Load(), p.commit.Load()
	if p.places < 2 || answer <= 0 || commit*notable < answer {
		return 0
	}
	return p.places * int(min(furthest, 1+commit/answer))
}

// stop has nobody go ahead until the next answer says how long it took: none has
// come for a while.
func (p *pacing) stop() { p.answer.Store(math.MaxInt64) }

// admit waits until one more strand may begin. One goroutine calls it. Its error
// is errHalted.
func (p *pacing) admit(ctx context.Context) error {
	for p.in.Load() >= int64(p.places+p.ahead()) {
		select {
		case <-p.left:
		case <-ctx.Done():
			return errHalted
		}
	}
	p.in.Add(1)
	return nil
}

// leave makes room for another strand.
func (p *pacing) leave() {
	p.in.Add(-1)
	select {
	case p.left <- struct{}{}:
	default:
	}
}
