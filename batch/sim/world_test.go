package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/internal/storetest"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/source"
)

// world is what a history takes place in: the platform, the machines, and who edits by hand. All in it that is drawn
// follows from the seed of the history.
type world struct {
	setting

	t        *testing.T
	dir      string
	platform *sandbox.Service
	machines []*machine
	flying   sync.WaitGroup // requests that have left
	refuses  atomic.Bool    // the platform refuses every other change of an event
	woken    int            // how often a feed was given something new, to be read

	mu       sync.Mutex
	times    map[uint64]int                 // how often a request was sent, by the hash of what it says
	existed  map[string]time.Time           // when events begin that were there, by their ids
	makers   map[string]string              // the runs whose requests have made events, by these
	hand     map[string]map[string]by       // what a person has put into fields, by event
	returned map[string]map[string][]string // what a person has put into the cells of exports, by event and field
	arrivals map[string][]time.Time         // by owner
	asked    map[string][]pause             // by owner
	before   map[string]picture             // what there was when a run was begun, by its id
	failures []string
	calm     bool // nothing goes wrong any more, and nobody edits
}

// by is a value that a person has put somewhere.
type by struct {
	value string // JSON
	at    time.Time
}

// setting is how the platform and the command are in a history.
type setting struct {
	seed        uint64
	limits      sandbox.Limits
	concurrency int
	slug        string // derive or keep
	compare     string // sent or live
	conflict    string // who is right, where it is compared with what is live
	missing     source.Missing
	removes     bool // rows are removed from files
	guests      bool // there are some
	tickets     bool // guests have tickets of several types
	further     *further
	calendars   []string
	organized   bool          // one key reaches all calendars, as that of their organization
	moves       bool          // events to other calendars; one without a slug whose create is in doubt is looked for on its own alone
	nights      bool          // files are the feeds of syncs
	described   bool          // events have descriptions, which the platform tells in other words
	undo        bool          // runs are taken back
	resolves    bool          // whoever imports has earlier runs ended
	replays     bool          // answers of earlier requests come again
	branch      bool          // there is a second folder, with a file of its own
	untold      bool          // answers do not say what is left of the limit
	steps       bool          // somebody puts the clocks of the machines back now and then
	ahead       *atomic.Int64 // how far the platform's clock is ahead of theirs, as a time.Duration
	slow        float64       // of requests that take many seconds
	editRate    float64       // of requests before which a person edits
	config      sandbox.Config
}

func (s setting) String() string {
	besides := "nothing"
	switch {
	case s.tickets:
		besides = "guests with tickets"
	case s.guests:
		besides = "guests"
	case s.further != nil:
		besides = s.further.resource.Name
	}
	return fmt.Sprintf(
		"slugs %s, compared with %s, %s right, missing %s %t, %s besides, resolves %t, two folders %t, wrong ids %t, %d at once, lag %v, "+
			"calendars %d, of one key %t, described %t, nights %t, clocks put back %t",
		s.slug, s.compare, s.conflict, s.missing, s.removes, besides, s.resolves, s.branch, s.replays, s.concurrency, s.config.ListLag,
		len(s.calendars), s.organized, s.described, s.nights, s.steps,
	)
}

