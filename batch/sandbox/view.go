package sandbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"eventbatch/mapping/schema"
)

// unread are the fields of an event that cannot be read back.
var unread = map[schema.ID]bool{
	schema.FieldEventID: true, schema.FieldSlug: true, schema.FieldTheme: true, schema.FieldFont: true, schema.FieldTintColor: true,
	schema.FieldCreateMeeting: true, schema.FieldNameRequirement: true, schema.FieldPhoneRequirement: true,
	schema.FieldShowGuestList: true, schema.FieldTicketTypes: true, schema.FieldRemindersDisabled: true, schema.FieldSuppressEmail: true,
}

// defaults are the values of fields that were never sent, where the table names none.
var defaults = map[schema.ID]string{
	schema.FieldVisibility: `"public"`, schema.FieldWaitlistStatus: `"disabled"`, schema.FieldManyTickets: "false",
}

// view returns an event as it reads back: other than it was sent in part, and not all
// of it. A list leaves out the details.
func (s *Service) view(e *event, detailed bool) map[string]any {
	v := map[string]any{}
	for i := range schema.Events.Own {
		f := &schema.Events.Own[i]
		if _, part := f.Object(); part || f.Local || f.Deprecated || unread[f.ID] {
			continue
		}
		value := e.fields[f.Path]
		if value == nil {
			if value = assumed(f); defaults[f.ID] != "" {
				value = json.RawMessage(defaults[f.ID])
			}
		}
		v[f.Path] = value
	}
	maps.Copy(v, map[string]any{
		"platform": s.config.Platform, "id": e.id, "user_id": e.user, "calendar_id": e.calendar, "access": "manage",
		"created_at": stamp(e.created), "start_at": stamp(e.start), "end_at": stamp(e.end),
		"duration_interval": interval(e.end.Sub(e.start)), "url": s.config.SiteURL + "/" + e.slug, "cover_url": s.cover(e),
		"geo_address_json": address(e.fields["geo_address_json"]), "location_type": locationType(e),
		"feedback_email": feedback(e.fields["feedback_email"]), "require_approval": false,
		"spots_remaining": e.fields["max_capacity"], "display_price": nil,
	})
	if e.fields["registration_questions"] == nil {
		delete(v, "registration_questions")
	}
	if !detailed {
		delete(v, "description_md")
		return v
	}
	md := unquote(e.fields["description_md"])
	v["description"], v["description_md"], v["guest_counts"] = plain(md), render(md), s.guestCounts(e.id)
	return v
}

// cover returns the address of an event's picture.
func (s *Service) cover(e *event) string {
	return cmp.Or(unquote(e.fields["cover_url"]), s.config.ImageBase+"/default/cover.png")
}

// listedWith adds the records that are listed with an event, such as its hosts. The owner
// of the calendar is the first host.
func (s *Service) listedWith(e *event, owner user, v map[string]any) {
	v["hosts"] = []any{owner}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, r := range schema.Resources {
		if r.Listed != "events/get" {
			continue
		}
		list, _ := v[r.Entries].([]any)
		for _, it := range s.data.shelves[place{r, e.id}] {
			list = append(list, it.view())
		}
		v[r.Entries] = list
	}
}

// meetings are the words for where an event meets online, by the domain of its
// link: the sandbox's own meetings first, then those of the platforms.
var meetings = []struct{ domain, word string }{
	{"zoom.sandbox.invalid", "zoom"},
	{"google-meet.sandbox.invalid", "meet"},
	{"discord.com", "discord"},
	{"discord.gg", "discord"},
	{"meet.google.com", "meet"},
	{"twitch.tv", "twitch"},
	{"twitter.com", "twitter"},
	{"x.com", "twitter"},
	{"youtube.com", "youtube"},
	{"youtu.be", "youtube"},
	{"zoom.us", "zoom"},
}

// locationType is the service's word for where an event takes place: unknown is
// a link to anywhere else, missing is no place at all.
func locationType(e *event) string {
	if isSet(e.fields["geo_address_json"]) {
		return "offline"
	}
	if !isSet(e.fields["meeting_url"]) {
		return "missing"
	}
	link, err := url.Parse(unquote(e.fields["meeting_url"]))
	if err != nil {
		return "unknown"
	}
	for _, m := range meetings {
		if host := link.Hostname(); host == m.domain || strings.HasSuffix(host, "."+m.domain) {
			return m.word
		}
	}
	return "unknown"
}

func isSet(field json.RawMessage) bool { return field != nil && string(field) != "null" }

// stamp writes a time as the service does: in UTC, with milliseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// interval writes an ISO 8601 duration.
func interval(d time.Duration) string {
	text := "P"
	if days := d / (24 * time.Hour); days > 0 {
		text += fmt.Sprintf("%dD", days)
		d -= days * 24 * time.Hour
	}
	if d == 0 && text != "P" {
		return text
	}
	text += "T"
	for _, part := range []struct {
		size time.Duration
		unit string
	}{{time.Hour, "H"}, {time.Minute, "M"}} {
		if n := d / part.size; n > 0 {
			text += fmt.Sprintf("%d%s", n, part.unit)
			d -= n * part.size
		}
	}
	if d > 0 || text == "PT" {
		text += fmt.Sprintf("%gS", d.Seconds())
	}
	return text
}

