package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// locate notes the zone in which the times of an event are told, the row's or else the one that its members tell, and
// that one too where it is another.
func (e *Event) locate(d *schema.Draft, members map[string]json.RawMessage) {
	var live string
	_ = json.Unmarshal(members[catalog.Path(catalog.FieldTimezone)], &live) // which is a text, or not told
	e.Zone = cmp.Or(d.Text(catalog.FieldTimezone), live, e.Zone)
	if e.ZoneWas = ""; live != e.Zone {
		e.ZoneWas = live
	}
}

// LiveZone returns the zone in which the platform tells the times of the event; empty where it is not known.
func (e *Event) LiveZone() string { return cmp.Or(e.ZoneWas, e.Zone) }

// Clocks returns what becomes of the times of an event that gets another time zone, but for those that are sent: they stay the
// moments that they are, which the clocks of the new zone show otherwise. What is live is by paths.
func Clocks(was, is string, live map[string]json.RawMessage, sent func(path string) bool) (list []Change) {
	from, to := value.Location(was), value.Location(is)
	if from == nil || to == nil {
		return nil
	}
	for _, id := range []schema.ID{catalog.FieldStartAt, catalog.FieldEndAt} {
		var at time.Time
		path := catalog.Path(id)
		if sent(path) || json.Unmarshal(live[path], &at) != nil || at.IsZero() ||
			at.In(from).Format(time.DateTime) == at.In(to).Format(time.DateTime) {
			continue
		}
		list = append(list, Change{
			Field: path, Live: live[path], Mine: live[path], Decision: Follow, Why: "the same moment by the clocks of the new time zone",
		})
	}
	return list
}

// clocks has an op that gives its event another time zone say what becomes of the times that it does not send.
func (op *Op) clocks(send map[schema.ID]bool, members map[string]json.RawMessage) {
	if !send[catalog.FieldTimezone] {
		return
	}
	live := map[string]json.RawMessage{}
	for _, id := range []schema.ID{catalog.FieldStartAt, catalog.FieldEndAt} {
		live[catalog.Path(id)] = members[catalog.Field(id).Read()]
	}
	sent := func(path string) bool {
		f, _ := op.Of().ByPath(path)
		return send[f.ID]
	}
	for _, c := range Clocks(op.Event.ZoneWas, op.Event.Zone, live, sent) {
		if i := slices.IndexFunc(op.Changes, func(other Change) bool { return other.Field == c.Field }); i < 0 {
			op.Changes = append(op.Changes, c)
		} else if op.Changes[i].Decision == Same {
			op.Changes[i] = c
		}
	}
}
