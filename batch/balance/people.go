package balance

import (
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/value"
)

// people returns the line of those at each event, nil where the source has none. Of several who
// have one address for an event, one is the guest.
func (l *Ledger) people() *Line {
	line := Line{What: People}
	first, why, guests := map[person]*Item{}, map[person]string{}, map[person]*Item{}
	var order []person
	for i := range l.source {
		it := &l.source[i]
		if it.Of != catalog.Guests {
			continue
		}
		p := it.person()
		if first[p] == nil {
			first[p] = it
			order = append(order, p)
		}
		made, reason, again := l.whole(it)
		if again && made == nil {
			made = l.byName[it.record()]
		}
		switch {
		case made != nil && guests[p] == nil:
			guests[p] = made
		case made == nil && why[p] == "":
			why[p] = reason
		}
	}
	is := l.whoIs(order, guests)
	for _, p := range order {
		switch made := guests[p]; {
		case made == nil:
			line.leave(1, first[p], why[p])
		case is[made.record()] != p:
			line.leave(1, first[p], "same address as "+first[is[made.record()]].called())
		}
	}
	line.Source, line.Made = int64(len(order)), int64(len(l.distinct(catalog.Guests)))
	if line.Source == 0 && line.Made == 0 {
		return nil
	}
	return &line
}

// whoIs returns who each guest is: the person whose name the plan has, else the first.
func (l *Ledger) whoIs(order []person, guests map[person]*Item) map[record]person {
	is := map[record]person{}
	for _, p := range order {
		made := guests[p]
		if made == nil {
			continue
		}
		if _, known := is[made.record()]; !known || fold(made.Person) == p.name {
			is[made.record()] = p
		}
	}
	return is
}

// tickets returns a line for each type of ticket.
func (l *Ledger) tickets() []Line {
	var types lines
	for i := range l.source {
		it := &l.source[i]
		if it.Of != catalog.Guests {
			continue
		}
		made, why := l.fate(it)
		left := map[string]int64{}
		for _, name := range l.ticketsOf(i) {
			types.of(Tickets, name).Source++
			left[name]++
		}
		for _, name := range l.ticketsOf(i) {
			if n := left[name]; made == nil && n > 0 {
				types.of(Tickets, name).leave(n, it, why)
				left[name] = 0
			}
		}
	}
	for i := range l.made {
		for _, name := range l.made[i].Tickets {
			types.of(Tickets, name).Made++
		}
	}
	return types
}

// money returns a line for each currency: what the rows of tickets say that each cost, and what
// the tickets cost that are made.
func (l *Ledger) money() []Line {
	var currencies lines
	prices := l.prices()
	for i := range l.source {
		it := &l.source[i]
		if it.Of != catalog.Guests {
			continue
		}
		made, why := l.fate(it)
		for _, ticket := range l.ticketsOf(i) {
			price := prices.of(it, ticket)
			currencies.pay(price, func(line *Line, cents int64) { line.Source += cents })
			if made == nil {
				currencies.pay(price, func(line *Line, cents int64) { line.leave(cents, it, why) })
				continue
			}
			cost := l.byName[it.ticket(ticket)]
			switch {
			case worth(price) == worth(cost):
			case worth(price).currency == worth(cost).currency:
				line := currencies.of(Money, price.Currency)
				line.leave(price.Cents-cost.Cents, it, differs(price, cost, ticket))
			default:
				currencies.pay(price, func(line *Line, cents int64) { line.leave(cents, it, differs(price, cost, ticket)) })
				currencies.pay(cost, func(line *Line, cents int64) { line.leave(-cents, it, differs(price, cost, ticket)) })
			}
		}
	}
	for i := range l.made {
		it := &l.made[i]
		for _, ticket := range it.Tickets {
			currencies.pay(l.byName[it.ticket(ticket)], func(line *Line, cents int64) { line.Made += cents })
		}
	}
	return currencies
}

// pay calls side with the line of a price's currency and the amount, but for what is free.
func (l *lines) pay(price *Item, side func(line *Line, cents int64)) {
	if price != nil && price.Cents != 0 {
		side(l.of(Money, price.Currency), price.Cents)
	}
}

// prices are what the source says that tickets cost.
type prices struct {
	rows  map[row]*Item    // in the row of a guest
	types map[record]*Item // in the first row of a type
}

func (l *Ledger) prices() prices {
	p := prices{map[row]*Item{}, map[record]*Item{}}
	type place struct {
		file, sheet string
		row         int
	}
	at := func(it *Item) place { return place{it.At.File, it.At.Sheet, it.At.Row} }
	places := map[place]*Item{}
	for i := range l.source {
		it := &l.source[i]
		if it.Of != catalog.TicketTypes {
			continue
		}
		places[at(it)] = it
		if r := it.record(); p.types[r] == nil {
			p.types[r] = it
		}
	}
	for i := range l.source {
		it := &l.source[i]
		if price := places[at(it)]; it.Of == catalog.Guests && price != nil {
			p.rows[it.row()] = price
		}
	}
	return p
}

// of returns what the source says that a ticket of a guest costs, nil where it says nothing.
func (p *prices) of(guest *Item, ticket string) *Item {
	if price := p.rows[guest.row()]; price != nil && fold(price.Name) == fold(ticket) {
		return price
	}
	return p.types[guest.ticket(ticket)]
}

// amount is what a ticket costs.
type amount struct {
	cents    int64
	currency string // empty of one that is free
}

func worth(price *Item) amount {
	if price == nil || price.Cents == 0 {
		return amount{}
	}
	return amount{price.Cents, price.Currency}
}

func (a amount) words() string {
	if a.cents == 0 {
		return "nothing"
	}
	return value.MoneyWords(a.cents, a.currency)
}

func differs(said, cost *Item, ticket string) string {
	return "its row says " + worth(said).words() + ", and a ticket " + strings.TrimSpace(ticket) + " costs " + worth(cost).words()
}
