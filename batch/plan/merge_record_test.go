package plan

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// TestEveryRecordIsMerged leads each field of each resource that an update can bring through
// the table of decisions: as it was, changed in the row, changed on the platform, and both.
func TestEveryRecordIsMerged(t *testing.T) {
	for _, r := range catalog.Resources {
		if r == catalog.Events {
			continue
		}
		for i := range r.Own {
			f := &r.Own[i]
			_, part := f.Object()
			alone := r.Listed == "" || r.ListedAlone != ""
			if part || f.Local || f.Manner || f.Deprecated || r.Names(f) || r.Bringing(f, schema.Update, alone) == nil {
				continue
			}
			values := three(t, f)
			for _, row := range []struct {
				base, mine, live int
				want             Action
			}{
				{0, 0, 0, Unchanged},
				{0, 1, 0, Update},
				{0, 0, 1, Unchanged},
				{0, 1, 1, Unchanged},
				{0, 1, 2, Conflict},
			} {
				if values[row.live] == values[0] && row.live != 0 {
					continue // the field has two values
				}
				if op := mergedOp(t, f, r, values[row.base], values[row.mine], values[row.live]); op.Action != row.want {
					t.Errorf("%s %s: base %s, mine %s, live %s: %s (%s), want %s", r.Name, f.Path,
						values[row.base], values[row.mine], values[row.live], op.Action, op.Reason, row.want)
				} else if op.Action == Update && !strings.Contains(string(op.Body), catalog.OperationNamed(op.Operation).Member(f)) &&
					catalog.OperationNamed(op.Operation).Means[f.Path] == "" {
					t.Errorf("%s %s: the request does not say it: %s", r.Name, f.Path, op.Body)
				}
			}
		}
	}
}

// three returns three values of a field, as cells have them.
func three(t *testing.T, f *schema.Field) []string {
	t.Helper()
	switch {
	case len(f.Values) >= 3:
		return f.Values[:3]
	case len(f.Values) == 2:
		return append(f.Values[:2:2], f.Values[0])
	}
	switch f.Kind {
	case schema.Bool:
		return []string{"true", "false", "true"}
	case schema.Integer, schema.Number:
		return []string{"20", "30", "40"}
	case schema.Timestamp:
		return []string{"2027-03-01T10:00:00Z", "2027-03-02T10:00:00Z", "2027-03-03T10:00:00Z"}
	case schema.Day:
		return []string{"2027-03-01", "2027-03-02", "2027-03-03"}
	case schema.URL:
		return []string{"https://a.example", "https://b.example", "https://c.example"}
	case schema.Color:
		return []string{"#111111", "#222222", "#333333"}
	case schema.Object:
		return []string{f.Example, `{"city":"Bath"}`, `{"city":"York"}`}
	}
	return []string{"one", "two", "three"}
}

// mergedOp returns what becomes of a row that says one value of a field, where another is live
// and a third was sent last.
func mergedOp(t *testing.T, f *schema.Field, r *schema.Resource, base, mine, live string) *Op {
	t.Helper()
	valueOf := func(text string) json.RawMessage {
		var s schema.Setting
		if fault := value.Parse(f, &s, text); fault != nil {
			t.Fatalf("%s %s: %q: %s", r.Name, f.Path, text, fault.Message)
		}
		return f.JSON(&s)
	}
	d := schema.NewDraft(r, schema.Place{Row: 2, Column: -1})
	put := func(path, text string) {
		own, ok := r.ByPath(path)
		var s schema.Setting
		if !ok || own.ID < catalog.FieldEventID || d.Has(own.ID) {
			return
		}
		if fault := value.Parse(own, &s, text); fault != nil {
			t.Fatalf("%s: %s", path, fault.Message)
		}
		d.Put(s)
	}
	put(f.Path, mine)
	d.Key = "k"
	name, _ := r.ByPath(r.Named)
	if put(r.Parent, "evt-1"); !name.Local {
		put(r.Named, name.Example)
	}
	known := Known{EventID: "id-1", Hash: "sent+", Run: "run-1"}
	p := New(Config{
		Options: Options{Compare: "live", First: Fail, OnConflict: Fail},
		History: History{Memory: remembering{known}, Base: func(*Event, Known) map[string]Base {
			return map[string]Base{f.Path: {Agreement: Agreement{Mine: valueOf(base), Live: valueOf(base)}}}
		}},
		Resolve: func(string) (string, error) { return "cal-1", nil },
		Platform: Platform{
			Parent: func(string, string) (string, error) { return "evt-1", nil },
			Listed: func(of *schema.Resource, e *Event) (*Listed, error) {
				if of != r {
					return &Listed{ID: e.ID + e.Name}, nil
				}
				values := map[string]json.RawMessage{f.Read(): valueOf(live)}
				if !name.Local && name != f {
					values[name.Read()], _ = json.Marshal(name.Example)
				}
				return &Listed{ID: "id-1", Values: values}, nil
			},
			Live: func(*Event, bool) (map[string]json.RawMessage, bool, error) { return nil, true, nil },
		},
	})
	return p.Add(&Op{Row: Row{Number: 2}}, d)
}

