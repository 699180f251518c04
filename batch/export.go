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
	"strings"
	"time"

	"github.com/sourcegraph/conc/pool"

	"eventbatch/batch/export"
	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/live"
	"eventbatch/batch/service"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// ExportConfig says what is exported.
type ExportConfig struct {
	Service   *service.Service
	Workspace journal.Store
	Resources []*schema.Resource
	// With are resources whose records are meant as far as they belong to an event that
	// is exported.
	With []*schema.Resource
	// Where is true of the records of the first resource that are meant. Nil: of all.
	Where *record.Filter
	Reads Reads
	Now   func() time.Time
}

// Exported is what an export reads, and has read. It has to be closed.
type Exported struct {
	Calendars []string // ids
	Named     bool     // the calendars have names by which rows can say them
	Events    int      // that are listed, and meant as far as the list tells
	Undecided int      // of them: those that have to be read before it is known whether they are meant
	// Resumed is when another process began the export, zero where none has, and
	// Requests how many requests are left, by calendar.
	Resumed  time.Time
	Requests map[string]int

	labels  labels // of the questions that records answer
	config  *ExportConfig
	singly  []*schema.Resource // that are read event by event
	gone    map[string]bool    // events that were gone when their turn came
	folder  string
	readers []*export.Reader
	unlock  func() error
}

// Gone returns how many events were gone when their turn came. It is complete once the
// records were read.
func (e *Exported) Gone() int { return len(e.gone) }

