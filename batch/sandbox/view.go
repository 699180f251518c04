package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// eventView is an event as it reads back: not all that can be written does (no
// slug, theme, font or tint_color among others).
type eventView struct {
	Platform           string          `json:"platform"`
	ID                 string          `json:"id"`
	UserID             string          `json:"user_id"`
	CalendarID         string          `json:"calendar_id"`
	StartAt            string          `json:"start_at"`
	EndAt              string          `json:"end_at"`
	Duration           string          `json:"duration_interval"`
	CreatedAt          string          `json:"created_at"`
	Timezone           json.RawMessage `json:"timezone"`
	Name               string          `json:"name"`
	Address            *addressView    `json:"geo_address_json"`
	Coordinate         json.RawMessage `json:"coordinate"`
	MeetingURL         json.RawMessage `json:"meeting_url"`
	LocationType       string          `json:"location_type"`
	LocationVisibility json.RawMessage `json:"location_visibility"`
	CoverURL           json.RawMessage `json:"cover_url"`
	Questions          json.RawMessage `json:"registration_questions,omitempty"`
	URL                string          `json:"url"`
	Visibility         json.RawMessage `json:"visibility"`
	Waitlist           json.RawMessage `json:"waitlist_status"`
	Open               json.RawMessage `json:"registration_open"`
	RequireApproval    bool            `json:"require_approval"`
	Spots              json.RawMessage `json:"spots_remaining"`
	Price              *string         `json:"display_price"`
	Feedback           json.RawMessage `json:"feedback_email"`
	Access             string          `json:"access"`
	Capacity           json.RawMessage `json:"max_capacity"`
	ManyTickets        json.RawMessage `json:"can_register_for_multiple_tickets"`
	Tax                json.RawMessage `json:"tax_config"`
	Confirmation       json.RawMessage `json:"confirmation_email_md"`
	Pending            json.RawMessage `json:"pending_approval_email_md"`
	Declined           json.RawMessage `json:"declined_email_md"`

	*detail
	Hosts []user      `json:"hosts,omitempty"`
	Tags  *[]struct{} `json:"tags,omitempty"` // of a list's entries; the sandbox has no tags
}

// detail is what a list leaves out.
type detail struct {
	Description string         `json:"description"`
	DescriptMD  string         `json:"description_md"`
	Guests      map[string]int `json:"guest_counts"`
}

func (s *Service) view(e *event) eventView {
	// or gives a field as it was sent, a default where it was not.
	or := func(name, value string) json.RawMessage {
		if sent := e.fields[name]; sent != nil {
			return sent
		}
		return json.RawMessage(value)
	}
	v := eventView{
		Platform: s.config.Platform, ID: e.id, UserID: e.user, CalendarID: e.calendar,
		StartAt: stamp(e.start), EndAt: stamp(e.end), Duration: interval(e.end.Sub(e.start)), CreatedAt: stamp(e.created),
		Timezone: or("timezone", `"UTC"`), Name: e.name,
		Address: address(e.fields["geo_address_json"]), Coordinate: or("coordinate", "null"),
		MeetingURL: or("meeting_url", "null"), LocationType: locationType(e), LocationVisibility: or("location_visibility", `"public"`),
		CoverURL: or("cover_url", `"`+s.config.ImageBase+`/default/cover.png"`), Questions: e.fields["registration_questions"],
		URL: s.config.SiteURL + "/" + e.slug, Visibility: or("visibility", `"public"`), Waitlist: or("waitlist_status", `"disabled"`),
		Open: or("registration_open", "true"), Spots: or("max_capacity", "null"),
		Feedback: feedback(e.fields["feedback_email"]), Access: "manage", Capacity: or("max_capacity", "null"),
		ManyTickets: or("can_register_for_multiple_tickets", "false"), Tax: or("tax_config", "null"),
		Confirmation: or("confirmation_email_md", "null"), Pending: or("pending_approval_email_md", "null"),
		Declined: or("declined_email_md", "null"),
	}
	return v
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

func (s *Service) detail(e *event) *detail {
	md := unquote(e.fields["description_md"])
	return &detail{
		Description: plain(md), DescriptMD: render(md),
		Guests: map[string]int{"approved": 0, "pending_approval": 0, "waitlist": 0, "declined": 0},
	}
}

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
	v := struct {
		ID       string          `json:"id"`
		APIID    string          `json:"api_id,omitempty"`
		Name     string          `json:"name"`
		Slug     string          `json:"slug"`
		CoverURL json.RawMessage `json:"cover_url"`
		StartAt  string          `json:"start_at"`
		EndAt    string          `json:"end_at"`
	}{ID: e.id, Name: e.name, Slug: e.slug, CoverURL: s.view(e).CoverURL, StartAt: stamp(e.start), EndAt: stamp(e.end)}
	if legacy {
		v.APIID = e.id
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
