package batch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// saying is one row, which says something in each of some fields.
type saying struct {
	does   schema.Action
	n      int
	was    map[string]string // cells of the row that made the record; nil of a create
	cells  map[string]string
	fields []*schema.Field
}

func (s *saying) String() string {
	var paths []string
	for _, f := range s.fields {
		paths = append(paths, f.Path)
	}
	return fmt.Sprintf("%s %d %s", s.does.Word(), s.n, strings.Join(paths, "+"))
}

// words are two values of each field that its kind does not tell, by resource and path or by path.
var words = map[string][2]string{
	"cover_url":           {"https://images.sandbox.invalid/a/b.png", "https://images.sandbox.invalid/a/c.png"},
	"cover_file":          {"one.png", "two.png"},
	"create_meeting":      {"zoom", "meet"},
	"geo_address_json":    {`{"type":"manual","address":"1 High Street"}`, `{"type":"manual","address":"2 High Street"}`},
	"coordinate":          {`{"longitude":-1.5,"latitude":53.8}`, `{"longitude":-2.5,"latitude":52.8}`},
	"ticket_types":        {`[{"name":"A","type":"free"}]`, `[{"name":"B","type":"free"}]`},
	"tax_config":          {`{"enabled":false}`, `{"enabled":true}`},
	"feedback_email":      {`{"enabled":true}`, `{"enabled":false}`},
	"tags":                {"Concert", "Family; Talk"},
	"discount":            {`{"discount_type":"percent","percent_off":20}`, `{"discount_type":"percent","percent_off":30}`},
	"ticket_type":         {"Standard", "VIP"},
	"guests ticket_types": {"Standard", "Standard; VIP"},
	"tier":                {"Patron", "Friend"},
	"members registration_answers": {
		`[{"question_id":"q-tier-patron","answer":"Why"}]`, `[{"question_id":"q-tier-patron","answer":"Not"}]`,
	},
	"guests registration_answers": {`[{"question_id":"q1","answer":"vegan"}]`, `[{"question_id":"q1","answer":"any"}]`},
	"registration_questions": {
		`[{"id":"q1","label":"Diet","required":false,"question_type":"text"}]`,
		`[{"id":"q1","label":"Food","required":false,"question_type":"text"}]`,
	},
	"guests status":         {"approved", "declined"},
	"members status":        {"approved", "declined"},
	"listings status":       {"approved", "rejected"},
	"recipients":            {"approved", "approved; waitlist"},
	"type":                  {"paid", "free"},
	"location":              {`{"city":"Leeds","timezone":"Europe/London"}`, `{"city":"York","timezone":"Europe/London"}`},
	"location_timezone":     {"Europe/London", "Europe/Paris"},
	"calendar_id":           {"cal-a", "cal-b"},
	"geo_address_json.type": {"manual", "manual"},
}

// beside are fields without which another one says nothing.
var beside = map[string]string{
	"geo_address_json.type": "geo_address_json.address", "geo_address_json.description": "geo_address_json.place_id",
	"message": "send_email",
}

// wordsOf returns two values that cells of the field may say.
func wordsOf(r *schema.Resource, f *schema.Field, n int) (two [2]string, ok bool) {
	for _, name := range []string{r.Name + " " + f.Path, f.Path} {
		if two, ok = words[name]; ok {
			return two, true
		}
	}
	hours, text := [2]string{"10", "11"}, ""
	if strings.Contains(f.Path, "end") || f.Since != "" {
		hours = [2]string{"18", "19"}
	}
	switch {
	case len(f.Values) > 1:
		return [2]string(f.Values[:2]), true
	case f.Kind == schema.Bool:
		return [2]string{"false", "true"}, true
	case f.Kind.Numeric():
		return [2]string{"20", "30"}, true
	case f.Kind == schema.Timestamp:
		return [2]string{"2027-05-01T" + hours[0] + ":00:00Z", "2027-05-01T" + hours[1] + ":00:00Z"}, true
	case f.Kind == schema.Day:
		return [2]string{"2027-05-" + hours[0], "2027-05-" + hours[1]}, true
	case f.Kind == schema.Duration:
		return [2]string{"PT1H", "PT2H"}, true
	case f.Kind == schema.Zone:
		return [2]string{"Europe/London", "Europe/Paris"}, true
	case f.Kind == schema.Color:
		return [2]string{"#112233", "#445566"}, true
	case f.Kind == schema.URL:
		text = "https://pages.example/"
	case f.Kind == schema.Slug:
		text = "page-"
	case f.Kind == schema.Text, f.Kind == schema.Markdown, f.Kind == schema.Identifier:
		text = f.Path[:3] + "-"
	default:
		return two, false
	}
	return [2]string{fmt.Sprintf("%s%d-one", text, n), fmt.Sprintf("%s%d-two", text, n)}, true
}

// apart reports whether a field is no part of the request that brings most others: it says how that is
// made, or goes by another one.
func apart(r *schema.Resource, f *schema.Field) bool {
	o := r.Bringing(f, schema.Update, r.Parent == "")
	return f.Manner || f.Each != nil || f.ID == catalog.FieldCoverFile || o != nil && o.Only != nil
}

