package sandbox

import "encoding/json"

// Existing is an event that the service holds before anybody has called it.
type Existing struct {
	ID       string
	Calendar string
	Name     string
	Slug     string
	StartAt  string // <timestamp>
	EndAt    string // <timestamp>
	Timezone string
}

// seed puts the existing events in, unless the service has ever held one of
// that slug: what was changed or cancelled since stays so. They count as no requests.
func (s *Service) seed(existing []Existing) error {
	for _, e := range existing {
		if s.data.bySlug[e.Slug] > 0 {
			continue
		}
		fields := map[string]json.RawMessage{}
		for name, value := range map[string]string{
			"name": e.Name, "slug": e.Slug, "start_at": e.StartAt, "end_at": e.EndAt, "timezone": e.Timezone,
		} {
			fields[name] = quote(value)
		}
		err := s.keep(&record{Type: "create", ID: e.ID, Calendar: e.Calendar, At: s.config.Now().UnixMilli(), Fields: fields})
		if err != nil {
			return err
		}
	}
	return nil
}
