package sandbox

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"
)

// Config says what the service in miniature holds. The zero value is a service
// with one calendar, cal-sandbox, one calendar key, "sandbox", the limits of
// the service document, nothing on disk.
type Config struct {
	// Dir is the folder where the data is kept, made when missing; empty keeps
	// it in memory only. Every change is handed to the operating system before
	// its answer leaves, so that killing the process loses nothing answered.
	Dir string

	Keys      []Key      // default: the calendar key "sandbox" of cal-sandbox
	Calendars []Calendar // calendars beyond those that the keys name
	Limits    Limits

	Latency time.Duration // how long a request travels before it takes effect
	Faults  []Fault
	Seed    uint64 // of ids and of faults

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
	now    func() time.Time
	people directory
	limits *limiter
	faults *faults
	tally  tally

	mu    sync.RWMutex // guards data, and the order of records in disk
	data  *data
	disk  *disk // nil when in memory only
	ended bool
}

// New reads what the folder holds already. It fails on a folder that another
// process uses, on a damaged log, on a fault's rate outside 0 to 1.
func New(config Config) (*Service, error) {
	config.SiteURL = cmp.Or(config.SiteURL, "https://events.sandbox.invalid")
	config.ImageBase = cmp.Or(config.ImageBase, "https://images.sandbox.invalid")
	config.Platform = cmp.Or(config.Platform, "native")
	config.Headers.Key = cmp.Or(config.Headers.Key, "x-service-api-key")
	config.Headers.Calendar = cmp.Or(config.Headers.Calendar, "x-service-calendar-id")
	config.SlugTaken = cmp.Or(config.SlugTaken, "This slug is already taken.")
	if config.Now == nil {
		config.Now = time.Now
	}
	people, err := newDirectory(config.Keys, config.Calendars)
	if err != nil {
		return nil, err
	}
	faults, err := newFaults(config.Faults, config.Seed)
	if err != nil {
		return nil, err
	}
	s := &Service{
		config: config,
		now:    config.Now,
		people: people,
		limits: newLimiter(config.Limits, config.Now),
		faults: faults,
		data:   newData(config.Seed, people),
	}
	if config.Dir != "" {
		if s.disk, err = openDisk(config.Dir, s.data.apply); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Close ends the use of the folder. Whatever would change something is answered
// with 500 from then on.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	s.ended = true
	if s.disk == nil {
		return nil
	}
	return s.disk.close()
}

// SetFaults replaces the faults, also while requests are under way.
func (s *Service) SetFaults(list []Fault) error { return s.faults.set(list) }

// call is one request on its way to the operation that answers it.
type call struct {
	r        *http.Request
	prefix   string // what the path holds before its version
	route    route
	caller   *caller
	calendar string // selected calendar; empty for an organization key that names none
}

// ServeHTTP counts a request at its arrival, refuses it over the limit, lets it
// take effect, spoils the answer where a fault says so. A client that goes away
// does not undo its request.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	prefix, path := splitPath(r.URL.Path)
	if id, ok := uploadID(path); ok {
		s.finish(w, entry{path: uploadPath, answer: s.receive(r, id)})
		return
	}
	c := call{r: r, prefix: prefix}
	known := c.find(path)
	refusal := s.identify(&c)
	e := entry{path: path}
	if !known {
		e.path = "unknown"
	}
	if c.caller != nil {
		if e.state, refusal = s.admit(&c, refusal); e.state.blocked {
			e.answer = throttled(e.state, true)
			s.finish(w, e)
			return
		}
	}
	switch {
	case !known:
		e.answer = refuse(http.StatusNotFound, "Not found: "+r.Method+" "+path)
	case refusal != nil:
		e.answer = *refusal
	default:
		e.fault = s.faults.draw(c.route.path)
		s.carryOut(&c, &e)
	}
	s.finish(w, e)
}

// admit counts the request for its owners. A request refused for its calendar
// has reached the organization all the same.
func (s *Service) admit(c *call, refusal *answer) (quota, *answer) {
	var owners [2]string
	names := owners[:0]
	if c.caller.organization != "" {
		names = append(names, c.caller.organization)
	}
	if c.calendar != "" {
		names = append(names, c.calendar)
	}
	return s.limits.admit(names...), refusal
}

func (s *Service) carryOut(c *call, e *entry) {
	pause(c.r.Context(), s.config.Latency)
	if e.fault.early() {
		s.spoil(c, e)
		return
	}
	e.answer = s.perform(c)
	if e.fault.Kind == Slow {
		pause(c.r.Context(), e.fault.Delay)
		return
	}
	s.spoil(c, e)
}

// perform checks method and media type, then lets the operation answer.
func (s *Service) perform(c *call) answer {
	if c.r.Method != c.route.method {
		return refuse(http.StatusMethodNotAllowed, "Method not allowed: "+c.r.Method)
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
