package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// Service answers as the event platform does. It is an http.Handler, safe for
// use by many goroutines.
type Service struct {
	backend
	people *directory
	faults *faults
	older  replays
	editor editor
	tally  tally
}

// New reads what the folder holds already. It fails on a folder that another
// process uses, on a damaged log, on keys or faults that make no sense.
func New(config Config) (*Service, error) {
	config.complete()
	people, err := newDirectory(config.Headers, config.Keys, config.Calendars)
	if err != nil {
		return nil, fmt.Errorf("reading keys: %w", err)
	}
	faults := &faults{}
	if err := faults.set(config.Faults); err != nil {
		return nil, err
	}
	held, err := newStore(&config, people.items())
	if err != nil {
		return nil, err
	}
	if err := held.seed(config.Existing); err != nil {
		return nil, errors.Join(err, held.close())
	}
	s := &Service{
		backend: backend{config, held, newLimiter(config.Limits, people.organizations, config.Now)}, people: people, faults: faults,
		older: replays{answers: map[creation][]answer{}},
		tally: tally{requests: map[string]int{}, statuses: map[int]int{}, faults: map[FaultKind]int{}},
	}
	s.older.remember(held.data)
	// A process that goes on with the data of another does not have its faults and edits again.
	begin := config.Seed + held.data.issued
	s.faults.begin(begin)
	s.editor = editor{rate: config.EditRate, source: rand.New(rand.NewPCG(begin, 0xed17))}
	return s, nil
}

// Close ends the use of the folder. What would change something is answered
// with 500 from then on.
func (s *Service) Close() error { return s.store.close() }

// SetFaults replaces the faults, also while requests are under way.
func (s *Service) SetFaults(list []Fault) error { return s.faults.set(list) }

// ServeHTTP counts a request at its arrival, refuses it over the limit, lets it
// take effect, spoils the answer where a fault says so. A client that goes away
// does not undo its request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	prefix, path := split(r.URL.Path)
	e := &entry{path: path}
	if id, ok := strings.CutPrefix(path, uploadPath); ok {
		e.path, e.answer = uploadPath, s.receive(r, id)
	} else {
		s.answer(&call{backend: &s.backend, r: r, arrived: s.config.Now(), prefix: prefix}, e)
	}
	s.tally.add(e)
	w.Header().Set("Date", s.config.Now().UTC().Format(http.TimeFormat))
	e.write(w)
}

// answer finds the answer of a request.
func (s *Service) answer(c *call, e *entry) {
	path, known := e.path, false
	if c.route, known = routes()[path]; !known {
		e.path = "unknown"
	}
	refusal := c.identify(s.people)
	if owners := c.owners(); len(owners) > 0 {
		e.quota = s.limits.admit(owners...)
	}
	switch {
	case e.quota.blocked:
		e.answer = throttled(e.quota, true)
	case !known:
		e.answer = *refuse(http.StatusNotFound, "Not found: "+c.r.Method+" "+path)
	case refusal != nil:
		e.answer = *refusal
	default:
		s.editor.edit(s.store)
		s.carryOut(c, e)
	}
}

// carryOut performs the operation, unless it is spoiled before, and spoils its answer.
func (s *Service) carryOut(c *call, e *entry) {
	like := creation{c.Name, c.legacy, c.calendar}
	older := s.older.of(like)
	var half []byte
	e.fault = s.faults.draw(c.Path, func(kind FaultKind) int {
		switch kind {
		case ReplayBefore, ReplayAfter:
			return len(older)
		case ErrorHalf, CutHalf:
			if half = c.halve(); half == nil {
				return 0
			}
		}
		return 1
	})
	if half != nil {
		c.r.Body = io.NopCloser(bytes.NewReader(half))
	}
	pause(c.r.Context(), s.config.Latency)
	if !e.fault.early() {
		e.answer = c.perform()
		if c.Does == schema.Create && e.answer.names() {
			s.older.add(like, e.answer)
		}
	}
	s.spoil(c, e, older)
}

// spoil does to the answer what its fault says.
func (s *Service) spoil(c *call, e *entry, older []answer) {
	switch e.fault.Kind {
	case ResetBefore, ResetAfter:
		e.loss = isReset
	case ErrorBefore, ErrorAfter, ErrorHalf:
		e.answer = *broken("try again")
	case BadGateway:
		e.answer = html(http.StatusBadGateway, "502 Bad Gateway")
	case CutBody, CutHalf:
		e.loss = isCut
	case Slow:
		pause(c.r.Context(), e.fault.Delay)
	case Throttle, ThrottleBare:
		e.quota = s.limits.block(c.owners()...)
		e.answer = throttled(e.quota, e.fault.Kind == Throttle)
	case WrongPage:
		e.answer = html(http.StatusOK, "Welcome")
	case Redirect:
		e.answer = html(http.StatusFound, "Found")
		e.answer.location = c.prefix + "/login"
	case ReplayBefore, ReplayAfter:
		e.answer = older[e.fault.which]
	}
}

// pause waits in the time of the bubble or of the machine, at most until the
// client is gone.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
