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

// settle puts the existing events into a service that has never held any. They
// count as no requests.
func (s *Service) settle(existing []Existing) error {
	if s.data.created > 0 {
		return nil
	}
	for _, e := range existing {
		fields := map[string]json.RawMessage{}
		for name, value := range map[string]string{
			"name": e.Name, "slug": e.Slug, "start_at": e.StartAt, "end_at": e.EndAt, "timezone": e.Timezone,
		} {
			fields[name] = quote(value)
		}
		err := s.commit(&record{Type: "create", ID: e.ID, Calendar: e.Calendar, At: s.config.Now().UnixMilli(), Fields: fields})
		if err != nil {
			return err
		}
	}
	return nil
}
