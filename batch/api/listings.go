package api

import (
	"encoding/json"
	"fmt"
	"iter"

	"eventbatch/mapping/schema"
)

// A list of several pages may shift while it is paged: what goes from a page that is still to come to
// one that was read is on none of them, and nothing says so. Such a list is therefore read again until
// a listing has all that the one before it had: what is new may have slipped before, or was made since,
// by whoever is at work there too. A list of one page cannot shift.

// MostListings is how often a list is read at most.
const MostListings = 5

// Listing is what a list has shown while it was read once.
type Listing struct {
	shown   map[string]bool // what tells its entries apart
	several bool            // it has several pages
}

// Page takes in the entries of a page. more means that another page comes behind it.
func (l *Listing) Page(of *schema.Resource, entries []json.RawMessage, more bool) {
	if l.shown == nil {
		l.shown = map[string]bool{}
	}
	for _, entry := range entries {
		l.shown[named(entry, of)] = true
	}
	l.several = l.several || more
}

// named returns what tells an entry of a list apart: its id, or all of it where it has none.
func named(entry json.RawMessage, of *schema.Resource) string {
	id := membersOf(entry).within(of.Nested()).id(of)
	if id == "" && of.ID == "" {
		id = string(entry)
	}
	return id
}

// hasAll reports whether the listing shows whatever another has shown.
func (l *Listing) hasAll(other Listing) bool {
	for name := range other.shown {
		if !l.shown[name] {
			return false
		}
	}
	return true
}

// Listings tells when a list can be believed that is read again and again.
type Listings struct {
	last   Listing
	n      int
	steady bool
}

// Add takes in a listing that was read to its end, and reports whether the list is read no more.
func (l *Listings) Add(listing Listing) (settled bool) {
	l.steady = !listing.several || l.n > 0 && listing.hasAll(l.last)
	l.last, l.n = listing, l.n+1
	return l.Settled()
}

// Settled reports whether the list is read no more.
func (l *Listings) Settled() bool { return l.steady || l.n >= MostListings }

// Shifts returns an error where the list cannot be believed: each listing has lacked something.
func (l *Listings) Shifts(what string) error {
	if l.steady {
		return nil
	}
	return &ShiftsError{What: what}
}

// ShiftsError says that a list was another one each time that it was read: what it lacks may be there.
type ShiftsError struct{ What string } // "the events of calendar cal-a"

func (e *ShiftsError) Error() string {
	return fmt.Sprintf("the list of %s was another one each of the %d times that it was read: some may be missing from it",
		e.What, MostListings)
}

// Hint returns what to do.
func (e *ShiftsError) Hint() string { return "try again when less is changed on the platform" }

// Entries goes through the entries of a list, page by page.
func Entries(pages iter.Seq2[Page, error]) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for page, err := range pages {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, entry := range page.Entries {
				if !yield(entry, nil) {
					return
				}
			}
		}
	}
}
