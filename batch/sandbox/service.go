package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"eventbatch/mapping/schema"
)

// Config is what the service in miniature holds. The zero value is a service
// with one calendar, cal-sandbox, one calendar key, "sandbox", the limits of
// the service document, nothing on disk.
type Config struct {
	// Dir is the folder where the data is kept, made when missing; empty keeps
	// it in memory only. Every change is handed to the operating system before
	// its answer leaves, so that killing the process loses nothing answered.
	Dir string

	Keys      []Key      // default: the calendar key "sandbox" of cal-sandbox
	Calendars []Calendar // calendars beyond those that the keys name
	Existing  []Existing // events that a new service holds already
	Limits    Limits

	Latency time.Duration // how long a request travels before it takes effect
	// ListLag is how long after a change lists still show what was before it. What is read by
	// its id is right at once.
	ListLag time.Duration
	// Background is how long after the answer the records of an operation that gathers
	// them appear: guests are added in the background.
	Background time.Duration
	// CountedPages has a page begin behind as many records as were on those before it, so that
	// one is skipped or comes twice where records come, go or move in the meantime.
	CountedPages bool
	// EditRate is how many of the requests find that a person has changed something by hand
	// right before: 0 to 1.
	EditRate float64

	Seats  int // admins that a calendar can have; 0 for any number
	Faults []Fault
	Seed   uint64 // of ids, of faults and of what a person edits

	SiteURL   string // address of the public event pages
	ImageBase string // address of the image host
	Platform  string // the word that marks the service's own events; default native
	Headers   Headers
	SlugTaken string // the reason given for a taken slug; the real words are unknown

	Now func() time.Time // default time.Now
}

// Headers are the names of the request headers (service: Authentication).
type Headers struct {
	Key      string // default x-service-api-key
	Calendar string // default x-service-calendar-id
}

// Service answers as the event platform does. It is an http.Handler, safe for
// use by many goroutines.
type Service struct {
	config Config
	people *directory
	limits *limiter
	faults *faults
	older  replays
	editor editor
	tally  tally

	mu    sync.RWMutex // guards data, what lists show of it, and the order of records on disk
	data  *data
	shelf shelf
	disk  *disk // nil when in memory only
	shut  bool
}

// New reads what the folder holds already. It fails on a folder that another
// process uses, on a damaged log, on keys or faults that make no sense.
func New(config Config) (*Service, error) {
	config.SiteURL = strings.TrimRight(cmp.Or(config.SiteURL, "https://events.sandbox.invalid"), "/")
	config.ImageBase = strings.TrimRight(cmp.Or(config.ImageBase, "https://images.sandbox.invalid"), "/")
	config.Platform = cmp.Or(config.Platform, "native")
	config.Headers.Key = cmp.Or(config.Headers.Key, "x-service-api-key")
	config.Headers.Calendar = cmp.Or(config.Headers.Calendar, "x-service-calendar-id")
	config.SlugTaken = cmp.Or(config.SlugTaken, "This slug is already taken.")
	if config.Now == nil {
		config.Now = time.Now
	}
	people, err := newDirectory(config.Headers, config.Keys, config.Calendars)
	if err != nil {
		return nil, fmt.Errorf("reading keys: %w", err)
	}
	faults := &faults{}
	if err := faults.set(config.Faults); err != nil {
		return nil, err
	}
	s := &Service{
		config: config,
		people: people,
		limits: newLimiter(config.Limits, people.organizations, config.Now),
		faults: faults,
		older:  replays{answers: map[creation][]answer{}},
		tally:  tally{requests: map[string]int{}, statuses: map[int]int{}, faults: map[FaultKind]int{}},
		data:   newData(config.Seed, people),
	}
	s.shelf = newShelf(s.data, config.ListLag)
	if config.Dir != "" {
		if s.disk, err = openDisk(config.Dir, s.apply); err != nil {
			return nil, err
		}
	}
	if err := s.seed(config.Existing); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.older.remember(s.data)
	// A process that goes on with the data of another does not have its faults and edits again.
	s.faults.begin(config.Seed + s.data.issued)
	s.editor = editor{rate: config.EditRate, source: rand.New(rand.NewPCG(config.Seed+s.data.issued, 0xed17))}
	return s, nil
}

// Close ends the use of the folder. What would change something is answered
// with 500 from then on.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		return nil
	}
	s.shut = true
	if s.disk == nil {
		return nil
	}
	return s.disk.close()
}

// SetFaults replaces the faults, also while requests are under way.
func (s *Service) SetFaults(list []Fault) error { return s.faults.set(list) }

// call is one request on its way to the operation that answers it.
type call struct {
	route
	r        *http.Request
	now      time.Time
	prefix   string // what the base URL puts before the path
	caller   *caller
	calendar string // selected; empty where an organization selects none
}

// ServeHTTP counts a request at its arrival, refuses it over the limit, lets it
// take effect, spoils the answer where a fault says so. A client that goes away
// does not undo its request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	prefix, path := split(r.URL.Path)
	e := &entry{path: path}
	if id, ok := strings.CutPrefix(path, uploadPath); ok {
		e.path = uploadPath
		e.answer = s.receive(r, id)
		s.finish(w, e)
		return
	}
	c := &call{r: r, now: s.config.Now(), prefix: prefix}
	known := false
	if c.route, known = routes[path]; !known {
		e.path = "unknown"
	}
	refusal := s.people.identify(c)
	if owners := c.owners(); len(owners) > 0 {
		e.quota = s.limits.admit(owners...)
	}
	switch {
	case e.quota.blocked:
		e.answer = throttled(e.quota, true)
	case !known:
		e.answer = *refuse(http.StatusNotFound, "Not found: "+r.Method+" "+path)
	case refusal != nil:
		e.answer = *refusal
	default:
		s.edit()
		s.carryOut(c, e)
	}
	s.finish(w, e)
}

// owners lists who pays for the request. A calendar of an organization keeps its
// own limit too.
func (c *call) owners() []string {
	switch {
	case c.caller == nil:
		return nil
	case c.caller.organization == "":
		return []string{c.calendar}
	case c.calendar == "":
		return []string{c.caller.organization}
	}
	return []string{c.calendar, c.caller.organization}
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
			if half = c.half(); half == nil {
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
		e.answer = s.perform(c)
		if c.Does == schema.Create && e.answer.names() {
			s.older.add(like, e.answer)
		}
	}
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

// perform checks the method and the scope, then has the operation answer.
func (s *Service) perform(c *call) answer {
	if c.r.Method != c.Method {
		return *refuse(http.StatusMethodNotAllowed, "Method not allowed: "+c.r.Method)
	}
	if c.scoped() && c.calendar == "" {
		return *refuse(http.StatusBadRequest, "Select a calendar in the header "+s.config.Headers.Calendar+".")
	}
	return c.route.perform(s, c)
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
