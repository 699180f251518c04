package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sourcegraph/conc/pool"

	"eventbatch/batch/api"
	"eventbatch/batch/export"
	"eventbatch/batch/journal"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
)

// ExportConfig says what is exported.
type ExportConfig struct {
	Service   *Service
	Workspace journal.Store
	Resources []*schema.Resource
	// Calendars are the calendars as the user names them; none is the only one there is,
	// and AllCalendars alone is every one that the keys reach.
	Calendars []string
	// From and To are days, 2027-05-01, of the starts in the events' own zones; each may
	// be empty.
	From, To    string
	Events      []string // ids of the only events that are meant
	Quick       bool     // what only a read of each event gives is left out
	Concurrency int
	Now         func() time.Time
}

// AllCalendars stands for every calendar that the keys reach.
const AllCalendars = "all"

// Exported is what an export reads, and has read. It has to be closed.
type Exported struct {
	Calendars []string // ids
	Named     bool     // the calendars have names by which rows can say them
	Events    int      // that are listed
	Gone      int      // events that were gone when their turn came; complete once the records were read
	// Resumed is when another process began the export, zero where none has, and
	// Requests how many requests are left, by calendar.
	Resumed  time.Time
	Requests map[string]int

	singly  []*schema.Resource // that are read event by event
	folder  string
	readers []*export.Reader
	unlock  func() error
	service *Service
}

// Total returns the sum of the requests that are left.
func (e *Exported) Total() int {
	n := 0
	for _, requests := range e.Requests {
		n += requests
	}
	return n
}

// Export lists the events of the calendars into a folder of the workspace. Where an
// earlier process has begun the same export within a day, it goes on.
func Export(ctx context.Context, config ExportConfig) (exported *Exported, err error) {
	if config.Now == nil {
		config.Now = time.Now
	}
	calendars, named, err := config.Service.calendars(ctx, config.Calendars)
	if err != nil {
		return nil, err
	}
	e := &Exported{Calendars: calendars, Named: named, Requests: map[string]int{}, service: config.Service}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if e.Resumed, err = e.open(ctx, &config); err != nil {
		return nil, err
	}
	if err := e.each(ctx, (*export.Reader).List); err != nil {
		return nil, err
	}
	for _, resource := range config.Resources {
		if resource != schema.Events || !config.Quick || config.Events != nil {
			e.singly = append(e.singly, resource)
		}
	}
	return e, e.count()
}

// count counts the events, and the requests that are left.
func (e *Exported) count() error {
	for _, r := range e.readers {
		events, _, err := r.Left(schema.Events)
		if err != nil {
			return err
		}
		e.Events += events
		for _, resource := range e.singly {
			_, left, err := r.Left(resource)
			if err != nil {
				return err
			}
			if left > 0 {
				e.Requests[r.Calendar] += left
			}
		}
	}
	return nil
}