// settings draws a setting.
func settings(seed uint64) setting {
	draw := rand.New(rand.NewPCG(seed, 0x5e7))
	s := setting{
		seed: seed, limits: sandbox.Limits{Calendar: 6 + draw.IntN(30), Organization: 20 + draw.IntN(60)},
		concurrency: 1 + draw.IntN(4), slug: one(draw, "derive", "keep"), compare: one(draw, "sent", "live"),
		conflict: one(draw, "mine", "theirs"), missing: one(draw, source.Report, source.Cancel), guests: draw.IntN(4) == 0,
		branch: draw.IntN(3) == 0, slow: 0.1 * draw.Float64(), editRate: 0.05 * draw.Float64(),
	}
	s.replays = !s.branch && draw.IntN(3) == 0
	s.untold = draw.IntN(2) == 0
	if !s.guests && draw.IntN(3) == 0 {
		s.further = one(draw, furthers...)
	}
	alone := !s.guests && s.further == nil
	s.removes = alone && draw.IntN(3) > 0
	s.undo = alone
	s.resolves = s.removes && draw.IntN(2) == 0
	day := sandbox.Config{EditRate: -1, ListLag: time.Millisecond, Background: time.Millisecond}
	if draw.IntN(4) > 0 {
		day = sandbox.Config{EditRate: -1}
	}
	day.BadDay(seed)
	day.Limits = s.limits
	for i, f := range day.Faults {
		day.Faults[i].Rate *= 2 * draw.Float64()
		if f.Kind == sandbox.Throttle || f.Kind == sandbox.ThrottleBare {
			day.Faults[i].Rate *= 10
		}
		switch {
		case f.Kind != sandbox.ReplayBefore && f.Kind != sandbox.ReplayAfter:
		case s.replays:
			day.Faults[i].Rate *= 5
		default:
			day.Faults[i].Rate = 0 // the id of an event that no run of the folder knows yet is taken for one's own
		}
	}
	s.ahead = new(atomic.Int64)
	s.ahead.Store(int64(time.Duration(draw.IntN(1200)-600) * time.Second))
	day.Now = func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
	s.config = day
	s.places(rand.New(rand.NewPCG(seed, 0xca1)))
	s.tickets = s.guests && rand.New(rand.NewPCG(seed, 0x71c)).IntN(2) == 0
	if s.further != nil && rand.New(rand.NewPCG(seed, 0x4057)).IntN(2) == 0 {
		s.further = hosts
	}
	s.nights = s.removes && rand.New(rand.NewPCG(seed, 0x9197)).IntN(3) > 0
	s.described = rand.New(rand.NewPCG(seed, 0xde5c)).IntN(4) == 0
	s.steps = rand.New(rand.NewPCG(seed, 0xc10c)).IntN(3) == 0
	return s
}

// organizationKey is the key that all calendars have where they are of one organization.
const organizationKey = "key-org"

// keyOf returns the key by which requests about a calendar are made.
func (s *setting) keyOf(calendar string) string {
	if s.organized {
		return organizationKey
	}
	return strings.Replace(calendar, "cal-", "key-", 1)
}

// places draws which calendars there are, and whose keys.
func (s *setting) places(draw *rand.Rand) {
	s.calendars = []string{"cal-a"}
	if draw.IntN(3) == 0 {
		s.calendars, s.organized = []string{"cal-a", "cal-b"}, draw.IntN(4) > 0
	}
	if s.organized {
		s.moves = s.slug == "derive"
		s.config.Keys = []sandbox.Key{{Kind: sandbox.OrganizationKey, Organization: "org-1", Calendar: "cal-a", Secret: organizationKey}}
		s.config.Calendars = []sandbox.Calendar{{ID: "cal-b", Organization: "org-1"}}
		return
	}
	for _, calendar := range s.calendars {
		s.config.Keys = append(s.config.Keys, sandbox.Key{Kind: sandbox.CalendarKey, Calendar: calendar, Secret: s.keyOf(calendar)})
	}
}

func one[T any](source *rand.Rand, of ...T) T { return of[source.IntN(len(of))] }

func newWorld(t *testing.T, dir string, s setting) (*world, error) {
	platform, err := sandbox.New(s.config)
	if err != nil {
		return nil, err
	}
	w := &world{
		setting: s, t: t, dir: dir, platform: platform, times: map[uint64]int{}, existed: map[string]time.Time{},
		hand: map[string]map[string]by{}, returned: map[string]map[string][]string{}, arrivals: map[string][]time.Time{},
		before: map[string]picture{}, asked: map[string][]pause{}, makers: map[string]string{},
	}
	w.machine("office")
	if s.branch {
		w.machine("branch")
	}
	return w, nil
}

