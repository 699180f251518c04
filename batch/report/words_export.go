package report

import (
	"time"

	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
)

// ExportWords is what an export says before it reads event by event.
type ExportWords struct {
	Resource          *schema.Resource
	Calendars, Events int
	Requests          int // left
	Resumed           time.Time
	BaseURL           string
	Now, Finish       time.Time
}

// Export prints what an export is going to ask for.
func (s *Screen) Export(w ExportWords) {
	if !w.Resumed.IsZero() {
		s.Printf("going on with the export that was begun at %s\n", w.Resumed.Local().Format("15:04"))
	}
	s.Printf("%s in %s\n", s.bold(Count(w.Events, "event")), Count(w.Calendars, "calendar"))
	if w.Requests == 0 {
		return
	}
	why := "for the " + w.Resource.Name + " of each event"
	if w.Resource == schema.Events {
		why = "for descriptions and messages, which are read event by event: --quick leaves them out"
	}
	s.Printf("  %s to %s, done %s: %s\n", Count(w.Requests, "request"), printable.Clean(w.BaseURL), finish(w.Now, w.Finish), why)
}
