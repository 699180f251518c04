package mapping_test

import (
	"testing"

	"eventbatch/mapping"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

// What a file has and nothing takes is counted, whoever was warned of it and who was not.
func TestWhatIsLeftBehindIsCounted(t *testing.T) {
	const events = "key,name,start_at,timezone,Preis,Bild,Notizen,Stand,Currency,_status\n" +
		"a,A,2027-05-01 10:00,UTC,5,,n,,EUR,x\nb,B,2027-05-01 10:00,UTC,,pic.jpg,n,4,EUR,\nc,C,2027-05-01 10:00,UTC,,,,,EUR,\n"
	const ignoring = "ignore: [\"*\"]\n" + `columns: {name: name, start_at: start_at, timezone: timezone}
key: key
filter: 'name != "C"'`
	for _, tt := range []struct{ name, mapping, csv, want string }{
		{"headers", "", events, `1 cover, 3 prices, 2 notes, 1 "Stand" (columns "Bild", "Preis", "Currency", "Notizen")`},
		{
			"ignored, and a row left out", ignoring, events,
			`1 cover, 2 prices, 2 notes, 1 "Stand" (columns "Bild", "Preis", "Currency", "Notizen")`,
		},
		{"nothing", "", "key,name,start_at,timezone\na,A,2027-05-01 10:00,UTC\n", ""},
		{"columns without a cell", "", "key,name,start_at,timezone,Preis\na,A,2027-05-01 10:00,UTC,\n", ""},
	} {
		c := mapping.Config{Files: []string{file(t, "in.csv", tt.csv)}}
		if tt.mapping != "" {
			c.Mapping = decoded(t, tt.mapping)
		}
		if got := schema.LeftBehindWords(behind(t, c)); got != tt.want {
			t.Errorf("%s: left behind are %s, want %s", tt.name, got, tt.want)
		}
	}
	// An attendee a row: those of one event are all left behind.
	preset, err := mapfile.Load("eventbrite-orders")
	if err != nil {
		t.Fatal(err)
	}
	list := behind(t, mapping.Config{Files: []string{"../samples/eventbrite-orders.csv"}, Mapping: preset})
	if len(list) == 0 || list[0].What != "prices" || list[1].What != "tickets" || list[2].What != "guests" || list[2].Cells < 3 {
		t.Errorf("left behind of an orders report are %v", list)
	}
}

func behind(t *testing.T, c mapping.Config) []schema.LeftBehind {
	t.Helper()
	reading, err := mapping.Read(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range reading.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return reading.LeftBehind()
}
