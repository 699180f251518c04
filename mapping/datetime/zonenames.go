package datetime

import (
	_ "embed"
	"strings"
	"sync"

	"eventbatch/mapping/spelling"
)

// ZoneNames returns the names of the time zones that are known, UTC first.
func ZoneNames() []string { return zoneNames().all }

//go:embed zones.txt
var zoneText string

// nameTable is what zones.txt holds.
type nameTable struct {
	all     []string
	known   map[string]string // by the name in small letters, with blanks for underscores
	regions map[string]bool
	meant   map[string][]string // the zones that a word may mean, by the word in capitals
}

var zoneNames = sync.OnceValue(func() *nameTable {
	t := &nameTable{all: []string{"UTC"}, known: map[string]string{"utc": "UTC"}, regions: map[string]bool{}, meant: map[string][]string{}}
	region := ""
	for line := range strings.Lines(zoneText) {
		head, names, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line[0] == '#':
			continue
		case line[0] == '?':
			for word := range strings.SplitSeq(names, ", ") {
				t.meant[word] = strings.Fields(head[1:])
			}
			continue
		case found:
			region, t.regions[head] = head, true
		default: // the region goes on
			names = line
		}
		for name := range strings.FieldsSeq(names) {
			name = region + "/" + name
			t.all, t.known[FoldZone(name)] = append(t.all, name), name
		}
	}
	return t
})

// FoldZone returns the name of a zone without what two writings of it may differ in.
func FoldZone(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "_", " ")
}

// named returns the zone that a text is the name of, in the database or in Windows, empty
// where it is none. What is the name of a place as well, such as Brisbane, is no zone's.
func (t *nameTable) named(text string) string {
	if len(text) > 100 {
		return ""
	}
	if name := t.known[FoldZone(text)]; name != "" {
		return name
	}
	if strings.ContainsAny(text, ",(") || strings.Contains(strings.ToLower(text), "time") {
		return WindowsZone(text)
	}
	return ""
}

// newer reports whether a name that is not in the table may be one of a later
// release of the database: Region/City in the letters of such names.
func (t *nameTable) newer(name string) bool {
	region, city, _ := strings.Cut(name, "/")
	if !t.regions[region] || len(name) > 64 || city == "" || city[0] == '/' || strings.Contains(name, "..") {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && !isDigit(c) && !strings.ContainsRune("/_-+", rune(c)) {
			return false
		}
	}
	return true
}

// nearest returns the zone whose name a text may be a misspelling of.
func (t *nameTable) nearest(text string) []string {
	if near := spelling.Nearest(text, t.all); near != "" {
		return []string{near}
	}
	return nil
}
