package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"testing"
	"time"

	"eventbatch/batch/api"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// shifting is a calendar of 30 records in pages of ten, of which one goes from the first page to the
// end behind the first page of a listing: the next page then lacks one.
type shifting struct {
	Client

	records  []int
	shifts   int // listings that shift
	listings int
	next     int
}

func (s *shifting) Pages(context.Context, *schema.Operation, url.Values) iter.Seq2[api.Page, error] {
	return func(yield func(api.Page, error) bool) {
		s.listings++
		for at := 0; at < len(s.records); at += 10 {
			var page api.Page
			for _, n := range s.records[at:min(at+10, len(s.records))] {
				entry := fmt.Sprintf(`{"id":"evt-%d","name":"E","start_at":"2027-01-01T10:00:00Z"}`, n)
				page.Entries = append(page.Entries, json.RawMessage(entry))
			}
			if at+10 < len(s.records) {
				page.Next = fmt.Sprint(at + 10)
			}
			if !yield(page, nil) {
				return
			}
			if at == 0 && s.shifts > 0 {
				s.next++
				s.shifts--
				s.records = append(s.records[1:], 1000+s.next)
			}
		}
	}
}

func TestAListThatShiftsIsReadUntilItLacksNothing(t *testing.T) {
	for _, tt := range []struct {
		name            string
		records, shifts int
		listings        int
		shifted         bool
	}{
		{"one page", 10, 0, 1, false},
		{"pages that stay", 30, 0, 2, false},
		{"pages that shift once", 30, 1, 3, false},
		{"pages that shift each time", 30, 9, 5, true},
	} {
		for resource, of := range map[*schema.Resource]string{
			catalog.Events: "the events of calendar cal-a", catalog.Guests: "the guests of event evt-tea",
			catalog.Contacts: "the contacts of calendar cal-a",
		} {
			t.Run(resource.Name+", "+tt.name, func(t *testing.T) {
				client := &shifting{shifts: tt.shifts}
				for n := range tt.records {
					client.records = append(client.records, n)
				}
				config := Config{Client: client, Calendar: "cal-a", Folder: t.TempDir(), Now: time.Now, Alone: true}
				if resource != catalog.Events {
					config.Events = []string{"evt-tea"}
				}
				for process := range 2 {
					r, err := Open(config)
					if err != nil {
						t.Fatal(err)
					}
					defer func() { _ = r.Close() }()
					err = r.List(t.Context())
					if err == nil && resource != catalog.Events {
						err = r.Read(t.Context(), resource)
					}
					if err != nil {
						t.Fatal(err)
					}
					if shifts := r.Shifts(); client.listings != tt.listings || tt.shifted != slices.Equal(shifts, []string{of}) {
						t.Errorf("process %d: %d listings, shifted: %q", process, client.listings, shifts)
					}
					ids, twice := map[string]bool{}, 0
					for item, err := range r.Items(resource) {
						if err != nil {
							t.Fatal(err)
						}
						if ids[item.Record.ID] {
							twice++
						}
						ids[item.Record.ID] = true
					}
					for _, n := range client.records {
						if !ids[fmt.Sprint("evt-", n)] && !tt.shifted || twice > 0 {
							t.Errorf("process %d: %s %d is missing; %d are there twice", process, resource.One, n, twice)
						}
					}
				}
			})
		}
	}
}

// forgetting is a calendar whose second listing is broken off behind its first page, by the end of the
// process, and whose service has forgotten the cursor when another process comes.
type forgetting struct {
	shifting

	from []string // the starts and cursors that listings were asked for with
}

var errEnded = errors.New("the process ends")

func (f *forgetting) Pages(ctx context.Context, op *schema.Operation, query url.Values) iter.Seq2[api.Page, error] {
	f.from = append(f.from, query.Get("after")+query.Get("pagination_cursor"))
	return func(yield func(api.Page, error) bool) {
		if query.Get("pagination_cursor") != "" {
			yield(api.Page{}, &api.RejectedError{Status: 400, Message: "unknown cursor"})
			return
		}
		for page, err := range f.shifting.Pages(ctx, op, query) {
			if !yield(page, err) {
				return
			}
			if len(f.from) == 2 {
				yield(api.Page{}, errEnded)
				return
			}
		}
	}
}

func TestAListingWhoseCursorIsForgottenBeginsAnew(t *testing.T) {
	for _, resource := range []*schema.Resource{catalog.Events, catalog.Guests} {
		client := &forgetting{}
		for n := range 30 {
			client.records = append(client.records, n)
		}
		config := Config{Client: client, Folder: t.TempDir(), Now: time.Now}
		if resource != catalog.Events {
			config.Events = []string{"evt-tea"}
		}
		count := 0
		for process := range 2 {
			r, err := Open(config)
			if err != nil {
				t.Fatal(err)
			}
			if err = r.List(t.Context()); err == nil && resource != catalog.Events {
				err = r.Read(t.Context(), resource)
			}
			if err != nil && (process > 0 || !errors.Is(err, errEnded)) {
				t.Fatal(err)
			}
			for item := range r.Items(resource) {
				if count += process; item.Record == nil {
					t.Errorf("%s: the event is said to be gone", resource.Name)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		// One listing, half of another one, the page behind it in vain, and the other one anew.
		if want := []string{"", "", "10", ""}; !slices.Equal(client.from, want) || count != 30 {
			t.Errorf("%d %s; listings were asked for from %q, not %q", count, resource.Name, client.from, want)
		}
	}
}
