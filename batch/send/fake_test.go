package send

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// fate is what the fake service makes of one write.
type fate struct {
	effect bool  // the write is carried out
	answer error // instead of success
}

var (
	errReset = &api.UnknownOutcomeError{Err: errors.New("connection reset")}
	err500   = &api.UnknownOutcomeError{Status: 500, Err: errors.New("internal server error")}

	// errOlder answers a create with what an older one was answered.
	errOlder = errors.New("an older answer")
)

// fates are those that tests deal to writes: most succeed.
var fates = []fate{
	{true, nil},
	{true, nil},
	{true, nil},
	{true, nil},
	{true, errReset},
	{false, errReset},
	{true, err500},
	{false, err500},
	{false, &api.RateLimitedError{}},
	{false, &api.NotSentError{Err: errors.New("refused")}},
}

// liveEvent is an event that the fake service has.
type liveEvent struct {
	ID, Name, Slug, Calendar string
	StartAt, EndAt, Created  time.Time
	Raw                      json.RawMessage // what else it has
}

// fakeService is one calendar whose writes meet the fates that a test deals out.
type fakeService struct {
	fate func(n int) fate // of the nth write, from 0; nil means that all goes well

	mu      sync.Mutex
	writes  int
	reads   int
	events  map[string]*liveEvent
	updates []string // bodies
	self    error
	lookup  func(n int) error // of the nth look-up
	under   atomic.Int32
	most    int32
	began   int
	leaves  func(n int) time.Duration // how long the nth write takes to leave, in which the end of its context breaks it off
	takes   func(n int) time.Duration // how long it takes then; nil means 100 ms
	ahead   time.Duration             // of its clock, which it tells where that is not 0
	tells   bool                      // a look-up says of which calendar an event is
}

func newFake(events ...liveEvent) *fakeService {
	s := &fakeService{events: map[string]*liveEvent{}}
	for _, e := range events {
		s.events[e.ID] = &e
	}
	return s
}