// An export calls ticket types by their names, an older one by their ids: either way a list that
// nobody has changed is seen to be as it was.
func TestAGuestIsMergedWithAnExportThatNamesTicketTypes(t *testing.T) {
	for _, tt := range []struct {
		cell, mine, live string // the list of the export, the cell, the platform
		want             Action
		sends            string
	}{
		{"VIP", "VIP", "tic-2", Unchanged, ""},
		{"tic-2", "tic-2", "tic-2", Unchanged, ""},
		{"VIP", "VIP", "tic-1", Unchanged, ""},
		{"VIP", "Standard", "tic-2", Update, `"tickets_to_add":[{"event_ticket_type_id":"tic-1"}]`},
		{"VIP", "Standard", "tic-1", Unchanged, ""},
		{"VIP", "Standard", "tic-3", Conflict, ""},
	} {
		draft := func(list string) *schema.Draft {
			return recordOf(t, catalog.Guests, 2, schema.Upsert, map[string]string{
				"event": "evt-1", "email": "ada@example.org", "ticket_types": list,
			})
		}
		d := draft(tt.mine)
		d.Base = string(baseline.Append(nil, time.Now(), draft(tt.cell), catalog.Guests.Columns()))
		f, _ := catalog.Guests.ByPath("ticket_types")
		d.Get(f.ID).Untouched = tt.cell == tt.mine
		names := map[string]string{"tic-1": "Standard", "tic-2": "VIP", "tic-3": "Late"}
		p := New(Config{
			Options: Options{Compare: "live", First: Fail, OnConflict: Fail},
			History: History{
				Memory: remembering{Known{Hash: "sent+", Run: "run-1"}}, Base: func(*Event, Known) map[string]Base { return nil },
			},
			Resolve: func(string) (string, error) { return "cal-1", nil },
			Platform: Platform{
				Listed: func(of *schema.Resource, e *Event) (*Listed, error) {
					if of == catalog.Guests {
						tickets := json.RawMessage(`[{"id":"tkt-1","event_ticket_type_id":"` + tt.live + `"}]`)
						return &Listed{ID: "gue-1", Values: map[string]json.RawMessage{"event_tickets": tickets}}, nil
					}
					for id, name := range names {
						if id == e.ID || e.ID == "" && name == e.Name {
							return &Listed{ID: id, Values: map[string]json.RawMessage{"name": json.RawMessage(`"` + name + `"`)}}, nil
						}
					}
					return nil, nil
				},
				Live: func(*Event, bool) (map[string]json.RawMessage, bool, error) { return nil, true, nil },
			},
		})
		op := p.Add(&Op{Row: Row{Number: 2}}, d)
		if op.Action != tt.want || !strings.Contains(string(op.Body), tt.sends) {
			t.Errorf("%+v: %s (%s) %s", tt, op.Action, op.Reason, op.Body)
		}
	}
}

// remembering knows one thing of every record.
type remembering struct{ known Known }

func (m remembering) Recall(_, key string) (Known, bool) {
	if key == "evt-1" {
		return Known{EventID: "evt-1"}, true
	}
	return m.known, true
}

func (m remembering) Event(string) (Known, bool) { return m.known, true }
