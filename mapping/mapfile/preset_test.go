package mapfile_test

import (
	"testing"

	"eventbatch/mapping/mapfile"
)

// A preset is read back as it is written, and found by its own headers.
func TestPresetsAreWhole(t *testing.T) {
	for _, p := range mapfile.Presets() {
		encoded, err := p.File.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := mapfile.Decode(encoded, p.Name)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		second, err := again.Encode()
		if err != nil || string(second) != string(encoded) {
			t.Errorf("%s is read back as another: %v", p.Name, err)
		}
		// A preset that names no headers is taken by its name alone: another reads the same file.
		if name, ok := mapfile.MatchPreset(p.File.Source.Headers); p.File.Source.Headers != nil && (!ok || name != p.Name) {
			t.Errorf("the headers of %s are taken for %q", p.Name, name)
		}
		if found, err := mapfile.FindPreset(p.Name); err != nil || found.Text != p.Text || found.File.Preset() != p.Name {
			t.Errorf("%s is found as another: %v", p.Name, err)
		}
	}
}

func TestMatchPreset(t *testing.T) {
	google := []string{"Subject", "Start Date", "Start Time", "End Date", "End Time", "All Day Event", "Description", "Location", "Private"}
	with := func(more ...string) []string { return append(google[:len(google):len(google)], more...) }
	tests := []struct {
		name   string
		header []string
		want   string
	}{
		{"google", google, "google-calendar"},
		{"google with what may be", with("Reminder On/Off", "Meeting Organizer"), "google-calendar"},
		{
			"other letters",
			[]string{
				"\ufeffSUBJECT", "start_date", " Start  Time ", "end date", "End Time", "all day event", "Description", "Location",
				"Private",
			},
			"google-calendar",
		},
		{"blank headers", with("", ""), "google-calendar"},
		{"results", with("_row", "_status", "_event_id"), "google-calendar"},
		{"a column more", with("Organiser"), ""},
		{"a column less", google[1:], ""},
		{"outlook's mark in google's", with("Show time as"), ""},
		{"nothing", nil, ""},
		{"our own", []string{"name", "start_at", "timezone"}, ""},
		{
			"spanish without accents",
			[]string{"Asunto", "Fecha de comienzo", "Comienzo", "Fecha de finalizacion", "Finalizacion", "Todo el dia"},
			"outlook-es",
		},
		{
			"decomposed accents",
			[]string{"Asunto", "Fecha de comienzo", "Comienzo", "Fecha de finalizacio\u0301n", "Finalizacio\u0301n", "Todo el di\u0301a"},
			"outlook-es",
		},
	}
	for _, tt := range tests {
		if name, ok := mapfile.MatchPreset(tt.header); name != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, %v", tt.name, name, ok)
		}
	}
}