// Write meets a fate, but for the first step of a cancellation, which writes nothing.
func (s *fakeService) Write(
	ctx context.Context, op *schema.Operation, body json.RawMessage, before func(context.Context) error,
) (api.Answer, error) {
	var asked struct {
		ID      string    `json:"event_id"`
		Name    string    `json:"name"`
		Slug    string    `json:"slug"`
		StartAt time.Time `json:"start_at"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return api.Answer{}, err
	}
	answer := api.Answer{Op: op, Body: []byte("{}")}
	if op.Name == "events/cancel/request" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.events[asked.ID] == nil {
			return answer, &api.ForbiddenError{Message: "no such event"}
		}
		answer.Body = fmt.Appendf(nil, `{"cancellation_token":"token","is_paid":%t}`, s.events[asked.ID].Name == "paid")
		return answer, nil
	}
	err := s.write(ctx, before, func() error {
		switch event := s.events[asked.ID]; {
		case op.Does == schema.Create:
			for _, other := range s.events {
				if asked.Slug != "" && other.Slug == asked.Slug {
					return &api.RejectedError{Status: 400, Message: "that address is not available"}
				}
			}
			id := fmt.Sprintf("evt-%d", len(s.events)+1)
			s.events[id] = &liveEvent{ID: id, Name: asked.Name, Slug: asked.Slug, StartAt: asked.StartAt, Created: time.Now(), Raw: body}
			answer.Body = fmt.Appendf(nil, `{"id":%q}`, id)
		case op.Does == schema.Cancel:
			delete(s.events, asked.ID)
		case event == nil:
			return &api.ForbiddenError{Message: "no such event"}
		default:
			s.updates = append(s.updates, string(body))
			event.Name = cmp.Or(asked.Name, event.Name)
		}
		return nil
	})
	if err != errOlder {
		return answer, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := len(s.events); n > 0; n-- {
		body := fmt.Appendf(nil, `{"id":"evt-%d"}`, n)
		if op.Does == schema.Create && !bytes.Equal(body, answer.Body) {
			answer.Body = body
			return answer, nil
		}
	}
	return answer, err500
}

func (s *fakeService) write(ctx context.Context, before func(context.Context) error, effect func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := before(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.most = max(s.most, s.under.Add(1))
	n := s.began
	s.began++
	s.mu.Unlock()
	defer s.under.Add(-1)
	if s.leaves != nil {
		select {
		case <-time.After(s.leaves(n)):
		case <-ctx.Done():
			return &api.UnknownOutcomeError{Err: ctx.Err()}
		}
	}
	takes := 100 * time.Millisecond
	if s.takes != nil {
		takes = s.takes(n)
	}
	time.Sleep(takes) // of the bubble's clock: requests overlap
	s.mu.Lock()
	defer s.mu.Unlock()
	f := fate{effect: true}
	if s.fate != nil {
		f = s.fate(s.writes)
	}
	s.writes++
	if f.effect {
		if err := effect(); err != nil {
			return err
		}
	}
	return f.answer
}

// Read answers a look-up, the question for an event, and whom the key belongs to.
func (s *fakeService) Read(_ context.Context, op *schema.Operation, query url.Values) (api.Answer, error) {
	answer := func(body string, args ...any) (api.Answer, error) {
		a := api.Answer{Op: op, Body: fmt.Appendf(nil, body, args...)}
		if s.ahead != 0 {
			a.At = time.Now().Add(s.ahead)
		}
		return a, nil
	}
	if op.Name == "users/get-self" {
		if s.self != nil {
			return api.Answer{}, s.self
		}
		return answer(`{"id":"usr-1"}`)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if op.Name == "events/get" {
		if e := s.events[query.Get("event_id")]; e != nil {
			return answer("%s", wire(e))
		}
		return api.Answer{}, &api.ForbiddenError{Message: "no such event"}
	}
	if s.lookup != nil {
		if err := s.lookup(s.reads - 1); err != nil {
			return api.Answer{}, err
		}
	}
	for _, e := range s.events {
		if e.Slug != query.Get("slug") {
			continue
		}
		told := *e
		if !s.tells {
			told.Calendar = ""
		}
		return answer(`{"entity":{"type":"event","event":%s}}`, wire(&told))
	}
	return answer(`{"entity":null}`)
}

// Pages answers with the events between the bounds, in one page.
func (s *fakeService) Pages(_ context.Context, _ *schema.Operation, query url.Values) iter.Seq2[api.Page, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	after, _ := time.Parse(time.RFC3339Nano, query.Get("after"))
	before, _ := time.Parse(time.RFC3339Nano, query.Get("before"))
	var found api.Page
	for _, e := range s.events {
		if !e.StartAt.Before(after) && !e.StartAt.After(before) {
			found.Entries = append(found.Entries, wire(e))
		}
	}
	return func(yield func(api.Page, error) bool) { yield(found, nil) }
}

// wire returns an event as the service gives it back.
func wire(e *liveEvent) json.RawMessage {
	members := map[string]any{}
	_ = json.Unmarshal(e.Raw, &members)
	maps.Copy(members, map[string]any{
		"id": e.ID, "name": e.Name, "slug": e.Slug, "calendar_id": e.Calendar, "start_at": e.StartAt, "created_at": e.Created,
	})
	if !e.EndAt.IsZero() {
		members["end_at"] = e.EndAt
	}
	raw, _ := json.Marshal(members)
	return raw
}

// fakeJournal keeps records in memory, and breaks when it is told to.
type fakeJournal struct {
	mu      sync.Mutex
	records []journal.Record
	breakAt int           // records that fit; 0 means any number
	sync    time.Duration // how long a commit takes
}

func (j *fakeJournal) Append(r journal.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.breakAt > 0 && len(j.records) >= j.breakAt {
		return errors.New("no space left on device")
	}
	j.records = append(j.records, r)
	return nil
}

func (j *fakeJournal) Commit(_ context.Context, r journal.Record) error {
	if err := j.Append(r); err != nil {
		return err
	}
	time.Sleep(j.sync)
	return nil
}

// of gives the types of an op's records in order, with codes where they have one.
func (j *fakeJournal) of(op int) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := ""
	for _, r := range j.records {
		if r.Op == op {
			if s != "" {
				s += " "
			}
			s += string(r.Type)
			if r.Code != "" {
				s += ":" + r.Code
			}
		}
	}
	return s
}

// last gives the latest record of each op.
func (j *fakeJournal) last() map[int]journal.Record {
	last := map[int]journal.Record{}
	for _, r := range j.records {
		if len(r.Ops) > 0 {
			continue // the intent of several
		}
		last[r.Op] = r
	}
	return last
}

var start = time.Date(2027, 4, 3, 18, 0, 0, 0, time.UTC)

// createOp is the nth row, which makes an event.
func createOp(n int, slug string) *plan.Op {
	name := fmt.Sprintf("Event %d", n)
	body := map[string]string{"name": name, "start_at": start.Format(time.RFC3339), "timezone": "Etc/UTC"}
	if slug != "" {
		body["slug"] = slug
	}
	raw, _ := json.Marshal(body)
	return &plan.Op{N: n, Action: plan.Create, Operation: "events/create", Payload: plan.Payload{Body: raw}, Hash: "h", Event: plan.Event{
		Calendar: "cal-1", Key: fmt.Sprint(n), Slug: slug, Derived: slug != "", Name: name, StartAt: start.UnixMilli(),
	}}
}

// updateOp is the nth row, which changes an event; body is without the event's id.
func updateOp(n int, id, body string) *plan.Op {
	if id != "" && body != "" {
		body = `{"event_id":"` + id + `",` + body[1:]
	}
	return &plan.Op{
		N: n, Action: plan.Update, Operation: "events/update", Payload: plan.Payload{Body: json.RawMessage(body)},
		Event: plan.Event{Calendar: "cal-1", Key: fmt.Sprint(n), ID: id},
	}
}

func tasks(ops ...*plan.Op) []Task {
	list := make([]Task, len(ops))
	for i, op := range ops {
		list[i].Op = op
	}
	return list
}

func refs(list []Task) []Ref {
	refs := make([]Ref, len(list))
	for i, t := range list {
		refs[i] = NewRef(t.Op, t.Doubt)
	}
	return refs
}

// known knows some events, which were there.
func known(ids ...string) func(calendar, id string) Acquaintance {
	return func(_, id string) Acquaintance {
		if slices.Contains(ids, id) {
			return Another
		}
		return Stranger
	}
}

// join adds the lane of another run, as that of another calendar.
func join(cfg *Config, other Config, calendar string) {
	other.Lanes[0].Calendar = calendar
	cfg.Lanes = append(cfg.Lanes, other.Lanes[0])
	own := cfg.Task
	cfg.Task = func(n int) (*Task, error) {
		if t, err := own(n); err == nil {
			return t, nil
		}
		return other.Task(n)
	}
}

// calendar is one calendar, which carries out and tells.
type calendar interface {
	Client
	live.Asker
}

// config is a run of one lane with this project's defaults.
func config(s calendar, j Journal, list []Task) Config {
	return Config{
		Lanes: []Lane{{Calendar: "cal-1", Client: s, Live: live.Teller{Asker: s}, Tasks: refs(list), Backlog: new(atomic.Int64)}},
		Task: func(n int) (*Task, error) {
			for i := range list {
				if list[i].Op.N == n {
					task := list[i] // each time one of its own, as from the disk
					return &task, nil
				}
			}
			return nil, errors.New("no such task")
		},
		Where: func(ctx context.Context, event *plan.Event) (string, error) {
			of, err := live.Teller{Asker: s}.Event(ctx, event.ID)
			return of.Calendar(), err
		},
		Journal:     j,
		Concurrency: 4, Lag: api.Lag{Settle: api.Settle}, Patience: 2 * time.Minute,
	}
}

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