// machine adds one with a file of its own.
func (w *world) machine(name string) {
	t := &table{path: filepath.Join(w.dir, "of-"+name), prefix: name, day: len(w.machines)}
	folder := filepath.Join(w.dir, name)
	w.machines = append(w.machines, &machine{home: folder, folder: folder, table: t, stored: map[string]*storetest.TornFile{}})
}

// fail notes what should not be.
func (w *world) fail(format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, fmt.Sprintf(format, values...))
}

// travels returns how long a request is under way before it arrives, which follows from what it says and how often that was
// said.
func (w *world) travels(path string, body []byte) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(path))
	_, _ = h.Write(body)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.times[h.Sum64()]++
	source := rand.New(rand.NewPCG(w.seed^h.Sum64(), uint64(w.times[h.Sum64()])))
	if !w.calm && source.Float64() < w.slow {
		return time.Duration(source.IntN(14_000)) * time.Millisecond
	}
	return time.Duration(1+source.IntN(300)) * time.Millisecond
}

// picture has the fields of the events that are there, by their ids.
type picture map[string]map[string]string

func (w *world) look() picture {
	p := picture{}
	for _, e := range w.platform.Events() {
		p[e.ID] = map[string]string{}
		for field, value := range e.Fields {
			p[e.ID][field] = string(value)
		}
		p[e.ID]["calendar_id"] = string(quoted(e.Calendar))
	}
	return p
}

// begins notes that a process sends a run from now on.
func (w *world) begins(p *process, run *journal.Run) {
	now := w.look()
	p.mu.Lock()
	p.run = run
	p.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, begun := w.before[run.ID()]; !begun {
		w.before[run.ID()] = now
	}
}

// watch looks at a request that arrives: what a person has done is not overwritten unseen.
func (w *world) watch(req *http.Request, body []byte, by *process) {
	w.mu.Lock()
	for _, owner := range owners(req) {
		w.arrivals[owner] = append(w.arrivals[owner], time.Now())
	}
	w.mu.Unlock()
	by.mu.Lock()
	run := by.run
	by.mu.Unlock()
	if run != nil {
		w.checkCancel(req, body, run)
	}
	if run == nil || !strings.HasSuffix(req.URL.Path, "/events/update") && !strings.HasSuffix(req.URL.Path, transferring) {
		return
	}
	h := run.Header()
	if h.Options.Compare != "live" && h.Command != "undo" {
		return // it is what the file says that counts
	}
	var sent map[string]json.RawMessage
	var id string
	if json.Unmarshal(body, &sent) != nil || json.Unmarshal(sent["event_id"], &id) != nil {
		return
	}
	for field, is := range w.look()[id] {
		value, sends := sent[field]
		w.mu.Lock()
		put, byHand := w.hand[id][field]
		exported := slices.ContainsFunc(w.returned[id][field], func(cell string) bool { return alike(field, cell, string(value)) })
		w.mu.Unlock()
		// Whoever has changed the cell of an export has seen what was there.
		unasked := h.Options.OnConflict == plan.Theirs && !exported && w.plansSince(by.on, put.at) == 1
		if sends && byHand && alike(field, put.value, is) && !alike(field, string(value), is) && time.Since(put.at) > 3*time.Minute &&
			(h.Command == "undo" || unasked || !sees(run, id, field, is)) {
			w.fail("run %s overwrites the %s %s of event %s, of which a person put it there %v ago, with %s, and has not seen it: %s",
				run.ID(), field, is, id, time.Since(put.at), value, body)
		}
	}
}

// plansSince returns how often the rows of a machine were planned since then.
func (w *world) plansSince(m *machine, then time.Time) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range m.planned {
		if at.After(then) {
			n++
		}
	}
	return n
}

// plans notes that the rows of a machine were planned.
func (w *world) plans(m *machine) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.planned = append(m.planned, time.Now())
}

// sees reports whether the plan of a run says that a field of an event is so, and is sent.
func sees(run *journal.Run, id, field, is string) bool {
	for op, err := range run.Ops() {
		if err != nil {
			return true
		}
		for _, c := range op.Changes {
			if op.Event.ID == id && c.Field == field && c.Decision == plan.Send && alike(field, string(c.Live), is) {
				return true
			}
		}
	}
	return false
}

