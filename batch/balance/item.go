package balance

import (
	"cmp"
	"fmt"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Item is what one row is about.
type Item struct {
	Input int // which of the inputs that are read, by which the rows of one file are told apart
	At    schema.Place
	Of    *schema.Resource

	Within   string // the event that it belongs to, by its key; else the calendar
	Name     string // what names it: of an event its key, of a guest the address
	Label    string // what people call it
	Person   string // of a guest: the name
	Tickets  []string
	Cents    int64 // of a ticket type
	Currency string
}

// Fate is what becomes of a row.
type Fate struct {
	Made    bool
	Repeats bool   // it is put together with an earlier row
	Again   bool   // it is a guest of another file, which is what becomes of both
	Why     string // it is not made
}

func (it *Item) record() record {
	r := record{of: it.Of, within: it.Within, name: fold(it.Name)}
	if r.name == "" {
		r.row = it.row()
	}
	return r
}

func (it *Item) row() row { return row{it.Input, it.At.Row} }

func (it *Item) inInput() inInput { return inInput{it.record(), it.Input} }

// guest names a guest: who has no address, by the name.
func (it *Item) guest() record {
	r := it.record()
	if it.Name == "" && it.Person != "" {
		r.name, r.row = "\x00"+fold(it.Person), row{}
	}
	return r
}

func (it *Item) person() person {
	p := person{within: it.Within, name: fold(it.Person), address: fold(it.Name)}
	if p.name == "" && p.address == "" {
		p.row = it.row()
	}
	return p
}

// ticket returns the type of a ticket for the same event.
func (it *Item) ticket(name string) record {
	return record{of: catalog.TicketTypes, within: it.Within, name: fold(name)}
}

// called returns what people call the record of a row.
func (it *Item) called() string {
	return cmp.Or(it.Person, it.Label, it.Name, fmt.Sprintf("row %d", it.At.Row))
}

// record names one record, or the row of one that has no name.
type record struct {
	of           *schema.Resource
	within, name string
	row          row
}

type row struct{ input, number int }

// inInput names a record of one input, whose rows are put together.
type inInput struct {
	record

	input int
}

// person is somebody at an event, by name and address.
type person struct {
	within, name, address string
	row                   row // of somebody without either
}

// fold returns a name by which two are compared.
func fold(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }
