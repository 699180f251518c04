package sandbox

import (
	"fmt"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/value"
)

// Season is what a calendar is filled with.
type Season struct {
	Calendar string
	Zone     string // IANA name
	Events   int
	From     time.Time // the first day
}

// The parts of a believable programme.
var (
	seasonWhats = []string{
		"Chamber Concert", "Open Studio", "Poetry Night", "Jazz Session", "Film Club", "Artist Talk", "Repair Café", "Swing Dance",
		"Community Dinner", "Book Circle", "Printmaking Workshop", "Choir Rehearsal",
	}
	seasonWheres = []string{
		"1 High Street, Leeds", "Town Hall, Market Square, Leeds", "The Old Mill, 12 Canal Road, Bradford",
		"Riverside Studio, 7 Wharf Lane, York",
	}
	seasonPeople = []string{
		"Ada Lovelace", "Grace Hopper", "Alan Turing", "Emmy Noether", "Mary Somerville", "George Boole", "Sofia Kovalevskaya",
		"Srinivasa Ramanujan", "Hypatia Theon", "Carl Gauss", "Maryam Mirzakhani", "Leonhard Euler",
	}
	seasonStatuses = []string{"approved", "approved", "approved", "waitlist", "declined"}
)

// Fill puts a season into a calendar, with guests, as if it had been there for long:
// nobody is mailed, and no request is counted. What is there already stays as it is. It
// returns how many events and guests are new.
func (s *Service) Fill(season Season) (events, guests int, err error) {
	zone, err := value.LoadZone(season.Zone)
	if err != nil {
		return 0, 0, err
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	d := s.store.data
	for i := range season.Events {
		event := season.event(d, i, zone, s.config.Now())
		if d.bySlug[event.Fields.text("slug")] > 0 {
			continue
		}
		if err := s.store.keep(event); err != nil {
			return events, guests, err
		}
		events++
		people := company(d, event, i)
		if len(people.Rows) == 0 {
			continue
		}
		if err := s.store.keep(people); err != nil {
			return events, guests, err
		}
		guests += len(people.Rows)
	}
	return events, guests, nil
}

// event returns the record of one event of a season, made now.
func (season *Season) event(d *data, i int, zone *time.Location, now time.Time) *record {
	what := seasonWhats[i%len(seasonWhats)]
	year, month, day := season.From.Date()
	start := time.Date(year, month, day+i*3/2, 18+i%3, 30*(i%2), 0, 0, zone)
	said := map[string]any{
		"name": what, "slug": strings.ToLower(fmt.Sprintf("%s-%s-%d", strings.ReplaceAll(what[:4], " ", ""), season.Calendar, i+1)),
		"start_at": start.Format(time.RFC3339), "end_at": start.Add(time.Duration(90+30*(i%3)) * time.Minute).Format(time.RFC3339),
		"timezone": season.Zone, "visibility": catalog.Visibilities[i%7%len(catalog.Visibilities)],
		"description_md": "Join us for **" + what + "**.\n\n- doors open half an hour before\n- " +
			seasonPeople[i%len(seasonPeople)] + " leads",
	}
	switch {
	case i%5 == 4:
		said["meeting_url"] = fmt.Sprintf("https://meet.example.com/%s-%d", season.Calendar, i+1)
	default:
		said["geo_address_json"] = map[string]string{"type": "manual", "address": seasonWheres[i%len(seasonWheres)]}
	}
	if i%2 == 0 {
		said["max_capacity"] = 20 + 10*(i%9)
	}
	r := &record{
		Type: "create", origin: origin{Calendar: season.Calendar, User: "usr-" + season.Calendar, At: now.UnixMilli()}, Fields: fields{},
	}
	r.ID = d.issue(r, "evt-", "event", 16)
	for name, value := range said {
		r.Fields[name] = encoded(value)
	}
	return r
}

// company returns the record of the guests of an event.
func company(d *data, event *record, i int) *record {
	r := &record{
		Type: "add", Op: "events/guests/add", Event: event.ID, origin: origin{At: event.At}, rows: rows{Seen: event.At}, Issued: d.issued,
	}
	for n := range i * 7 % 13 {
		name := seasonPeople[(i+n)%len(seasonPeople)]
		first, last, _ := strings.Cut(strings.ToLower(name), " ")
		r.Rows = append(r.Rows, fields{
			"id": quote(d.issue(r, "gue-", "guests", 12)), "email": quote(first + "." + last + "@example.org"),
			"name": quote(name), "status": quote(seasonStatuses[(i+n)%len(seasonStatuses)]),
		})
	}
	return r
}

// seed puts the existing events in, unless the service has ever held one of
// that slug: what was changed or cancelled since stays so. They count as no requests.
func (s *store) seed(existing []Existing) error {
	for _, e := range existing {
		if s.data.bySlug[e.Slug] > 0 {
			continue
		}
		sent := fields{}
		for name, value := range map[string]string{
			"name": e.Name, "slug": e.Slug, "start_at": e.StartAt, "end_at": e.EndAt, "timezone": e.Timezone,
		} {
			sent[name] = quote(value)
		}
		err := s.keep(&record{Type: "create", ID: e.ID, origin: origin{Calendar: e.Calendar, At: s.now().UnixMilli()}, Fields: sent})
		if err != nil {
			return err
		}
	}
	return nil
}
