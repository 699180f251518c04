package report

import (
	"slices"
	"strings"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// ExportWords is what an export says before it reads event by event.
type ExportWords struct {
	Resources         []*schema.Resource
	Calendars, Events int
	Undecided         int // events that may turn out not to be meant once they are read
	Requests          int // left, at the most
	Quick             bool
	Resumed           time.Time
	BaseURL           string
	Now, Finish       time.Time
}

// Export prints what an export is going to ask for.
func (s *Screen) Export(w ExportWords) {
	if !w.Resumed.IsZero() {
		s.Printf("going on with the export that was begun at %s\n", w.Resumed.Local().Format("15:04"))
	}
	ofEvents := slices.ContainsFunc(w.Resources, func(r *schema.Resource) bool { return r.Listed != "" })
	if ofEvents {
		s.Printf("%s in %s\n", s.Bold(Count(w.Events, "event")), Count(w.Calendars, "calendar"))
	} else {
		s.Printf("%s\n", s.Bold(Count(w.Calendars, "calendar")))
	}
	if w.Requests == 0 {
		return
	}
	var of []string
	why := ""
	for _, r := range w.Resources {
		if !r.Keyed() {
			of = append(of, strings.ToLower(r.Title()))
		} else if !w.Quick {
			why = "for descriptions and messages, which are read event by event: --quick leaves them out"
		}
	}
	if len(of) > 0 {
		each := "for the " + spelling.Series(of, "and")
		if ofEvents {
			each += " of each event"
		}
		if why != "" {
			each = "for descriptions and messages, which --quick leaves out, and " + each
		}
		why = each
	}
	if why == "" {
		why = "for the events one by one"
	}
	atMost := ""
	if w.Undecided > 0 {
		atMost = "at most "
	}
	s.Printf("  %s%s to %s, done %s: %s\n", atMost, Count(w.Requests, "request"), printable.Clean(w.BaseURL), finish(w.Now, w.Finish), why)
}
