package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// record is one change, as it stands in the log.
type record struct {
	Type     string                     `json:"t"`
	Issued   uint64                     `json:"n,omitempty"` // ids given out, this one included
	ID       string                     `json:"id"`
	Calendar string                     `json:"calendar,omitempty"`
	User     string                     `json:"user,omitempty"`
	At       int64                      `json:"at,omitempty"` // Unix milliseconds
	Fields   map[string]json.RawMessage `json:"fields,omitempty"`
	Meeting  bool                       `json:"meeting,omitempty"`
	Mail     bool                       `json:"mail,omitempty"`
	Event    string                     `json:"event,omitempty"` // of a cancellation's token
	Media    string                     `json:"media,omitempty"` // of an image
	Size     int64                      `json:"size,omitempty"`
}

// data is everything that the service holds. Events are never changed, only
// replaced, so that a reader may keep one past the lock.
type data struct {
	seed   uint64
	issued uint64

	events    map[string]*event
	calendars map[string][]*event // by start, then id
	slugs     map[string]string   // of events: the event's id
	owned     map[string]*Calendar
	tokens    map[string]token
	images    map[string]image

	created, updated, cancelled int
	bySlug, byName              map[string]int // creates
}

// event is one event of a calendar.
type event struct {
	id, calendar, user string
	created            time.Time
	start, end         time.Time
	name, slug         string
	fields             map[string]json.RawMessage
	updates            int
	meetings           int
	mails              int
}

// token lets an event be cancelled for a while.
type token struct {
	event   string
	expires time.Time
}

// image is a picture that was announced, perhaps uploaded.
type image struct {
	media    string
	uploaded bool
}

func newData(seed uint64, calendars map[string]*Calendar) *data {
	d := &data{
		seed: seed, events: map[string]*event{}, calendars: map[string][]*event{}, slugs: map[string]string{},
		owned: map[string]*Calendar{}, tokens: map[string]token{}, images: map[string]image{},
		bySlug: map[string]int{}, byName: map[string]int{},
	}
	for _, c := range calendars {
		d.owned[c.Slug] = c
	}
	return d
}

// alphabet of ids.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// word gives length characters that look random but follow from the seed, the
// count and the purpose.
func (d *data) word(purpose string, count uint64, length int) string {
	var in [16]byte
	binary.BigEndian.PutUint64(in[:8], d.seed)
	binary.BigEndian.PutUint64(in[8:], count)
	sum := sha256.Sum256(append(in[:], purpose...))
	for i := range length {
		sum[i] = alphabet[int(sum[i])%len(alphabet)]
	}
	return string(sum[:length])
}

// freeSlug makes a slug for an event that asks for none.
func (d *data) freeSlug(count uint64) string {
	for extra := 0; ; extra++ {
		slug := strings.ToLower(d.word(fmt.Sprint("slug", extra), count, 8))
		if d.taken(slug, "") == "" {
			return slug
		}
	}
}

// taken tells what holds the slug other than the event: event, calendar, or nothing.
func (d *data) taken(slug, besides string) string {
	if d.owned[slug] != nil {
		return "calendar"
	}
	if id := d.slugs[slug]; id != "" && id != besides {
		return "event"
	}
	return ""
}

// apply makes a record so. It fails on what no service has written.
func (d *data) apply(r *record) error {
	switch r.Type {
	case "create":
		e := &event{id: r.ID, calendar: r.Calendar, user: r.User, created: time.UnixMilli(r.At).UTC(), fields: map[string]json.RawMessage{}}
		if err := e.set(r); err != nil {
			return err
		}
		if d.events[e.id] != nil || d.taken(e.slug, "") == "event" {
			return fmt.Errorf("event %s, slug %s: there already", e.id, e.slug)
		}
		d.created++
		d.bySlug[e.slug]++
		d.byName[e.name]++
		d.insert(e)
	case "update":
		old := d.events[r.ID]
		if old == nil {
			return fmt.Errorf("event %s: not there", r.ID)
		}
		e := *old
		e.fields = maps.Clone(old.fields)
		e.updates++
		if err := e.set(r); err != nil {
			return err
		}
		d.updated++
		d.remove(old)
		d.insert(&e)
	case "token":
		d.tokens[r.ID] = token{r.Event, time.UnixMilli(r.At)}
	case "cancel":
		old := d.events[r.ID]
		if old == nil {
			return fmt.Errorf("event %s: not there", r.ID)
		}
		d.cancelled++
		d.remove(old)
		maps.DeleteFunc(d.tokens, func(_ string, t token) bool { return t.event == r.ID })
	case "image":
		d.images[r.ID] = image{media: r.Media}
	case "upload":
		picture := d.images[r.ID]
		picture.uploaded = true
		d.images[r.ID] = picture
	default:
		return fmt.Errorf("record of unknown type %q", r.Type)
	}
	d.issued = max(d.issued, r.Issued)
	return nil
}

// set applies the fields of a record: null and an empty text remove a value.
func (e *event) set(r *record) error {
	for name, value := range r.Fields {
		if value[0] == 'n' || string(value) == `""` {
			delete(e.fields, name)
			continue
		}
		e.fields[name] = value
	}
	e.name, e.slug = unquote(e.fields["name"]), unquote(e.fields["slug"])
	if r.Meeting {
		e.meetings++
	}
	if r.Mail {
		e.mails++
	}
	var ok bool
	if e.start, ok = parseTimestamp(unquote(e.fields["start_at"])); !ok || e.name == "" || e.slug == "" {
		return fmt.Errorf("event %s: without name, slug or start", r.ID)
	}
	if e.end, ok = parseTimestamp(unquote(e.fields["end_at"])); !ok {
		e.end = e.start.Add(time.Hour)
	}
	return nil
}

func (e *event) snapshot() Event {
	return Event{
		ID: e.id, Calendar: e.calendar, Name: e.name, Slug: e.slug, Start: e.start, End: e.end, Created: e.created,
		Fields: maps.Clone(e.fields), Updates: e.updates, Meetings: e.meetings, Mails: e.mails,
	}
}

// position is where an event stands in its calendar.
type position struct {
	start time.Time
	id    string
}

func (e *event) compare(p position) int {
	return cmp.Or(e.start.Compare(p.start), cmp.Compare(e.id, p.id))
}

func (d *data) insert(e *event) {
	list := d.calendars[e.calendar]
	at, _ := slices.BinarySearchFunc(list, position{e.start, e.id}, (*event).compare)
	d.calendars[e.calendar] = slices.Insert(list, at, e)
	d.events[e.id] = e
	d.slugs[e.slug] = e.id
}

func (d *data) remove(e *event) {
	list := d.calendars[e.calendar]
	if at, found := slices.BinarySearchFunc(list, position{e.start, e.id}, (*event).compare); found {
		d.calendars[e.calendar] = slices.Delete(list, at, at+1)
	}
	delete(d.events, e.id)
	delete(d.slugs, e.slug)
}
