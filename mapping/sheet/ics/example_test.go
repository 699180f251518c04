package ics_test

import (
	"context"
	"fmt"

	"eventbatch/mapping/sheet/ics"
)

func ExampleRead() {
	calendar, err := ics.Read(context.Background(), `BEGIN:VCALENDAR
BEGIN:VEVENT
UID:choir
SUMMARY:Choir
DTSTART;TZID="W. Europe Standard Time":20270318T190000
DURATION:PT1H
RRULE:FREQ=WEEKLY;COUNT=2
END:VEVENT
END:VCALENDAR
`, ics.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range calendar.Occurrences {
		fmt.Println(o.Property("SUMMARY"), o.Start, o.End, o.Zone, o.Key)
	}
	// Output:
	// Choir 2027-03-18T19:00:00 2027-03-18T20:00:00+01:00 Europe/Berlin choir_20270318T190000
	// Choir 2027-03-25T19:00:00 2027-03-25T20:00:00+01:00 Europe/Berlin choir_20270325T190000
}
