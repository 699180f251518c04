package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// freeTickets finds the events that sell tickets from this plan on, and keep the free ticket type that the
// service makes with an event that is created without any: everybody could still register for nothing.
type freeTickets struct {
	live    *live.Cache
	memory  *journal.Memory
	planner *plan.Planner
	paid    map[[2]string]bool // events that get a paid ticket type, by calendar and id
	named   map[string]bool    // ids of ticket types, and their names behind the id of their event, that rows are about

	replaces bool            // they are taken away
	said     map[string]bool // as named, by the words by which the rows of the whole input call the events
	left     map[string]int  // rows still to come that bring paid ones, by the word for their event
	gone     map[string]int  // how many are taken away, by name
	stay     []string        // why others are not
	told     map[string]bool // events of which that is said
}

// read reads ahead which ticket types rows are about, where those that no row is about are taken away. From a
// pipe that is not known: a row behind is refused then.
func (f *freeTickets) read(ctx context.Context, d *decision) {
	if f.replaces = d.config.Options.ReplaceDefault; !f.replaces {
		return
	}
	f.said, f.gone, f.left, f.told = map[string]bool{}, map[string]int{}, map[string]int{}, map[string]bool{}
	d.looked = true
	invalid := d.ahead(ctx, func(row *mapping.Result) {
		if t := row.Draft; t != nil && t.Resource == catalog.TicketTypes {
			event := strings.Clone(t.Value(t.Resource.Parent))
			f.said[strings.Clone(t.Value(t.Resource.ID))], f.said[ticketName(event, t.Name())] = true, true
			if t.Value("type") == "paid" {
				f.left[event]++
			}
		}
	})
	d.invalid = d.invalid || invalid
}

// ticketName is the name of a ticket type within its event.
func ticketName(event, name string) string { return event + "\x00" + strings.ToLower(name) }

// replace has the free ticket type of an event go behind the last row that brings a paid one: an undo makes it
// again before it takes away the others, of which one has to stay.
func (f *freeTickets) replace(ctx context.Context, op *plan.Op, row *schema.Draft) error {
	calendar, event := op.Event.Calendar, op.Event.Parent
	if !f.replaces || row.Resource != catalog.TicketTypes || row.Value("type") != "paid" {
		return nil
	}
	word := strings.Clone(row.Value(row.Resource.Parent))
	f.left[word]--
	brings := sells(op) || op.Action == plan.Unchanged && f.paid[[2]string{calendar, event}]
	if !brings || f.left[word] > 0 || f.told[event] {
		return nil
	}
	known, _ := f.memory.Event(event)
	listed, err := f.live.All(ctx, catalog.TicketTypes, calendar, event, f.memory.Heard(known.Run))
	if err != nil || listed.Listed == nil {
		return f.unless(err)
	}
	free := slices.DeleteFunc(f.kept(listed, event), func(t api.Record) bool {
		return f.said[t.ID] || f.said[ticketName(word, ticketOf(t.Values).Name)]
	})
	if len(free) == 0 {
		return nil
	}
	if f.told[event] = true; len(free) > 1 {
		f.stay = append(f.stay, fmt.Sprintf("the %s of event %s stay: nobody knows which is the platform's",
			report.Count(len(free), "free ticket type"), eventOf(op, row)))
		return nil
	}
	name := ticketOf(free[0].Values).Name
	why, err := f.held(ctx, calendar, event, free[0].ID)
	if err != nil {
		return f.unless(err)
	}
	if why == "" {
		taken := f.planner.Add(&plan.Op{N: op.N + len(op.Parts) + 1, Row: op.Row}, takes(row, calendar, free[0].ID, name))
		if taken.Action == plan.Cancel {
			taken.Reason = "the platform's free ticket type gives way to paid ones"
			op.Join(taken)
			f.gone[name]++
			return nil
		}
		why = taken.Reason
	}
	f.stay = append(f.stay, fmt.Sprintf("the free ticket type %q of event %s stays: %s", name, eventOf(op, row), why))
	return nil
}

// unless returns an error for which no key is to blame: where one is, its rows are held back by themselves.
func (f *freeTickets) unless(err error) error {
	if live.Withheld(err) {
		return nil
	}
	return err
}

// sells reports whether an op brings an event that was there before a ticket type that costs something.
func sells(op *plan.Op) bool {
	says := ticketOf(fields(op.Operation, &op.Payload))
	return op.Of() == catalog.TicketTypes && op.Event.Parent != "" && op.Action.Sends() && says.Type == "paid" && !says.Hidden
}

