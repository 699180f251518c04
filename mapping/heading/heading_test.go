package heading

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/schema"
)

func TestNormalize(t *testing.T) {
	for header, want := range map[string]string{
		"Start Date": "start date", " start_DATE ": "start date", "start \t__ date": "start date", "\ufeffname": "name",
		"Ti\u0301tulo": "título", "END\u00a0AT": "end at", "": "", "_": "", "coordinate.Latitude": "coordinate.latitude",
	} {
		if got := Normalize(header); got != want {
			t.Errorf("%q: got %q, want %q", header, got, want)
		}
	}
}

func TestNoFieldIsReachedByTwoNames(t *testing.T) {
	for name := range aliases {
		if field, ok := paths[name]; ok {
			t.Errorf("%s is an alias and the name of %s", name, field.Path)
		}
		if Normalize(name) != name {
			t.Errorf("%q is not normalised", name)
		}
	}
	for name := range ours {
		if _, ok := ClaimOf(name, 0); ok && name != "_event_id" && name != "_url" && name != "_action" {
			t.Errorf("our column %s names a field", name)
		}
	}
}

func TestFind(t *testing.T) {
	headers := []string{"start date", "Start_Date", "Ende"}
	for name, want := range map[string]int{"Start_Date": 1, "START DATE": 0, "ende": 2, "end": -1, "": -1} {
		if got := Find(headers, name); got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
}

func TestFits(t *testing.T) {
	tests := []struct {
		glob, header string
		want         bool
	}{
		{"Internal *", "internal_Note", true},
		{"Reminder*", "Reminder On/Off", true},
		{"On/Off", "on/off", true},
		{"?", "x", true},
		{"Notes", "Note", false},
		{"[a", "[a", true}, // no pattern, and yet the header itself
		{"[a", "a", false},
	}
	for _, tt := range tests {
		if got := Fits(tt.glob, tt.header); got != tt.want {
			t.Errorf("%q, %q: got %t", tt.glob, tt.header, got)
		}
	}
}

func TestField(t *testing.T) {
	for header, want := range map[string]schema.ID{
		"Subject": schema.FieldName, "api_id": schema.FieldEventID, "END time": schema.FieldEndAt,
		"coordinate.latitude": schema.FieldLatitude,
	} {
		if got, ok := Field(header); !ok || got != want {
			t.Errorf("%q: got %v, %t", header, got, ok)
		}
	}
	if id, ok := Field("Organiser"); ok {
		t.Error(id)
	}
}

func TestChoose(t *testing.T) {
	tests := []struct{ name, headers, want string }{
		{"a date and its time", "Start Time,Start Date", "start_at[1 0]"},
		{"an end that borrows its date", "date,time,end time", "start_at[0 1] end_at[0 2] borrowed"},
		{"the own name wins", "title,name", "name[1] left[0]"},
		{"an old name", "api_id", "event_id[0] old api_id"},
		{"two names as good", "Title,Subject,Summary", "clash name 0 1"},
		{"two dates", "Start Date,Date,Start Time", "clash start_at 0 1"},
		{"no field, and one that is no more", "Nonsense,,custom_source", "left[0 2]"},
		{"skipped", "SKIP,name", "name[1]"},
	}
	for _, tt := range tests {
		headers := strings.Split(tt.headers, ",")
		choices, left, clashes := Choose(headers, func(i int) bool { return headers[i] == "SKIP" })
		var words []string
		for _, c := range choices {
			words = append(words, c.Field.Path+fmt.Sprint(c.Columns))
			if c.Borrowed {
				words = append(words, "borrowed")
			}
			if c.Old != nil {
				words = append(words, "old "+c.Old.Path)
			}
		}
		for _, c := range clashes {
			words = append(words, fmt.Sprint("clash ", c.Field.Path, " ", c.First, " ", c.Second))
		}
		if len(left) > 0 {
			words = append(words, fmt.Sprint("left", left))
		}
		if diff := cmp.Diff(tt.want, strings.Join(words, " ")); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