// feedback fills in the delay that a setting leaves out.
func feedback(sent json.RawMessage) json.RawMessage {
	setting := struct {
		Enabled bool   `json:"enabled"`
		Delay   string `json:"delay"`
	}{Delay: "PT0M"}
	if sent != nil && json.Unmarshal(sent, &setting) != nil {
		return sent
	}
	text, err := json.Marshal(setting)
	if err != nil {
		return sent
	}
	return text
}

// addressView is an Address (service: Address), which is not what was sent.
type addressView struct {
	Address     string  `json:"address"`
	City        *string `json:"city"`
	Region      *string `json:"region"`
	Country     *string `json:"country"`
	CityState   *string `json:"city_state"`
	FullAddress *string `json:"full_address"`
	GooglePlace *string `json:"google_maps_place_id"`
	ApplePlace  *string `json:"apple_maps_place_id"`
	Description *string `json:"description"`
}

// address resolves a location. A search finds something where the text has a
// comma in it, as most whole addresses do; else it is kept as a manual address.
func address(sent json.RawMessage) *addressView {
	var geo struct {
		Type, Address, Query string
		PlaceID              string `json:"place_id"`
		Description          *string
	}
	if sent == nil || json.Unmarshal(sent, &geo) != nil {
		return nil
	}
	switch geo.Type {
	case "google":
		name := "Place " + geo.PlaceID
		return &addressView{Address: name, FullAddress: new(name), GooglePlace: &geo.PlaceID, Description: geo.Description}
	case "lookup":
		v := &addressView{Address: geo.Query}
		if place, city, found := strings.Cut(geo.Query, ","); found {
			sum := sha256.Sum256([]byte(geo.Query))
			v.Address, v.City = strings.TrimSpace(place), new(strings.TrimSpace(city))
			v.FullAddress, v.GooglePlace = &geo.Query, new("place-"+hex.EncodeToString(sum[:8]))
		}
		return v
	}
	return &addressView{Address: geo.Address, FullAddress: &geo.Address}
}

// render gives Markdown back as the service does after its rich text: line ends
// unified, blanks at line ends gone, other bullets, a stray zero-width space.
func render(md string) string {
	if md == "" {
		return ""
	}
	lines := strings.Split(strings.ReplaceAll(md, "\r\n", "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t")
		if item, ok := strings.CutPrefix(line, "* "); ok {
			line = "- " + item
		}
		lines[i] = line
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\u200b"
}

var markup = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("!?\\[([^\\]]*)\\]\\([^)]*\\)|[*_`#>]+")
})

// plain takes the marks out of Markdown.
func plain(md string) string { return strings.TrimSpace(markup().ReplaceAllString(md, "$1")) }

// eventEntity and calendarEntity are what a look-up finds.
func (s *Service) eventEntity(e *event, legacy bool) any {
	v := map[string]string{
		"id": e.id, "name": e.name, "slug": e.slug, "cover_url": s.cover(e), "start_at": stamp(e.start), "end_at": stamp(e.end),
	}
	if legacy {
		v["api_id"] = e.id
	}
	return map[string]any{"type": "event", "event": v}
}

func calendarEntity(c *Calendar, legacy bool) any {
	v := map[string]string{"id": c.ID, "name": c.Name, "slug": c.Slug}
	if legacy {
		v["api_id"] = c.ID
	}
	return map[string]any{"type": "calendar", "calendar": v}
}

// calendarView is a Calendar (service: Calendar).
type calendarView struct {
	ID          string        `json:"id"`
	APIID       string        `json:"api_id,omitempty"`
	Name        string        `json:"name"`
	Slug        string        `json:"slug"`
	AvatarURL   *string       `json:"avatar_url"`
	URL         string        `json:"url"`
	Description *string       `json:"description"`
	SocialImage *string       `json:"social_image_url"`
	CoverImage  *string       `json:"cover_image_url"`
	Personal    bool          `json:"is_personal"`
	Location    *locationView `json:"location"`
	Coordinate  *struct{}     `json:"coordinate"`
	Instagram   *string       `json:"instagram_handle"`
	Twitter     *string       `json:"twitter_handle"`
	YouTube     *string       `json:"youtube_handle"`
	Website     *string       `json:"website"`
}

type locationView struct {
	City        string  `json:"city"`
	Region      *string `json:"region"`
	Country     *string `json:"country"`
	CountryCode *string `json:"country_code"`
	Timezone    string  `json:"timezone"`
}

func (s *Service) viewCalendar(c *Calendar) calendarView {
	return calendarView{
		ID: c.ID, Name: c.Name, Slug: c.Slug, URL: s.config.SiteURL + "/" + c.Slug,
		Location: &locationView{City: "Sandbox", Timezone: c.Timezone},
	}
}
