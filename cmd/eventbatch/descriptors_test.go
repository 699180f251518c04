//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"

	"eventbatch/batch/sandbox"
)

// Two hundred calendars in a process that may open 256 files.
func TestManyCalendarsFitFewDescriptors(t *testing.T) {
	t.Parallel()
	const calendars, each = 200, 4
	config := sandbox.Config{Limits: sandbox.Limits{Calendar: -1, Organization: -1}}
	rows := strings.Builder{}
	rows.WriteString("key,name,start_at,timezone,calendar_id\n")
	for i := range calendars {
		id := fmt.Sprint("cal-", i)
		config.Calendars = append(config.Calendars, sandbox.Calendar{ID: id, Organization: sandbox.OrganizationID})
		for j := range each {
			fmt.Fprintf(&rows, "k%d-%d,Tea %d,2031-03-20 18:00,Europe/Paris,%s\n", i, j, j, id)
		}
	}
	h := newHome(t, profileOf(serve(t, config).url, sandbox.Limits{Calendar: 10_000, Organization: 100_000, Window: bigLimits.Window}))
	h.write(t, "rows.csv", rows.String())
	e := h.startProgram(t, "/bin/sh", "-c", "ulimit -n 256; exec "+program(t)+" import rows.csv --yes --pace 0").end(t)
	if e.code != 0 || !strings.Contains(e.stderr, "800 created") {
		t.Errorf("%v", e)
	}
}
