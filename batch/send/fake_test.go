package send

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// fate is what the fake service makes of one write.
type fate struct {
	effect bool  // the write is carried out
	answer error // instead of success
}

var (
	errReset = &api.UnknownOutcomeError{Err: errors.New("connection reset")}
	err500   = &api.UnknownOutcomeError{Status: 500, Err: errors.New("internal server error")}
)

// fakeService is one calendar whose writes meet the fates that a test deals out.
type fakeService struct {
	fate func(n int) fate // of the nth write, from 0; nil means that all goes well

	mu      sync.Mutex
	writes  int
	reads   int
	events  map[string]*api.Event
	updates []string // bodies
	self    error
	lookup  func(n int) error // of the nth look-up
	under   atomic.Int32
	most    int32
	began   int
	leaves  func(n int) time.Duration // how long the nth write takes to leave, in which the end of its context breaks it off
	takes   func(n int) time.Duration // how long it takes then; nil means 100 ms
	raw     string                    // what a look-up says of an event
}

func newFake(events ...api.Event) *fakeService {
	s := &fakeService{events: map[string]*api.Event{}}
	for _, e := range events {
		s.events[e.ID] = &e
	}
	return s
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

func (s *fakeService) CreateEvent(ctx context.Context, body json.RawMessage, before func(context.Context) error) (string, error) {
	id := ""
	err := s.write(ctx, before, func() error {
		var e struct {
			Name    string    `json:"name"`
			Slug    string    `json:"slug"`
			StartAt time.Time `json:"start_at"`
		}
		if err := json.Unmarshal(body, &e); err != nil {
			return err
		}
		for _, other := range s.events {
			if e.Slug != "" && other.Slug == e.Slug {
				return &api.RejectedError{Status: 400, Message: "that address is not available"}
			}
		}
		id = fmt.Sprintf("evt-%d", len(s.events)+1)
		s.events[id] = &api.Event{ID: id, Name: e.Name, Slug: e.Slug, StartAt: e.StartAt, Created: time.Now(), Raw: body}
		return nil
	})
	return id, err
}

func (s *fakeService) UpdateEvent(ctx context.Context, body json.RawMessage, before func(context.Context) error) error {
	return s.write(ctx, before, func() error {
		var e struct {
			ID   string `json:"event_id"`
			Name string `json:"name"`
		}
		if err := json.Unmarshal(body, &e); err != nil {
			return err
		}
		event := s.events[e.ID]
		if event == nil {
			return &api.ForbiddenError{Message: "no such event"}
		}
		s.updates = append(s.updates, string(body))
		if e.Name != "" {
			event.Name = e.Name
		}
		return nil
	})
}

func (s *fakeService) RequestCancel(_ context.Context, id string) (api.Cancellation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.events[id] == nil {
		return api.Cancellation{}, &api.ForbiddenError{Message: "no such event"}
	}
	return api.Cancellation{Token: "token", Paid: s.events[id].Name == "paid"}, nil
}

func (s *fakeService) CancelEvent(ctx context.Context, id, token string, _ *bool, before func(context.Context) error) error {
	return s.write(ctx, before, func() error {
		delete(s.events, id)
		return nil
	})
}

func (s *fakeService) LookupSlug(_ context.Context, slug string) (api.Entity, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.lookup != nil {
		if err := s.lookup(s.reads - 1); err != nil {
			return api.Entity{}, err
		}
	}
	for _, e := range s.events {
		if e.Slug == slug {
			return api.Entity{
				Taken: true, Type: "event", ID: e.ID, Name: e.Name, Slug: slug, StartAt: e.StartAt, Raw: json.RawMessage(s.raw),
			}, nil
		}
	}
	return api.Entity{}, nil
}

func (s *fakeService) GetEvent(_ context.Context, id string) (api.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if e := s.events[id]; e != nil {
		return *e, nil
	}
	return api.Event{}, &api.ForbiddenError{Message: "no such event"}
}

func (s *fakeService) ListEvents(_ context.Context, q api.ListQuery) iter.Seq2[api.Event, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	var found []api.Event
	for _, e := range s.events {
		if !e.StartAt.Before(q.After) && !e.StartAt.After(q.Before) {
			found = append(found, *e)
		}
	}
	return func(yield func(api.Event, error) bool) {
		for _, e := range found {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s *fakeService) Self(context.Context) (api.User, error) { return api.User{ID: "usr-1"}, s.self }

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
	return &plan.Op{N: n, Action: plan.Create, Payload: plan.Payload{Body: raw}, Hash: "h", Event: plan.Event{
		Calendar: "cal-1", Key: fmt.Sprint(n), Slug: slug, Derived: slug != "", Name: name, StartAt: start.UnixMilli(),
	}}
}

// updateOp is the nth row, which changes an event; body is without the event's id.
func updateOp(n int, id, body string) *plan.Op {
	if id != "" && body != "" {
		body = `{"event_id":"` + id + `",` + body[1:]
	}
	return &plan.Op{
		N: n, Action: plan.Update, Payload: plan.Payload{Body: json.RawMessage(body)},
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

// known knows some events.
func known(ids ...string) func(calendar, id string) bool {
	return func(_, id string) bool { return slices.Contains(ids, id) }
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

// config is a run of one lane with this project's defaults.
func config(s Caller, j Journal, list []Task) Config {
	return Config{
		Lanes: []Lane{{Calendar: "cal-1", Caller: s, Tasks: refs(list), Backlog: new(atomic.Int64)}},
		Task: func(n int) (*Task, error) {
			for i := range list {
				if list[i].Op.N == n {
					return &list[i], nil
				}
			}
			return nil, errors.New("no such task")
		},
		Journal:     j,
		Concurrency: 4, Settle: 5 * time.Second, Patience: 2 * time.Minute,
	}
}

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
