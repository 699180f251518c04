package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"eventbatch/mapping/schema"
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
	zone, err := schema.LoadZone(season.Zone)
	if err != nil {
		return 0, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range season.Events {
		event := s.season(&season, i, zone)
		if s.data.bySlug[unquote(event.Fields["slug"])] > 0 {
			continue
		}
		if err := s.keep(event); err != nil {
			return events, guests, err
		}
		events++
		people := s.company(event, i)
		if len(people.Rows) == 0 {
			continue
		}
		if err := s.keep(people); err != nil {
			return events, guests, err
		}
		guests += len(people.Rows)
	}
	return events, guests, nil
}

// season returns the record of one event of a season.
func (s *Service) season(season *Season, i int, zone *time.Location) *record {
	what := seasonWhats[i%len(seasonWhats)]
	y, m, d := season.From.Date()
	start := time.Date(y, m, d+i*3/2, 18+i%3, 30*(i%2), 0, 0, zone)
	issued := s.data.issued + 1
	fields := map[string]any{
		"name": what, "slug": strings.ToLower(fmt.Sprintf("%s-%s-%d", strings.ReplaceAll(what[:4], " ", ""), season.Calendar, i+1)),
		"start_at": start.Format(time.RFC3339), "end_at": start.Add(time.Duration(90+30*(i%3)) * time.Minute).Format(time.RFC3339),
		"timezone": season.Zone, "visibility": schema.Visibilities[i%7%len(schema.Visibilities)],
		"description_md": "Join us for **" + what + "**.\n\n- doors open half an hour before\n- " +
			seasonPeople[i%len(seasonPeople)] + " leads",
	}
	switch {
	case i%5 == 4:
		fields["meeting_url"] = fmt.Sprintf("https://meet.example.com/%s-%d", season.Calendar, i+1)
	default:
		fields["geo_address_json"] = map[string]string{"type": "manual", "address": seasonWheres[i%len(seasonWheres)]}
	}
	if i%2 == 0 {
		fields["max_capacity"] = 20 + 10*(i%9)
	}
	r := &record{
		Type: "create", Issued: issued, ID: "evt-" + s.data.word("event", issued, 16),
		Calendar: season.Calendar, User: "usr-" + season.Calendar, At: s.config.Now().UnixMilli(), Fields: map[string]json.RawMessage{},
	}
	for name, value := range fields {
		r.Fields[name], _ = json.Marshal(value) // texts and numbers always encode
	}
	return r
}

// company returns the record of the guests of an event.
func (s *Service) company(event *record, i int) *record {
	r := &record{Type: "add", Op: "events/guests/add", Event: event.ID, At: event.At, Seen: event.At, Issued: s.data.issued}
	for n := range i * 7 % 13 {
		name := seasonPeople[(i+n)%len(seasonPeople)]
		first, last, _ := strings.Cut(strings.ToLower(name), " ")
		r.Issued++
		r.Rows = append(r.Rows, map[string]json.RawMessage{
			"id": quote("gue-" + s.data.word("guests", r.Issued, 12)), "email": quote(first + "." + last + "@example.org"),
			"name": quote(name), "status": quote(seasonStatuses[(i+n)%len(seasonStatuses)]),
		})
	}
	return r
}
