package value

import "testing"

func TestCutLink(t *testing.T) {
	for place, want := range map[string][2]string{
		"https://zoom.us/j/1":                                 {"", "https://zoom.us/j/1"},
		"<https://zoom.us/j/1>":                               {"", "https://zoom.us/j/1"},
		"https://stream.example/live":                         {"", "https://stream.example/live"},
		"https://maps.google.com/?q=Hall":                     {"https://maps.google.com/?q=Hall", ""},
		"https://www.google.com/maps/place/Hall":              {"https://www.google.com/maps/place/Hall", ""},
		"Hall 1 / https://zoom.us/j/2":                        {"Hall 1", "https://zoom.us/j/2"},
		"Room 2 (https://teams.microsoft.com/l/1), Main St 1": {"Room 2, Main St 1", "https://teams.microsoft.com/l/1"},
		"Zoom: https://us02web.zoom.us/j/3?pwd=x":             {"Zoom", "https://us02web.zoom.us/j/3?pwd=x"},
		"Town hall https://townhall.example":                  {"Town hall https://townhall.example", ""},
		"Town hall":                                           {"Town hall", ""},
		"ftp://files.example/x":                               {"ftp://files.example/x", ""},
		"":                                                    {"", ""},
	} {
		if rest, link := CutLink(place); rest != want[0] || link != want[1] {
			t.Errorf("%q: %q and %q, want %q", place, rest, link, want)
		}
	}
}
