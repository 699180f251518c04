package sheet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readDocument(t *testing.T, name, text string, o Options) (rows []string, err error) {
	t.Helper()
	f, err := Open(t.Context(), writeTemp(t, name, text), o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for row, err := range f.Rows(t.Context(), "") {
		if err != nil {
			return rows, err
		}
		var cells []string
		for _, c := range row.Cells {
			cells = append(cells, c.Text)
		}
		rows = append(rows, fmt.Sprintf("%d: %s", row.Number, strings.Join(cells, "|")))
	}
	return rows, nil
}

func TestRowsOfDocuments(t *testing.T) {
	two := []string{"1: a|b", "2: 1|2"}
	const talks = `{"schedule":{"conference":{"time_zone_name":"Europe/Berlin","days":[{"rooms":{"Aula 1":[{"title":"A","persons":[` +
		`{"public_name":"Ada"},{"name":"Bob"}],"logo":null,"links":[]}],"B.2":[]}},{"rooms":{}}]}}}`
	const events = `<?xml version="1.0" encoding="utf-8"?><schedule>` +
		`<conference><title>C</title><day_change>04:00</day_change></conference>` +
		`<day date="2027-09-01"><room name="A"><event id="7"><start>%s</start><title>T &amp; U</title><persons><person>Ada</person>` +
		`<person>Bob</person></persons></event></room></day></schedule>`
	for name, tc := range map[string]struct {
		file, text, at string
		want           []string
		err            string
	}{
		"a list":               {"f.json", `[{"a":1,"b":2}]`, "", two, ""},
		"a list of many lines": {"f.json", "{\n\"rows\": [\n{\"a\":1,\"b\":2}\n]\n}", "", two, ""},
		"a path":               {"f.json", `{"x":{"y":[[{"a":1,"b":2}],[]],"z":[{"c":1}]}}`, "x.y[][]", two, ""},
		"members as a list":    {"f.json", `{"x":{"d e":{"a":1,"b":2}}}`, "x[]", two, ""},
		"an object a line":     {"f.json", `{"a":1,"b":2}`, "", two, ""},
		"a schedule":           {"f.json", talks, "", []string{"1: persons|timezone|title", "2: Ada, Bob|Europe/Berlin|A"}, ""},
		"a schedule in XML": {
			"f.xml", fmt.Sprintf(events, "23:00"), "",
			[]string{"1: date|id|persons|start|title", "2: 2027-09-01T23:00|7|Ada, Bob|23:00|T & U"},
			"",
		},
		"past midnight": {
			"f.xml", fmt.Sprintf(events, "00:30"), "",
			[]string{"1: date|id|persons|start|title", "2: 2027-09-02T00:30|7|Ada, Bob|00:30|T & U"},
			"",
		},
		"UTC that the hour of the conference denies": {
			"f.xml", `<schedule><event id="7"><date>2027-09-01T09:00:00Z</date><start>09:00</start></event>` +
				`<event id="8"><date>2027-09-01T07:00:00Z</date><start>09:00</start></event></schedule>`, "",
			[]string{"1: date|id|start", "2: 2027-09-01T09:00:00|7|09:00", "3: 2027-09-01T07:00:00Z|8|09:00"},
			"",
		},
		"elements in an element": {
			"f.xml", `<schedule><event id="7"><title>T</title><recording><license>CC</license><optout>false</optout></recording>` +
				`<links><link href="https://a.example/">A</link><link href="https://b.example/"/></links></event></schedule>`, "",
			[]string{
				"1: id|links.link|recording.license|recording.optout|title",
				"2: 7|A https://a.example/, https://b.example/|CC|false|T",
			},
			"",
		},
		"a text with markup": {
			"f.xml", `<schedule><event><title>T</title><description>One <b>two</b> three</description></event></schedule>`, "",
			[]string{"1: description|title", "2: One two three|T"},
			"",
		},
		"below dates": {
			"f.json", `[{"date":"2027-03-06","day":"Sat","n":7,"list":[{"b":1},{"b":2,"date":"2027-03-07"}]},{"list":[{"b":3}]}]`,
			"[].list[]",
			[]string{"1: above.day|above.n|b|date", "2: Sat|7|1|2027-03-06", "3: Sat|7|2|2027-03-07", "4: ||3"},
			"",
		},
		"below a list with a name": {
			"f.json", `{"title":"C","rooms":[{"name":"Aula","days":[{"date":"2027-03-06","talks":[{"b":1}]}]}]}`, "rooms[].days[].talks[]",
			[]string{"1: b|date|rooms.name", "2: 1|2027-03-06|Aula"},
			"",
		},
		"several lists": {"f.json", `[{"a":[{"b":1},{"b":2}]}]`, "", nil, "several lists"},
		"no such path":  {"f.json", `[{"a":1}]`, "rows[]", nil, "nothing at rows[]"},
		"no objects":    {"f.json", `[1,2]`, "", nil, "no list of objects"},
		"one of each":   {"f.json", `{"x":[{"a":1},2]}`, "x[]", nil, "no list of objects"},
		"cut":           {"f.json", `[{"a":1}`, "", nil, "no JSON"},
		"cut XML":       {"f.xml", `<schedule><day>`, "", nil, "no XML"},
		"no events":     {"f.xml", `<schedule><day><entry/></day></schedule>`, "", nil, "no element <event>"},
		"other XML":     {"f.xml", `<?xml version="1.0"?><rss/>`, "", nil, "the file is XML"},
		"no UTF-8":      {"f.json", "[{\"a\":\"\xff\"}]", "", nil, "not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readDocument(t, tc.file, tc.text, Options{RowsAt: tc.at})
			if tc.err != "" {
				if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), tc.err) || e.Hint == "" {
					t.Fatalf("got %v, want %q", err, tc.err)
				}
				return
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// No document makes the reader do anything but read it or refuse it.
func FuzzDocuments(f *testing.F) {
	f.Add("json", `{"schedule":{"conference":{"days":[{"rooms":{"A":[{"persons":[{"name":"B"}]}]}}]}}}`, "")
	f.Add("json", `{"a":[{"b c":[{"d":1}]}]}`, "a[].b[][]")
	f.Add("schedule", `<schedule><day date="2027-09-01"><event><start>10:00</start></event></day></schedule>`, "")
	f.Fuzz(func(t *testing.T, format, text, at string) {
		if format != "json" && format != "schedule" {
			return
		}
		_, err := readDocument(t, "f", text, Options{Format: format, RowsAt: at, Limits: Limits{Rows: 1000, Columns: 100}})
		if _, ours := errors.AsType[*Error](err); err != nil && !ours {
			t.Fatalf("%T: %v", err, err)
		}
	})
}
