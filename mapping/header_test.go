package mapping

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// bound says what each column of a header feeds: field=columns, then the codes of problems.
func bound(t *testing.T, header string) string {
	t.Helper()
	o, err := (&Config{}).options()
	if err != nil {
		t.Fatal(err)
	}
	b, problems := bind(o, &binding{columns: columns{header: strings.Split(header, ",")}}, schema.Place{Row: 1, Column: -1})
	var words []string
	for id, f := range b.byID {
		if f == nil {
			continue
		}
		columns := make([]string, len(f.columns))
		for i, c := range f.columns {
			columns[i] = schema.ColumnName(c)
		}
		words = append(words, catalog.Path(schema.ID(id))+"="+strings.Join(columns, "+"))
	}
	for _, p := range problems {
		words = append(words, string(p.Code)+":"+schema.ColumnName(p.Place.Column))
	}
	return strings.Join(words, " ")
}

func TestHeaders(t *testing.T) {
	tests := []struct{ name, header, want string }{
		{
			"paths", "event_id,name,start_at,coordinate.latitude,geo_address_json.type",
			"event_id=A name=B start_at=C geo_address_json.type=E coordinate.latitude=D",
		},
		{"letters", "EVENT ID,Name,Start_At,Coordinate.Latitude", "event_id=A name=B start_at=C coordinate.latitude=D"},
		{
			"a calendar export", "Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private",
			"name=A start_at=B+C end_at=D+E description_md=G address=H unmatched-column:F unmatched-column:I",
		},
		{
			"a plugin's export", "Event Name,Event UID,Event Description,Event Start Date,Event Start Time,Event End Date,Event End " +
				"Time,Event Time Zone,Event Venue Name,Event Featured Image",
			"key=B name=A start_at=D+E end_at=F+G timezone=H description_md=C cover_url=J address=I",
		},
		{
			"a template of a university", "Title,Description,Date From,Date To,Start Time,End Time,Location,Photo URL,External ID",
			"key=I name=A start_at=C+E end_at=D+F description_md=B cover_url=H address=G",
		},
		{
			"a plugin of another", "uid,url,summary,dtstart,dtend,event_spaces",
			"key=A name=C start_at=D end_at=E meeting_url=B max_capacity=F",
		},
		{"one time column", "name,start_time,end_time", "name=A start_at=B end_at=C"},
		{"one date", "name,date,time,end time", "name=A start_at=B+C end_at=B+D"},
		{"time before date", "Start Time,Start Date", "start_at=B+A"},
		{"own name wins", "title,name,Start,start_at", "name=B start_at=D unmatched-column:A unmatched-column:C"},
		{"own name twice", "name,Name", "duplicate-field:B"},
		{"the same header twice", "name,name", "duplicate-header:B"},
		{"two aliases", "key,Title,Subject", "key=A duplicate-field:C"},
		{"two dates", "Start Date,Date,Start Time", "duplicate-field:B"},
		{"whole and time", "Start,Start Time", "duplicate-field:B"},
		{"location beside address", "location,address", "address=B unmatched-column:A"},
		{"a point on the map", "Title,LATITUDE,Longitude", "name=A coordinate.latitude=B coordinate.longitude=C"},
		{"a point in short", "Title,Lat,Lng", "name=A coordinate.latitude=B coordinate.longitude=C"},
		{"a point as others shorten it", "Title, lat ,Long", "name=A coordinate.latitude=B coordinate.longitude=C"},
		{
			"a point of its own name", "coordinate.latitude,coordinate.longitude,Lat,Lon",
			"coordinate.latitude=A coordinate.longitude=B unmatched-column:C unmatched-column:D",
		},
		{
			"old names", "api_id,suppress_notifications,zoom_meeting_url",
			"event_id=A meeting_url=C suppress_email=B deprecated-name:A deprecated-name:C deprecated-name:B",
		},
		{"old and new names", "api_id,event_id", "event_id=B unmatched-column:A"},
		{"two old names", "api_id,event_api_id", "duplicate-field:B"},
		{"nothing of an event", "name,custom_source", "name=A deprecated-name:B"},
		{"results", "name,_row,_sheet,_action,_status,_event_id,_url,_error,_field,_at", "name=A"},
		{"unknown", "name,Nonsense,,visibilty", "name=A unmatched-column:B unmatched-column:D"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, bound(t, tt.header)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
