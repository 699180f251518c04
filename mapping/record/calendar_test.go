package record_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	ical "github.com/emersion/go-ical"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// A calendar is what another program's reader takes it for, zones, folds and escapes
// included.
func TestAnotherProgramReadsTheCalendar(t *testing.T) {
	const words = "Tea, cake; and \\ *talk*\n\n- Größe: 火 and a line that is long enough to be folded somewhere in the middle of a word"
	d := schema.NewDraft(catalog.Events, schema.Place{})
	for id, text := range map[schema.ID]string{
		catalog.FieldEventID: "evt-1", catalog.FieldName: "Spring tea; with cake, and more",
		catalog.FieldStartAt: "2027-03-27T18:30:00+01:00",
		catalog.FieldEndAt:   "2027-03-28T04:00:00+02:00", catalog.FieldTimezone: "Europe/Berlin", catalog.FieldDescriptionMD: words,
		catalog.FieldLatitude: "53.8008", catalog.FieldLongitude: "-1.5491", catalog.FieldVisibility: "private",
		catalog.FieldMeetingURL: "https://meet.example.com/tea?a=b",
	} {
		var s schema.Setting
		if fault := value.Parse(catalog.Field(id), &s, text); fault != nil {
			t.Fatal(fault)
		}
		d.Put(s)
	}
	var out bytes.Buffer
	records := func(yield func(*record.Record, error) bool) {
		yield(&record.Record{
			Draft: d, ID: "evt-1", URL: "https://events.example/tea", Place: "1 High Street, Leeds", At: time.Unix(1_800_000_000, 0),
		}, nil)
	}
	if err := record.NewTable(catalog.Events, false).WriteICS(&out, records); err != nil {
		t.Fatal(err)
	}
	calendar, err := ical.NewDecoder(bytes.NewReader(out.Bytes())).Decode()
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if err := ical.NewEncoder(new(bytes.Buffer)).Encode(calendar); err != nil { // it checks what the format demands
		t.Errorf("%v\n%s", err, &out)
	}
	event := calendar.Events()[0]
	for name, want := range map[string]string{
		"SUMMARY": "Spring tea; with cake, and more", "DESCRIPTION": words, "LOCATION": "1 High Street, Leeds",
	} {
		if got, err := event.Props.Text(name); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{"GEO": "53.8008;-1.5491", "CLASS": "PRIVATE", "URL": "https://events.example/tea"} {
		if got := event.Props.Get(name); got == nil || got.Value != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	start, err1 := event.DateTimeStart(nil)
	end, err2 := event.DateTimeEnd(nil)
	if err := errors.Join(err1, err2); err != nil || !start.Equal(time.Date(2027, 3, 27, 17, 30, 0, 0, time.UTC)) ||
		end.Sub(start) != 8*time.Hour+30*time.Minute {
		t.Errorf("%v to %v, %v", start, end, err)
	}
	offsets := map[string]string{}
	for _, zone := range calendar.Children {
		for _, part := range zone.Children {
			offsets[part.Name+" "+part.Props.Get("DTSTART").Value] = part.Props.Get("TZOFFSETTO").Value
		}
	}
	if len(offsets) != 2 || offsets["DAYLIGHT 20270328T020000"] != "+0200" || offsets["STANDARD 20261025T030000"] != "+0100" {
		t.Errorf("zone: %v", offsets)
	}
}