// Read reads what the lists do not give. It calls answered for each answer, from any
// goroutine.
func (e *Exported) Read(ctx context.Context, answered func()) error {
	for _, resource := range e.singly {
		err := e.each(ctx, func(r *export.Reader, ctx context.Context) error {
			r.Answered = answered
			return r.Read(ctx, resource)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each reads the calendars side by side.
func (e *Exported) each(ctx context.Context, read func(r *export.Reader, ctx context.Context) error) error {
	lanes := pool.New().WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, r := range e.readers {
		lanes.Go(func(ctx context.Context) error {
			if err := read(r, ctx); err != nil {
				return fmt.Errorf("reading calendar %s: %w", r.Calendar, err)
			}
			return nil
		})
	}
	return lanes.Wait()
}

// open opens the folder of the export, and returns when it was begun by another process.
// One that is more than a day old is begun anew.
func (e *Exported) open(ctx context.Context, config *ExportConfig) (begun time.Time, err error) {
	e.folder = filepath.Join(config.Workspace.Folder(), "exports", config.identity(e.Calendars))
	if e.unlock, err = journal.LockFolder(e.folder); err != nil {
		return begun, err
	}
	opening := filepath.Join(e.folder, "begun")
	if info, err := os.Stat(opening); err == nil {
		begun = info.ModTime()
	}
	if config.Now().Sub(begun) > 24*time.Hour {
		begun = time.Time{}
		if err := e.empty(); err != nil {
			return begun, err
		}
		if err := os.WriteFile(opening, nil, 0o600); err != nil {
			return begun, failure.New(failure.Disk, err, "name another folder with --workspace")
		}
	}
	for i, calendar := range e.Calendars {
		l, err := e.service.Line(ctx, calendar)
		if err != nil {
			return begun, err
		}
		after, before, wanted := window(config.From, config.To)
		r, err := export.Open(export.Config{
			Source: l.client, Calendar: calendar, Folder: e.folder, Number: i, After: after, Before: before, Wanted: wanted,
			Events: config.Events, Concurrency: config.Concurrency, Now: config.Now,
		})
		if err != nil {
			return begun, err
		}
		e.readers = append(e.readers, r)
	}
	return begun, nil
}

// identity names the export by everything that decides what is read.
func (c *ExportConfig) identity(calendars []string) string {
	text, _ := json.Marshal([]any{c.Service.BaseURL(), calendars, c.From, c.To, c.Events, c.Quick}) // texts always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// window returns the bounds of a list that has all events which start on the days from
// and to, or between them, in their own zones, and what tells these from the others.
func window(from, to string) (after, before time.Time, wanted func(*api.Event) bool) {
	// No zone is further from UTC. The bounds are exclusive.
	if day, err := time.Parse(time.DateOnly, from); err == nil {
		after = day.Add(-15 * time.Hour)
	}
	if day, err := time.Parse(time.DateOnly, to); err == nil {
		before = day.Add((24 + 15) * time.Hour)
	}
	if after.IsZero() && before.IsZero() {
		return after, before, nil
	}
	return after, before, func(event *api.Event) bool {
		day := event.StartAt.In(zoneOf(event)).Format(time.DateOnly)
		return day >= from && (to == "" || day <= to)
	}
}

func zoneOf(event *api.Event) *time.Location {
	var of struct {
		Timezone string `json:"timezone"`
	}
	if json.Unmarshal(event.Raw, &of) == nil {
		if zone, err := schema.LoadZone(of.Timezone); err == nil {
			return zone
		}
	}
	return time.UTC
}

// Records goes through the records of the resource, calendar by calendar. They are the
// loop's for its turn.
func (e *Exported) Records(resource *schema.Resource) iter.Seq2[*record.Record, error] {
	return func(yield func(*record.Record, error) bool) {
		e.Gone = 0
		r := &record.Record{Draft: new(schema.Draft)}
		for _, reader := range e.readers {
			for item, err := range reader.Items(resource) {
				if err == nil && item.Entry == nil {
					e.Gone++
					continue
				}
				if err == nil {
					err = fill(r, resource, &item)
				}
				r.Draft.Calendar = reader.Calendar
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// fill makes a record of what the service says.
func fill(r *record.Record, resource *schema.Resource, item *export.Item) error {
	var event api.Event
	members := map[string]json.RawMessage{}
	if resource == schema.Events {
		if err := json.Unmarshal(item.Entry, &event); err != nil {
			return fmt.Errorf("reading an event of the export: %w", err)
		}
		item.Entry = event.Raw
	}
	if err := json.Unmarshal(item.Entry, &members); err != nil {
		return fmt.Errorf("reading %s of the export: %w", resource.Some(), err)
	}
	r.At, r.ID, r.URL, r.Place = item.At, event.ID, "", ""
	if resource == schema.Events {
		members[resource.ID], _ = json.Marshal(event.ID)
		members["slug"], _ = json.Marshal(event.Slug)
		_ = json.Unmarshal(members["url"], &r.URL) // what is no text is no address
		r.Place = placeOf(members["geo_address_json"])
	}
	r.Draft.Record(resource, members)
	if parent, ok := resource.ByPath(resource.Parent); ok && item.Event != nil {
		r.Draft.Put(schema.Setting{Field: parent.ID, State: schema.Set, Column: -1, Text: item.Event.ID})
	}
	return nil
}

// placeOf returns where an event is, in words.
func placeOf(address json.RawMessage) string {
	var place struct {
		Full    string `json:"full_address"`
		Address string `json:"address"`
	}
	_ = json.Unmarshal(address, &place) // what is no address has no words
	return cmp.Or(place.Full, place.Address)
}

// Close closes the files: the same export goes on from them.
func (e *Exported) Close() error {
	var errs []error
	for _, r := range e.readers {
		errs = append(errs, r.Close())
	}
	e.readers = nil
	if e.unlock != nil {
		errs = append(errs, e.unlock())
		e.unlock = nil
	}
	return errors.Join(errs...)
}

// Done removes what was read, once it is written out.
func (e *Exported) Done() error {
	for _, r := range e.readers {
		_ = r.Close() // what it held goes now
	}
	e.readers = nil
	return errors.Join(e.empty(), e.Close())
}

// empty removes what the folder holds of an export.
func (e *Exported) empty() error {
	names, err := filepath.Glob(filepath.Join(e.folder, "*.jsonl"))
	for _, name := range append(names, filepath.Join(e.folder, "begun")) {
		if failed := os.Remove(name); failed != nil && !errors.Is(failed, os.ErrNotExist) {
			err = errors.Join(err, failure.New(failure.Disk, failed, ""))
		}
	}
	return err
}

// calendars returns the ids of the calendars that a user means, and whether rows can
// name them.
func (s *Service) calendars(ctx context.Context, words []string) (ids []string, named bool, err error) {
	if slices.Contains(words, AllCalendars) {
		ids, err = s.reached(ctx)
		return ids, true, err
	}
	if len(words) == 0 {
		words = []string{""}
	}
	for _, word := range words {
		id, err := s.Resolve(ctx, word)
		if err != nil {
			return nil, false, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		target, err := s.config.Connection.Targets.For(word)
		named = err == nil && target.Calendar != ""
	}
	return ids, named, nil
}

// reached returns the calendars that the keys reach: those that keys are for, and those
// of the organizations.
func (s *Service) reached(ctx context.Context) (ids []string, err error) {
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, target := range s.config.Connection.Targets.All() {
		if target.Kind != secret.Organization {
			id, err := s.Resolve(ctx, target.Calendar)
			if err != nil {
				return nil, err
			}
			add(id)
			continue
		}
		if target.Calendar != "" {
			add(target.Calendar)
			continue
		}
		l, err := s.open(ctx, target)
		if err != nil {
			return nil, err
		}
		for entry, err := range l.client.List(ctx, schema.OperationNamed(schema.Calendars.Listed), nil) {
			if err != nil {
				return nil, fmt.Errorf("listing the calendars of %s: %w", target.Organization, err)
			}
			calendar, err := api.CalendarOf(api.Answer{Body: entry}, nil)
			if err != nil {
				return nil, err
			}
			add(calendar.ID)
		}
	}
	return ids, nil
}
