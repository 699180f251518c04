package batch

import (
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/report"
	"eventbatch/mapping/value"
)

// Examine looks at what a run needs besides the service: time zones, and the store with its runs. path says a name as a
// person would.
func Examine(open func() (journal.Store, error), path func(string) string, take func(report.Finding)) {
	take(examineZones())
	store, err := open()
	var runs []journal.Summary
	if err == nil {
		runs, err = store.Runs()
	}
	if err != nil {
		take(report.Failing("workspace", err))
		return
	}
	unfinished := 0
	for i := range runs {
		if runs[i].Err != nil {
			take(report.Failing("run "+runs[i].ID, runs[i].Err))
		} else if runs[i].Tally.Open() > 0 {
			unfinished++
		}
	}
	words := report.Count(len(runs), "run")
	if unfinished > 0 {
		words += ", " + report.Number(unfinished) + " of them unfinished: eventbatch runs lists them"
	}
	take(report.Found("workspace", "%s: %s", path(store.Name()), words))
}

func examineZones() report.Finding {
	zone, err := value.LoadZone("America/New_York")
	if err != nil {
		return report.Failing("time zones", err)
	}
	_, offset := time.Date(2026, 7, 1, 0, 0, 0, 0, zone).Zone()
	return report.Found("time zones", "known; New York in July is at UTC%+d", offset/3600)
}
