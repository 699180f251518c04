package export

import (
	"cmp"
	"fmt"
	"iter"
	"net/url"
	"path/filepath"
	"slices"
	"time"

	"eventbatch/batch/api"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// stored is what the folder has of a calendar.
type stored struct {
	Config
	list    *log
	logs    map[*schema.Resource]*log
	omitted map[string]bool
}

func (s *stored) log(name string, of *schema.Resource) (*log, error) {
	return openLog(filepath.Join(s.Folder, fmt.Sprintf("%d.%s.jsonl", s.Number, name)), of)
}

// Close closes the files.
func (s *stored) Close() error {
	err := s.list.close()
	for _, l := range s.logs {
		if closing := l.close(); err == nil {
			err = closing
		}
	}
	return err
}

// Omit leaves an event out, with what belongs to it.
func (s *stored) Omit(event string) { s.omitted[event] = true }

// listed goes through the events that are meant, each once, in the order of the list.
func (s *stored) listed() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for _, id := range s.Events {
			event, err := s.event(id)
			if !s.omitted[id] && !yield(Item{Event: &event}, err) || err != nil {
				return
			}
		}
		seen := map[string]bool{}
		for _, at := range s.list.state("").whole {
			answer, err := s.list.at(at)
			if err != nil {
				yield(Item{}, err)
				return
			}
			for _, entry := range answer.Entries {
				event, err := api.RecordIn(entry, catalog.Events)
				if err != nil {
					yield(Item{}, fmt.Errorf("reading a page of the export: %w", err))
					return
				}
				if event.Listed() || seen[event.ID] || s.omitted[event.ID] || s.Wanted != nil && !s.Wanted(&event) {
					continue
				}
				seen[event.ID] = true
				if !yield(Item{&event, &event, time.UnixMilli(answer.At)}, nil) {
					return
				}
			}
		}
	}
}

// event returns an event that is read by its id, of which no more is known where it was not.
func (s *stored) event(id string) (event api.Record, err error) {
	event.ID = id
	l, err := s.of(catalog.Events)
	if err != nil || len(l.state(id).whole) == 0 {
		return event, err
	}
	answer, err := l.at(l.state(id).whole[0])
	if err != nil || len(answer.Entries) == 0 {
		return event, err
	}
	read, err := api.RecordIn(answer.Entries[0], catalog.Events)
	event.Values = read.Values
	return event, err
}

// Shifts returns in words what of the calendar was another list each time that it was read, in order.
func (s *stored) Shifts() (lists []string) {
	for of, l := range s.logs {
		for key, list := range l.lists {
			switch {
			case !list.shifts:
			case slices.ContainsFunc(s.views(of), func(view url.Values) bool { return view.Encode() == key }):
				lists = append(lists, "the "+of.Name+" of calendar "+s.Calendar)
			default:
				lists = append(lists, "the "+of.Name+" of event "+key)
			}
		}
	}
	if s.list.state("").shifts {
		lists = append(lists, "the events of calendar "+s.Calendar)
	}
	slices.Sort(lists)
	return slices.Compact(lists)
}

// holding goes through the events that records of the resource can belong to.
func (s *stored) holding(resource *schema.Resource) iter.Seq2[Item, error] {
	if resource.Listed == "" {
		return func(func(Item, error) bool) {}
	}
	return s.listed()
}

// Answering returns the resource whose operations tell the records of one: that of a single
// event tells its hosts too.
func Answering(resource *schema.Resource) *schema.Resource {
	if resource.Views != nil {
		return resource // asked for otherwise than the others
	}
	return catalog.OperationNamed(cmp.Or(resource.Listed, resource.ListedAlone)).Resource
}

// Left returns how many events there are, and how many requests are to be made for what is
// still to be read of the resource, if each is answered with one page. What has more takes one
// a page, at least twice.
func (s *stored) Left(resource *schema.Resource) (events, left int, err error) {
	l, err := s.of(resource)
	if err != nil {
		return 0, 0, err
	}
	for _, view := range s.views(resource) {
		if !l.state(view.Encode()).done {
			left++
		}
	}
	for item, err := range s.holding(resource) {
		if err != nil {
			return 0, 0, err
		}
		if events++; !l.state(item.Event.ID).done {
			left++
		}
	}
	return events, left, nil
}

// views are what is asked for records of the resource that belong to no event, where these are
// meant.
func (s *stored) views(resource *schema.Resource) []url.Values {
	if !s.Alone || resource.ListedAlone == "" {
		return nil
	}
	return api.Views(resource)
}

// of returns the file of the answers about the resource.
func (s *stored) of(resource *schema.Resource) (*log, error) {
	resource = Answering(resource)
	if s.logs[resource] == nil {
		l, err := s.log(resource.Name, resource)
		if err != nil {
			return nil, err
		}
		s.logs[resource] = l
	}
	return s.logs[resource], nil
}

// Item is one record as it was read.
type Item struct {
	Event  *api.Record // that it is, or belongs to; nil of a calendar's own record
	Record *api.Record // nil of an event that was gone
	At     time.Time   // when it was read
}

// Of returns the id of that event, empty where there is none.
func (i *Item) Of() string {
	if i.Event == nil {
		return ""
	}
	return i.Event.ID
}

// Items goes through the records of the resource in the order of the list. It tells of
// the events that were gone when their turn came by an item without a record.
func (s *stored) Items(resource *schema.Resource) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		l, err := s.of(resource)
		if err != nil {
			yield(Item{}, err)
			return
		}
		for _, view := range s.views(resource) {
			if !l.each(nil, view, resource, yield) {
				return
			}
		}
		for item, err := range s.holding(resource) {
			if err != nil {
				yield(Item{}, err)
				return
			}
			if resource.Keyed() && !l.state(item.Event.ID).done {
				if !yield(item, nil) {
					return
				}
				continue
			}
			if !l.each(item.Event, nil, resource, yield) {
				return
			}
		}
	}
}

// each yields the records of the answers about an event, or about the calendar where it is nil:
// to what it was asked with then.
func (l *log) each(event *api.Record, view url.Values, resource *schema.Resource, yield func(Item, error) bool) bool {
	id := view.Encode()
	if event != nil {
		id = event.ID
	}
	for _, at := range l.state(id).whole {
		answer, err := l.at(at)
		if err == nil && resource.Among == "" && resource != Answering(resource) && !answer.Gone {
			answer.Entries, err = api.Held(api.Answer{Op: catalog.OperationNamed(resource.Listed), Body: answer.Entries[0]}, nil, resource)
		}
		if err != nil {
			return yield(Item{}, err) && false
		}
		if answer.Gone && !yield(Item{Event: event}, nil) {
			return false
		}
		for _, entry := range answer.Entries {
			record, err := api.RecordIn(entry, resource)
			if err != nil {
				return yield(Item{}, fmt.Errorf("reading %s of the export: %w", resource.Some(), err)) && false
			}
			shown := true
			if event == nil {
				record, shown = api.Shown(record, resource, view)
			}
			if shown && !yield(Item{event, &record, time.UnixMilli(answer.At)}, nil) {
				return false
			}
		}
	}
	return true
}