// eventOf says in words which event the row of a ticket type is about.
func eventOf(op *plan.Op, row *schema.Draft) string {
	return fmt.Sprintf("%s (row %d)", row.Value(row.Resource.Parent), op.Row.Number)
}

// takes is the row that takes a ticket type away from the event that another row is about.
func takes(row *schema.Draft, calendar, id, name string) *schema.Draft {
	d := schema.NewDraft(row.Resource, row.Place)
	d.Action, d.Calendar = schema.Delete, calendar
	for path, text := range map[string]string{
		row.Resource.Parent: row.Value(row.Resource.Parent), row.Resource.ID: id, row.Resource.Named: name,
	} {
		f, _ := row.Resource.ByPath(path)
		d.Put(schema.Setting{Field: f.ID, State: schema.Set, Column: -1, Text: text})
	}
	return d
}

// held says how many guests of an event have the ticket type, empty where none has.
func (f *freeTickets) held(ctx context.Context, calendar, event, id string) (why string, err error) {
	guests, err := f.live.All(ctx, catalog.Guests, calendar, event, f.memory.Heard(""))
	if err != nil || guests.Listed == nil {
		return "", err
	}
	n := 0
	for guest := range guests.IDs() {
		record, _ := guests.Of(guest)
		text, _ := json.Marshal(record.Values) // what came as JSON is JSON
		if bytes.Contains(text, []byte(strconv.Quote(id))) {
			n++
		}
	}
	switch n {
	case 0:
		return "", nil
	case 1:
		return "1 guest has it", nil
	}
	return report.Count(n, "guest") + " have it", nil
}

// row notes what a row makes of ticket types.
func (f *freeTickets) row(op *plan.Op) {
	for each := range op.All() {
		if each.Of() != catalog.TicketTypes || each.Event.Parent == "" {
			continue
		}
		if f.paid == nil {
			f.paid, f.named = map[[2]string]bool{}, map[string]bool{}
		}
		f.named[each.Event.ID], f.named[ticketName(each.Event.Parent, each.Event.Name)] = true, true
		if sells(each) {
			f.paid[[2]string{each.Event.Calendar, each.Event.Parent}] = true
		}
	}
}

// ticket is what tells a ticket type that everybody can have for nothing.
type ticket struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Hidden bool   `json:"is_hidden"`
}

func ticketOf(values map[string]json.RawMessage) (t ticket) {
	text, err := json.Marshal(values)
	if err == nil {
		_ = json.Unmarshal(text, &t) // in a shape that nobody knows, it is none
	}
	return t
}

// kept returns the free ticket types of an event that no run has made and no row is about.
func (f *freeTickets) kept(listed *live.Records, event string) (free []api.Record) {
	for id := range listed.IDs() {
		record, _ := listed.Of(id)
		made, _ := f.memory.Event(id)
		t := ticketOf(record.Values)
		if t.Type == "free" && !t.Hidden && made.Run == "" && !f.named[id] && !f.named[ticketName(event, t.Name)] {
			free = append(free, record)
		}
	}
	return free
}

// notes says which events keep such a ticket type, as far as their lists were asked for, and which do not.
func (f *freeTickets) notes() (notes []string) {
	for _, name := range slices.Sorted(maps.Keys(f.gone)) {
		notes = append(notes, fmt.Sprintf("the free ticket type %q of %s is taken away once paid ones are there, as --replace-default says",
			name, report.Count(f.gone[name], "event")))
	}
	notes = append(notes, f.stay...)
	keep := map[string]int{}
	for event := range f.paid {
		listed := f.live.Had(catalog.TicketTypes, event[0], event[1])
		if listed == nil || f.told[event[1]] {
			continue
		}
		seen := map[string]bool{}
		for _, record := range f.kept(listed, event[1]) {
			if name := ticketOf(record.Values).Name; !seen[name] {
				seen[name] = true
				keep[name]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(keep)) {
		verb := "keep"
		if keep[name] == 1 {
			verb = "keeps"
		}
		notes = append(notes, fmt.Sprintf("%s %s a free ticket type %q beside paid ones, by which everybody can register for nothing: "+
			"rows below them with its name and the action DELETE take it away, or --replace-default does",
			report.Count(keep[name], "event"), verb, name))
	}
	return notes
}
