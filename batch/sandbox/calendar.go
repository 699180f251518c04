package sandbox

import "cmp"

// createCalendar makes a calendar of the caller's organization.
func (s *Service) createCalendar(c *call) answer {
	b := s.fields(c)
	b.refusal = cmp.Or(b.refusal, c.organized())
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		if slug := unquote(b.values["slug"]); slug != "" && s.data.taken(slug, "") != "" {
			return nil, nil, invalid(trouble{"slug", s.config.SlugTaken})
		}
		r := &record{Type: "calendar", Issued: s.data.issued + 1, Calendar: c.caller.organization, Fields: b.values}
		r.ID = "cal-" + s.data.word("calendars", r.Issued, 12)
		return r, func() any { return c.nested("calendar", r.ID, s.viewCalendar(s.people.calendar(r.ID))) }, nil
	})
}

// updateCalendar changes the members sent of a calendar.
func (s *Service) updateCalendar(c *call) answer {
	b := s.fields(c)
	id := unquote(b.take("calendar_id"))
	if b.refused() == nil && !s.people.owns(c.caller, id) {
		b.refusal = refuse(403, "You do not have access to this calendar.")
	}
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		slug, old := unquote(b.values["slug"]), s.people.calendar(id)
		if slug != "" && slug != old.Slug && s.data.taken(slug, "") != "" {
			return nil, nil, invalid(trouble{"slug", s.config.SlugTaken})
		}
		return &record{Type: "calendar", ID: id, Fields: b.values}, func() any { return s.viewCalendar(s.people.calendar(id)) }, nil
	})
}
