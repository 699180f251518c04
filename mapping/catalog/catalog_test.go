package catalog

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// stillMissing is how many operations of the service the catalog has not yet. It only shrinks.
const stillMissing = 0

// The catalog has the operations of the service and no others, with their methods and paths.
func TestOperationsAreThoseOfTheService(t *testing.T) {
	text, err := os.ReadFile("testdata/operations.txt")
	if err != nil {
		t.Fatal(err)
	}
	named, missing := map[string]bool{}, 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		method, path, legacy := words[0], words[1], strings.Join(words[2:], " ")
		name := strings.TrimPrefix(strings.TrimPrefix(path, "/v1/"), "/v2/")
		named[name] = true
		o := OperationNamed(name)
		if o == nil {
			missing++
			t.Logf("missing: %s", name)
			continue
		}
		if o.Method != method || o.Path != path || o.Legacy != legacy {
			t.Errorf("%s is %s %s %q, want %s %s %q", name, o.Method, o.Path, o.Legacy, method, path, legacy)
		}
	}
	if missing > stillMissing {
		t.Errorf("%d operations are missing, and were %d", missing, stillMissing)
	}
	seen := map[string]bool{}
	for _, o := range Operations {
		if !named[o.Name] || seen[o.Name] {
			t.Errorf("%s is no operation of the service, or stands twice", o.Name)
		}
		seen[o.Name] = true
	}
}

// A path may be of several resources, and a column of a part stands for the whole that updates carry.
func TestFieldsAreNamedByTheirPaths(t *testing.T) {
	for path, want := range map[string]bool{"start_at": true, "no_such_field": false} {
		if got := FieldsNamed(path); len(got) > 0 != want {
			t.Errorf("%s names %d fields", path, len(got))
		}
	}
	if got := FieldsNamed("geo_address_json.address"); len(got) != 1 || got[0].Path == "geo_address_json.address" {
		t.Errorf("a part of an address is carried by itself: %v", got)
	}
	if got := Events.Paths(); len(got) != len(Events.Columns()) || !slices.Contains(got, "start_at") {
		t.Errorf("the paths of events are %v", got)
	}
}