// sayings adds a row for each field that rows of the resource can say, and one for each with each that
// goes apart.
func sayings(t *testing.T, r *schema.Resource, compare string, list []*saying) []*saying {
	var subjects, aparts []*schema.Field
	for i := range r.Own {
		f := &r.Own[i]
		if f.Local && f.ID != catalog.FieldCoverFile || r.Names(f) || f.Path == r.ID || f.Deprecated ||
			f.Path == r.Named && !f.On.Has(schema.OnUpdate) {
			continue
		}
		subjects = append(subjects, f)
		if apart(r, f) {
			aparts = append(aparts, f)
		}
	}
	if r == catalog.Events {
		aparts = append(aparts, catalog.Field(schema.FieldCalendarID))
	}
	for _, does := range []schema.Action{schema.Create, schema.Update} {
		met := map[[2]schema.ID]bool{}
		for _, f := range subjects {
			for _, g := range append([]*schema.Field{f}, aparts...) {
				alone := compare != "live" && g != f && !slices.Contains(aparts, f) // nothing is decided field by field
				if alone || met[[2]schema.ID{g.ID, f.ID}] {
					continue
				}
				met[[2]schema.ID{f.ID, g.ID}] = true
				s := &saying{does: does, n: len(list), cells: map[string]string{}, fields: []*schema.Field{f}}
				if g != f {
					s.fields = append(s.fields, g)
				}
				s.fill(t, r)
				list = append(list, s)
			}
		}
	}
	return list
}

// names returns the cells that name the record.
func (s *saying) names(r *schema.Resource) map[string]string {
	switch named := r.Named; named {
	case "":
		return map[string]string{"key": fmt.Sprint("k", s.n)}
	case "email":
		return map[string]string{named: fmt.Sprintf("g%d@example.org", s.n)}
	case "url":
		return map[string]string{named: fmt.Sprintf("https://hooks.example/%d", s.n)}
	case "event":
		return map[string]string{r.Or: fmt.Sprintf("https://listed.example/%d", s.n)}
	default:
		return map[string]string{named: fmt.Sprintf("%s-%d", r.Name[:4], s.n)}
	}
}

// fill gives the row its cells, and that which made its record.
func (s *saying) fill(t *testing.T, r *schema.Resource) {
	base := s.names(r)
	if r.Parent != "" {
		base[r.Parent] = "home"
	}
	put := func(cells map[string]string, f *schema.Field, which int) {
		if cells[f.Path] == "" {
			two, ok := wordsOf(r, f, s.n)
			if !ok {
				t.Fatalf("%s %s: nothing says what its cells may hold: add it to the table of words", r.Name, f.Path)
			}
			cells[f.Path] = two[which]
		}
	}
	which := 0
	if s.does == schema.Update {
		which = 1
		s.was = maps.Clone(base)
	}
	for _, f := range s.fields {
		put(s.cells, f, which)
		if other, ok := r.ByPath(beside[f.Path]); ok {
			put(s.cells, other, 1)
			if s.was != nil && !f.Manner {
				put(s.was, other, 0)
			}
		}
		if s.was != nil && f.On.Has(schema.OnCreate) && !f.Manner {
			put(s.was, f, 0)
		}
	}
	for i := range 2 * len(r.Rules) { // what one needs may need another
		rule := &r.Rules[i%len(r.Rules)]
		for _, cells := range []map[string]string{s.cells, s.was} {
			if f, ok := r.ByPath(rule.B); ok && rule.Kind == schema.Needs && cells[rule.A] != "" {
				put(cells, f, 0)
			}
		}
	}
	made := s.was
	if made == nil {
		made = s.cells
	}
	for path, text := range base {
		s.cells[path], made[path] = cmp.Or(s.cells[path], text), cmp.Or(made[path], text)
	}
	for _, f := range r.Required() {
		switch {
		case !f.Required.Has(schema.OnCreate) || f.ImpliedBy != "" && made[f.ImpliedBy] != "":
		case f.Path == "discount" && made["cents_off"]+made["currency"] != "":
			made["cents_off"], made["currency"] = cmp.Or(made["cents_off"], "500"), cmp.Or(made["currency"], "eur")
		case f.Path == "discount" && made[f.Path] == "":
			made["percent_off"] = "20"
		default:
			put(made, f, 0)
		}
	}
	if r == catalog.TicketTypes && made["type"] == "paid" {
		made["cents"], made["currency"] = cmp.Or(made["cents"], "1500"), cmp.Or(made["currency"], "eur")
	}
	if r == catalog.Calendars {
		made["name"] = cmp.Or(made["name"], fmt.Sprint("Calendar ", s.n))
	}
	delete(made, "calendar_id")
	made["calendar_id"], s.cells["calendar_id"] = "cal-a", cmp.Or(s.cells["calendar_id"], "cal-a")
}