// Shifts returns in words whose lists were others each time that they were read: some of these records
// may be missing.
func (e *Exported) Shifts() (lists []string) {
	for _, r := range e.readers {
		lists = append(lists, r.Shifts()...)
	}
	return lists
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
	calendars, named, err := config.Service.Calendars(ctx, config.Reads.Calendars)
	if err != nil {
		return nil, err
	}
	e := &Exported{Calendars: calendars, Named: named, Requests: map[string]int{}, config: &config, gone: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if e.Resumed, err = e.open(ctx); err != nil {
		return nil, err
	}
	all := slices.Concat(config.Resources, config.With)
	if err := config.await(ctx); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(all, func(r *schema.Resource) bool { return r.Listed != "" }) {
		if err := e.each(ctx, (*export.Reader).List); err != nil {
			return nil, err
		}
	}
	for _, resource := range all {
		of := resource.Of()
		if of != nil && len(config.Reads.Events) > 0 && !config.Reads.Quick && !slices.Contains(e.singly, of) {
			e.singly = append(e.singly, of) // no list tells of their names and questions
		}
		told := export.Answering(resource)
		if !slices.Contains(e.singly, told) && (!resource.Keyed() || !config.Reads.Quick || len(config.Reads.Events) > 0) {
			e.singly = append(e.singly, told)
		}
	}
	if err := e.sift(false); err != nil {
		return nil, err
	}
	return e, e.count()
}

// await waits until lists show what the runs of the workspace were answered last. Where another
// process has the lock, that is taken to be now.
func (c *ExportConfig) await(ctx context.Context) error {
	brief, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	heard := time.Now()
	if unlock, err := c.Workspace.Lock(brief, journal.Runs); err == nil {
		memory, err := c.Workspace.Memory(c.Service.BaseURL())
		if err == nil {
			heard = memory.Heard("")
			err = memory.Close()
		}
		if err := errors.Join(err, unlock()); err != nil {
			return err
		}
	} else if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return c.Service.Await(ctx, heard)
}

// sift leaves out the events that are not meant. Before they are read one by one, a list
// may not tell of all.
func (e *Exported) sift(read bool) error {
	where := e.config.Where
	events := e.config.Resources[0]
	if where == nil || !events.Keyed() {
		return nil
	}
	e.Undecided = 0
	r := &record.Record{Draft: new(schema.Draft)}
	for _, reader := range e.readers {
		var out []string
		for item, err := range reader.Items(events) {
			if err != nil {
				return err
			}
			if item.Record == nil {
				continue // it is gone
			}
			members := fill(r, events, &item)
			r.Draft.Calendar = reader.Calendar
			keeps, err := where.Keeps(r)
			untold := slices.IndexFunc(where.Read(), func(f *schema.Field) bool { return !tells(members, f) })
			switch {
			case !read && untold >= 0 && slices.Contains(e.singly, events):
				e.Undecided++
			case !read && untold >= 0 && where.Read()[untold].Kind == schema.Markdown:
				err := fmt.Errorf("--where reads %s, which a list of events does not tell", where.Read()[untold].Path)
				return failure.New(failure.Usage, err, "leave --quick out")
			case err != nil:
				return untrue(events, r.ID, err)
			case !keeps:
				out = append(out, r.ID)
			}
		}
		for _, id := range out {
			reader.Omit(id)
		}
	}
	return nil
}

// untrue words that the expression cannot be told of a record.
func untrue(resource *schema.Resource, name string, err error) error {
	err = fmt.Errorf("--where: %s %s: %w", resource.One, name, err)
	return failure.New(failure.Usage, err, `a blank cell is "", which is no number: x != "" && int(x) > 50`)
}

// tells reports whether an event, as it was read, has a value for the field, or none.
func tells(members map[string]json.RawMessage, f *schema.Field) bool {
	if whole, part := f.Object(); part && f.Reads == "" {
		f = whole
	}
	_, told := members[f.Read()]
	return told || f.Local
}

// count counts the events, and the requests that are left.
func (e *Exported) count() error {
	for _, r := range e.readers {
		events, _, err := r.Left(catalog.Events)
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
		if err == nil && resource.Keyed() {
			err = e.sift(true)
		}
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
func (e *Exported) open(ctx context.Context) (begun time.Time, err error) {
	config, reads := e.config, &e.config.Reads
	e.folder = filepath.Join(config.Workspace.Folder(), files.ExportsName, config.identity(e.Calendars))
	if e.unlock, err = files.LockFolder(e.folder, "export "+filepath.Base(e.folder)); err != nil {
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
		if err := own.ReplaceText(opening, nil); err != nil {
			return begun, failure.New(failure.Disk, err, "name another folder with --workspace")
		}
	}
	for i, calendar := range e.Calendars {
		l, err := config.Service.Line(ctx, calendar)
		if err != nil {
			return begun, err
		}
		after, before, wanted := reads.window()
		r, err := export.Open(export.Config{
			Client: live.Teller{Asker: l.Client}, Calendar: calendar, Folder: e.folder, Number: i,
			After: after, Before: before, Wanted: wanted,
			Events: reads.Events, Alone: len(reads.Events)+len(config.With) == 0, Concurrency: reads.Concurrency, Now: config.Now,
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
	r := &c.Reads
	text, _ := json.Marshal([]any{c.Service.BaseURL(), calendars, r.From, r.To, r.Events, r.Quick}) // texts always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// Records goes through the records of the resource, calendar by calendar. They are the
// loop's for its turn.
func (e *Exported) Records(resource *schema.Resource) iter.Seq2[*record.Record, error] {
	return func(yield func(*record.Record, error) bool) {
		r := &record.Record{Draft: new(schema.Draft)}
		where := e.config.Where
		if resource.Keyed() || resource != e.config.Resources[0] {
			where = nil // the events were sifted
		}
		for _, reader := range e.readers {
			types, err := e.typeNames(reader, resource)
			if err != nil {
				yield(r, err)
				return
			}
			for item, err := range reader.Items(resource) {
				if err == nil && item.Record == nil {
					e.gone[item.Event.ID] = true
					continue
				}
				if err == nil {
					fill(r, resource, &item)
				}
				if r.Draft.Calendar = reader.Calendar; err == nil {
					e.labels.say(r, item.Of())
				}
				if err == nil && where != nil {
					var keeps bool
					if keeps, err = where.Keeps(r); err != nil {
						err = untrue(resource, r.Draft.Name(), err)
					} else if !keeps {
						continue
					}
				}
				if err == nil && item.Event != nil {
					name(r.Draft, types[item.Event.ID])
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// typeNames returns by event what a cell calls ticket types, by their ids, where they are exported too
// and records of the resource name them. One whose name is not its own goes by its id.
func (e *Exported) typeNames(reader *export.Reader, resource *schema.Resource) (names map[string]map[string]string, err error) {
	of := catalog.TicketTypes
	if !slices.ContainsFunc(resource.Own, func(f schema.Field) bool { return f.Refers == of }) ||
		!slices.Contains(slices.Concat(e.config.Resources, e.config.With), of) {
		return nil, nil
	}
	names = map[string]map[string]string{}
	taken, r := map[[2]string]string{}, &record.Record{Draft: new(schema.Draft)}
	for item, err := range reader.Items(of) {
		if err != nil {
			return nil, err
		}
		if item.Record == nil {
			continue
		}
		fill(r, of, &item)
		event, id, name := item.Event.ID, r.Draft.Value(of.ID), r.Draft.Name()
		if names[event] == nil {
			names[event] = map[string]string{}
		}
		like := [2]string{event, strings.ToLower(name)}
		if other := taken[like]; other != "" {
			delete(names[event], other)
		} else if taken[like] = id; !strings.ContainsAny(name, ";\n") && strings.TrimSpace(name) == name {
			names[event][id] = name
		}
	}
	return names, nil
}

// name puts the names of ticket types in the place of their ids.
func name(d *schema.Draft, types map[string]string) {
	for i := range d.Settings {
		s := &d.Settings[i]
		if f := catalog.Field(s.Field); f.Refers == catalog.TicketTypes && s.State == schema.Set {
			s.Text = value.EachName(f, s.Text, func(id string) string { return cmp.Or(types[id], id) })
		}
	}
}

// fill makes a record of what the service says, and returns its members.
func fill(r *record.Record, resource *schema.Resource, item *export.Item) (members map[string]json.RawMessage) {
	members = item.Record.Values
	r.At, r.ID, r.URL, r.Place = item.At, "", "", ""
	if resource.Keyed() {
		r.ID = item.Record.ID
		members[resource.ID], _ = json.Marshal(r.ID) // texts always encode
		_ = json.Unmarshal(members["url"], &r.URL)   // what is no text is no address
		if tags := catalog.Path(catalog.FieldTags); members[tags] == nil && item.Event != nil && item.Event.Values[tags] != nil {
			members[tags] = item.Event.Values[tags] // which lists alone tell
		}
		r.Place = value.Address(members["geo_address_json"])
	}
	resource.Flatten(members)
	value.Fill(r.Draft, resource, members)
	if r.Event = ""; resource.Parent != "" && item.Event != nil {
		r.Event = strings.ReplaceAll(item.Event.Name(), "\x00", "") // which no file holds
	}
	if parent, ok := resource.ByPath(resource.Parent); ok && item.Event != nil {
		r.Draft.Put(schema.Setting{Field: parent.ID, State: schema.Set, Column: -1, Text: item.Event.ID})
	}
	return members
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
