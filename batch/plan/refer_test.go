package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// What a coupon calls its ticket type is that of a row of the plan, or else one of the service.
func TestACouponNamesATicketTypeOfThePlan(t *testing.T) {
	const theirs = "Standard=tic-1 VIP=tic-2 Twin=tic-3 Twin=tic-4 Early=tic-5" // of the event that is there
	type row map[string]string
	type rows []row
	is := func(id string) string { return `"event_ticket_type_id":"` + id + `"` }
	for name, tt := range map[string]struct {
		types  rows // of ticket-types
		coupon string
		event  string // K is new
		action Action
		want   string // in the body, or the reason
		after  []int
	}{
		"rides with its event": {rows{{"event": "K", "name": "VIP"}}, "vip", "K", Create, is("VIP"), []int{0, 1}},
		"no row of its new event": {
			rows{{"event": "live", "name": "Gold"}},
			"Gold", "K",
			Invalid, `its event is new, and has no ticket type "Gold"`, nil,
		},
		"made by a row":            {rows{{"event": "live", "name": "Gold"}}, "GOLD", "live", Create, is("Gold"), []int{1}},
		"of the service":           {nil, "vip", "live", Create, is("tic-2"), nil},
		"of the service by its id": {nil, "tic-3", "live", Create, is("tic-3"), nil},
		"changed by a row": {
			rows{{"event": "live", "name": "VIP", "cents": "5", "type": "paid"}},
			"VIP", "live",
			Create, is("tic-2"), nil,
		},
		"by the new name": {
			rows{{"event": "live", "name": "Gold", "ticket_type_id": "tic-2"}},
			"gold", "live",
			Create, is("tic-2"), nil,
		},
		"by the old name": {
			rows{{"event": "live", "name": "Gold", "ticket_type_id": "tic-2"}},
			"VIP", "live",
			Create, is("tic-2"), nil,
		},
		"the name is that of another": {
			rows{{"event": "live", "name": "Early", "ticket_type_id": "tic-2"}},
			"Early", "live",
			Invalid, `ticket type "Early" is tic-5 on the service, and tic-2 by season.xlsx:Ticket types!2`, nil,
		},
		"several of the service": {nil, "Twin", "live", Invalid, `several ticket-types of the name "Twin": tic-3, tic-4`, nil},
		"deleted by a row": {
			rows{{"event": "live", "name": "VIP", "action": "DELETE"}},
			"VIP", "live",
			Invalid, `ticket type "VIP" is deleted by season.xlsx:Ticket types!2`, nil,
		},
		"its row is invalid": {
			rows{{"event": "K", "name": "VIP", "type": ""}},
			"VIP", "K",
			Blocked, `ticket type "VIP", season.xlsx:Ticket types!2, is invalid`, nil,
		},
		"its row has errors": {
			rows{{"event": "K", "name": "VIP", "wrong": "x"}},
			"VIP", "K",
			Blocked, `ticket type "VIP", season.xlsx:Ticket types!2, is invalid`, nil,
		},
		"its row has errors, and it is there": {
			rows{{"event": "live", "name": "VIP", "wrong": "x"}},
			"VIP", "live",
			Create, is("tic-2"), nil,
		},
		"its row has errors, of an event that is there": {
			rows{{"event": "live", "name": "Gold", "wrong": "x"}},
			"Gold", "live",
			Blocked, `ticket type "Gold", season.xlsx:Ticket types!2, is invalid`, nil,
		},
		"its row is left out": {
			rows{{"event": "live", "name": "VIP", "action": "SKIP"}},
			"VIP", "live",
			Create, is("tic-2"), nil,
		},
		"its row is left out, and new": {
			rows{{"event": "live", "name": "Gold", "action": "SKIP"}},
			"Gold", "live",
			Invalid, `there is no ticket type "Gold"`, nil,
		},
		"the row of another event": {
			rows{{"event": "K", "name": "Gold"}},
			"Gold", "live",
			Invalid, `there is no ticket type "Gold"`, nil,
		},
		"a coupon of the calendar's": {nil, "tic-9", "", Create, is("tic-9"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Config{
				Linked: true, History: History{Memory: memory{}}, Options: Options{Slug: "derive", Compare: "sent"},
				Resolve: func(string) (string, error) { return "cal-1", nil },
				Platform: Platform{
					Parent: func(_, word string) (string, error) { return map[string]string{"live": "evt-live"}[word], nil },
					Listed: func(r *schema.Resource, e *Event) (*Listed, error) {
						var ids []string
						for pair := range strings.FieldsSeq(theirs) {
							called, id, _ := strings.Cut(pair, "=")
							meant := e.ID == id || e.ID == "" && strings.EqualFold(e.Name, called)
							if meant && r == catalog.TicketTypes && e.Parent == "evt-live" {
								ids = append(ids, id)
							}
						}
						switch len(ids) {
						case 0:
							return nil, nil
						case 1:
							return &Listed{ID: ids[0]}, nil
						}
						return nil, &SeveralError{ids}
					},
				},
			})
			event := eventIn(t, 2, schema.Upsert, "K", "cal-1")
			p.Add(&event.op, event.d)
			n := 1
			for _, fields := range tt.types {
				if _, said := fields["type"]; !said {
					fields["type"] = "free"
				}
				action := schema.Upsert
				if fields["action"] != "" {
					action, _ = value.ParseAction(fields["action"], catalog.TicketTypes.Verbs())
				}
				op := &Op{N: n}
				if fields["wrong"] != "" {
					op.Problems = []schema.Problem{{Severity: schema.Error}}
				}
				p.Add(op, recordOf(t, catalog.TicketTypes, n+1, action, fields))
				n++
			}
			op := p.Add(&Op{N: n}, recordOf(t, catalog.Coupons, 2, schema.Upsert, row{
				"event": tt.event, "code": "TEN", "percent_off": "10", "ticket_type": tt.coupon,
			}))
			got := fmt.Sprintf("%s %s %+v", op.Reason, op.Body, op.Problems)
			if op.Action != tt.action || !strings.Contains(got, tt.want) {
				t.Errorf("%s %s", op.Action, got)
			}
			if !slices.Equal(op.After, tt.after) {
				t.Errorf("it waits for %v, want %v", op.After, tt.after)
			}
		})
	}
}
