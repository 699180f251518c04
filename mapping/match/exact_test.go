package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

func TestOwnColumnsNameNoField(t *testing.T) {
	for name := range strings.FieldsSeq("_row _sheet _status _error _field _at " + sheet.AnnotationColumn) {
		if _, ok := Field(catalog.Events, name); ok || !sheet.OwnColumn(name) {
			t.Errorf("our column %s names a field", name)
		}
	}
}

// The file of words names fields, types and values that there are, and each word that
// is taken without a mapping is written as it is compared and names one field.
func TestEventWords(t *testing.T) {
	seen := map[string]string{}
	for _, s := range eventWords() {
		switch s.kind {
		case "column":
			_, path, own, _ := s.column()
			_, ok := catalog.Events.ByPath(path)
			if own && !ok {
				t.Errorf("[%s] is of no field", s.of)
			}
			for word := range s.words() {
				name, also := strings.CutSuffix(word, "!")
				name, only := strings.CutPrefix(name, "=")
				if !also && !only {
					continue
				}
				if !ok || sheet.NormalHeader(name) != name || seen[name] != "" {
					t.Errorf("[%s] %s: a bad name, or also one of %s", s.of, word, seen[name])
				}
				if _, ok := catalog.Events.ByPath(name); ok {
					t.Errorf("[%s] %s is the name of a field", s.of, word)
				}
				seen[name] = s.of
			}
		case "value":
			path, value, _ := strings.Cut(s.of, " ")
			if path != "boolean" && !slices.ContainsFunc(catalog.Resources, func(r *schema.Resource) bool {
				field, ok := r.ByPath(path)
				return ok && slices.Contains(field.Values, value)
			}) {
				t.Errorf("[%s] is no value", s.of)
			}
		case "aside", "aside word", "pair", "list":
		default:
			t.Errorf("[%s: %s]", s.kind, s.of)
		}
	}
}

func TestField(t *testing.T) {
	for header, want := range map[string]schema.ID{
		"Subject": catalog.FieldName, "api_id": catalog.FieldEventID, "END time": catalog.FieldEndAt,
		"coordinate.latitude": catalog.FieldLatitude,
	} {
		if got, ok := Field(catalog.Events, header); !ok || got.Canonical().ID != want {
			t.Errorf("%q: got %v, %t", header, got, ok)
		}
	}
	if field, ok := Field(catalog.Events, "Organiser"); ok {
		t.Error(field.Path)
	}
}

// The title of a field names it without a mapping, and no other one.
func TestTitlesNameTheirFields(t *testing.T) {
	for _, r := range catalog.Resources {
		for _, f := range r.Columns() {
			if got, ok := Field(r, f.Title()); !f.Deprecated && (!ok || got != f) {
				t.Errorf("%s: %q names %v, not %s", r.Name, f.Title(), got, f.Path)
			}
		}
	}
}

func TestBind(t *testing.T) {
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
		bound, left, clashes := Bind(catalog.Events, headers, func(i int) bool { return headers[i] == "SKIP" })
		var words []string
		for _, c := range bound {
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