// made looks at what there is after a request of a process: no row has two events, ever.
func (w *world) made(body []byte, by *process) {
	by.mu.Lock()
	run := by.run
	by.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	begins := map[time.Time]string{}
	for _, e := range w.platform.Events() {
		if w.existed[e.ID].IsZero() && run != nil && bytes.Contains(body, []byte(e.Start.UTC().Format(time.RFC3339))) {
			w.makers[e.ID] = run.ID()
		}
		w.existed[e.ID] = e.Start
		if other := begins[e.Start]; other != "" {
			w.failures = append(w.failures, fmt.Sprintf("events %s and %s are of one row: both begin at %v", other, e.ID, e.Start))
		}
		begins[e.Start] = e.ID
	}
}

// meddles perhaps has a person edit something while a process is at work.
func (w *world) meddles(by *process) {
	if w.calm || w.editRate == 0 || float64(by.draw(1_000_000)) >= 1_000_000*w.editRate {
		return
	}
	w.edit(rand.New(rand.NewPCG(uint64(by.draw(1<<30)), 0xed17)))
}

// edit has a person edit an event.
func (w *world) edit(draw *rand.Rand) {
	events := w.platform.Events()
	if len(events) == 0 {
		return
	}
	id, field := "", "max_capacity"
	if w.slug == "derive" && draw.IntN(2) == 0 { // else an event in doubt that was renamed has nothing by which it is found
		field = "name"
	}
	id = one(draw, events...).ID
	if w.moves && draw.IntN(3) == 0 {
		field = "calendar_id"
	} else if w.described && draw.IntN(2) == 0 {
		field = "description_md"
	}
	w.puts(id, field, draw)
}

// puts has a person put something into a field of an event.
func (w *world) puts(id, field string, draw *rand.Rand) {
	value := fmt.Sprint(1000 + draw.IntN(100))
	if field == "name" {
		value = fmt.Sprintf(`"By hand %s"`, value)
	}
	path := "/v1/events/update"
	switch field {
	case "calendar_id":
		path, value = transferring, string(quoted(one(draw, w.calendars...)))
	case "description_md":
		value = string(quoted(described(draw)))
	}
	w.mu.Lock()
	if w.hand[id] == nil {
		w.hand[id] = map[string]by{}
	}
	was, put := w.hand[id][field]
	w.hand[id][field] = by{value, time.Now()}
	w.mu.Unlock()
	done := w.byHand(path, id, field, value)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case done:
	case put:
		w.hand[id][field] = was
	default:
		delete(w.hand[id], field)
	}
}

// byHand sends a request of a person, who tries again until the event is so, or gives up.
func (w *world) byHand(path, id, field, value string) (done bool) {
	body := map[string]any{"event_id": id, field: json.RawMessage(value)}
	if path != transferring {
		body["suppress_email"] = true
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	for range 3 {
		if res, err := w.platform.Transport().RoundTrip(w.request(http.MethodPost, path, w.calendarOf(id), text)); err == nil {
			_ = res.Body.Close()
		}
		if w.look()[id][field] == value {
			return true
		}
	}
	return false
}

// transferring is the path of the request that gives an event to another calendar.
const transferring = "/v1/organizations/events/transfer-calendar"

// request returns one of a person, about a calendar.
func (w *world) request(method, path, calendar string, body []byte) *http.Request {
	req, err := http.NewRequestWithContext(context.Background(), method, "http://localhost/api"+path, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("x-service-api-key", w.keyOf(calendar))
	if w.organized {
		req.Header.Set("x-service-calendar-id", calendar)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req
}

// calendarOf returns the calendar that an event is on, empty where it is gone.
func (w *world) calendarOf(id string) string {
	for _, e := range w.platform.Events() {
		if e.ID == id {
			return e.Calendar
		}
	}
	return ""
}

func quoted(text string) json.RawMessage {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return b
}
