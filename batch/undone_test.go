package batch

import (
	"strings"
	"testing"
	"testing/synctest"

	"eventbatch/batch/journal"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// all is leave to every effect.
var all = []schema.Effect{schema.Mails, schema.Cancels, schema.Refunds, schema.Charges}

// planOf plans rows of a resource under a way of comparing.
func (w *world) planOf(r *schema.Resource, compare, header string, rows ...string) *Planned {
	w.t.Helper()
	config := w.planning(w.workspace, append([]string{header}, rows...)...)
	config.Reading.Resource, config.Allow, config.Options.Compare = r, all, compare
	planned, err := Plan(w.t.Context(), config)
	if err != nil {
		w.t.Fatal(err)
	}
	return planned
}

// TestUndoneIsUndone imports rows, undoes the import, and imports them again: whatever they are about,
// nothing is sent and the rows say why, nor where the import is undone again. A changed cell is sent, and so are
// all once the undo is undone.
func TestUndoneIsUndone(t *testing.T) {
	for _, tt := range []struct {
		name     string
		resource *schema.Resource
		header   string
		before   string // imported first; empty for nothing
		row      string
		changed  string // empty where nothing of it can change
	}{
		{
			"an event", catalog.Events, "key,name,start_at,timezone,max_capacity",
			"", "a,A,2027-04-03T18:00:00Z,Etc/UTC,5", "a,A,2027-04-03T18:00:00Z,Etc/UTC,6",
		},
		{
			"a field", catalog.Events, "key,name,start_at,timezone,max_capacity",
			"a,A,2027-04-03T18:00:00Z,Etc/UTC,4", "a,A,2027-04-03T18:00:00Z,Etc/UTC,5", "a,A,2027-04-03T18:00:00Z,Etc/UTC,6",
		},
		{"a tag of an event", catalog.Events, "event_id,tags", "EVENT,", "EVENT,Jazz", "EVENT,Poem"},
		{"a tag that is taken off", catalog.Events, "event_id,tags", "EVENT,Jazz; Poem", "EVENT,Jazz", "EVENT,Poem"},
		{"tags", catalog.EventTags, "name,color", "", "New,red", "New,blue"},
		{"a color", catalog.EventTags, "name,color", "New,red", "New,blue", "New,green"},
		{"a tag that is deleted", catalog.EventTags, "action,name,color", ",New,red", "DELETE,New,", ""},
		{"a contact", catalog.Contacts, "email,name", "", "ada@example.org,Ada", ""},
		{"a state", catalog.Contacts, "email,state", "ada@example.org,active", "ada@example.org,blocked", "ada@example.org,removed"},
		{"a tag of a contact", catalog.Contacts, "email,tags", "ada@example.org,", "ada@example.org,Friend", "ada@example.org,Fan"},
		{"a guest", catalog.Guests, "event,email,status", "", "EVENT,ada@example.org,approved", "EVENT,ada@example.org,pending_approval"},
		{
			"a status", catalog.Guests, "event,email,status",
			"EVENT,ada@example.org,approved", "EVENT,ada@example.org,declined", "EVENT,ada@example.org,pending_approval",
		},
		{
			"tickets", catalog.Guests, "event,email,ticket_types",
			"EVENT,ada@example.org,Free", "EVENT,ada@example.org,Free; Free", "EVENT,ada@example.org,Free; Free; Free",
		},
		{"a ticket type", catalog.TicketTypes, "event,name,type,description", "", "EVENT,More,free,One", "EVENT,More,free,Two"},
		{
			"a ticket type's words", catalog.TicketTypes, "event,name,type,description",
			"EVENT,More,free,One", "EVENT,More,free,Two", "EVENT,More,free,Three",
		},
		{"a ticket type that is deleted", catalog.TicketTypes, "action,event,name,type", ",EVENT,More,free", "DELETE,EVENT,More,", ""},
		{"a coupon", catalog.Coupons, "event,code,percent_off,remaining_count", "", "EVENT,TEA,20,5", "EVENT,TEA,20,6"},
		{
			"a coupon's count", catalog.Coupons, "event,code,percent_off,remaining_count",
			"EVENT,TEA,20,5", "EVENT,TEA,20,6", "EVENT,TEA,20,7",
		},
		{"a host", catalog.Hosts, "event,email,name", "", "EVENT,ada@example.org,Ada", ""},
		{
			"a host's access", catalog.Hosts, "event,email,access_level",
			"EVENT,ada@example.org,none", "EVENT,ada@example.org,manager", "EVENT,ada@example.org,check-in",
		},
		{"a webhook", catalog.Webhooks, "url,event_types", "", "https://a.example/x,*", "https://a.example/x,event.created"},
		{
			"a webhook's status", catalog.Webhooks, "url,event_types,status",
			"https://a.example/x,*,active", "https://a.example/x,event.created,paused", "",
		},
		{
			"a listing", catalog.Listings, "url,name,start_at,end_at,timezone,host", "",
			"https://a.example/x,X,2027-04-03T18:00:00Z,2027-04-03T19:00:00Z,Etc/UTC,Ada", "",
		},
		{"a member without a status", catalog.Members, "email,tier", "", "ada@example.org,Friend", ""},
		{"a member", catalog.Members, "email,tier,status", "", "ada@example.org,Friend,approved", ""},
		{
			"a member's status", catalog.Members, "email,tier,status",
			"ada@example.org,Friend,approved", "ada@example.org,Friend,declined", "",
		},
	} {
		for _, compare := range []string{"sent", "live"} {
			if testing.Short() && compare == "sent" {
				continue
			}
			t.Run(tt.name+" "+compare, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					w.mustApply(w.mustPlan(header, tea).Run)
					event := w.sandbox.Events()[0].ID
					w.mustApply(w.planOf(catalog.TicketTypes, "sent", "event,name,type", event+",Free,free").Run)
					w.mustApply(w.planOf(catalog.EventTags, "sent", "name", "Jazz", "Poem").Run)
					w.dir = t.TempDir() // the rows have a file of their own
					w.mustApply(w.planOf(catalog.ContactTags, "sent", "name", "Friend", "Fan").Run)
					if tt.resource == catalog.Contacts && tt.before != "" {
						w.mustApply(w.planOf(catalog.Contacts, "sent", "email,name", "ada@example.org,Ada").Run)
					}
					plans := func(row string) *Planned {
						return w.planOf(tt.resource, compare, tt.header, strings.ReplaceAll(row, "EVENT", event))
					}
					if tt.before != "" {
						w.mustApply(plans(tt.before).Run)
					}
					first := plans(tt.row)
					if first.Total() == 0 {
						t.Fatalf("nothing to undo: %v", first.Reasons)
					}
					if got := w.mustApply(first.Run); got[journal.Done] == 0 {
						t.Fatalf("not done: %+v", got)
					}
					undo, err := Undo(t.Context(), UndoConfig{Run: first.Run, Workspace: w.workspace, Service: w.service, Allow: all})
					if err != nil {
						t.Fatal(err)
					}
					if undo.Total() == 0 {
						t.Fatalf("not undone: %v", undo.Reasons)
					}
					w.mustApply(undo.Run)
					twice, err := Undo(t.Context(), UndoConfig{Run: first.Run, Workspace: w.workspace, Service: w.service, Allow: all})
					if err != nil {
						t.Fatal(err)
					}
					if twice.Total() != 0 {
						t.Errorf("undone again: %d requests, %v", twice.Total(), twice.Rows)
					}
					again := plans(tt.row)
					if again.Total() != 0 || len(again.Reasons) == 0 ||
						!strings.HasPrefix(again.Reasons[0].Reason, "undone by run "+undo.Run.ID()) {
						t.Errorf("the same row again: %d requests, %v", again.Total(), again.Reasons)
					}
					if tt.changed != "" && plans(tt.changed).Total() == 0 {
						t.Errorf("a changed cell: %v", plans(tt.changed).Reasons)
					}
					redo, err := Undo(t.Context(), UndoConfig{Run: undo.Run, Workspace: w.workspace, Service: w.service, Allow: all})
					if err != nil {
						t.Fatal(err)
					}
					if redo.Total() > 0 {
						w.mustApply(redo.Run)
						if again := plans(tt.row); again.Total() != 0 {
							t.Errorf("the undo undone: %d requests, %v", again.Total(), again.Reasons)
						}
					} else {
						t.Logf("the undo of the undo: %v", redo.Reasons)
					}
				})
			})
		}
	}
}
