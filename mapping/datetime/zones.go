package datetime

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eventbatch/mapping/spelling"
)

// ZoneFault is why a name is no time zone's: Message says what is wrong, Hint what to write.
type ZoneFault struct{ Message, Hint string }

// LoadZone returns the zone of an IANA name, loaded once for the whole process. Names
// that depend on the machine (empty, Local) and names that leave the place open
// (EST5EDT, GMT) are refused. Any number of goroutines may call it.
func LoadZone(name string) (*Zone, *ZoneFault) {
	last := &recent[glance(name)%len(recent)]
	if zone := last.Load(); zone != nil && zone.Name == name {
		return zone, nil
	}
	known, ok := zones.Load(name)
	if !ok {
		known = loadZone(strings.Clone(name))
	}
	if fault, refused := known.(*ZoneFault); refused {
		return nil, fault
	}
	zone := known.(*Zone)
	last.Store(zone)
	return zone, nil
}

// recent are the zones that were asked for last, by a glance at their names: rows that
// come one after the other have a few of them in turns, each several times.
var recent [64]atomic.Pointer[Zone]

// glance is a number that differs for most names that differ.
func glance(name string) int {
	n := len(name)
	if n < 4 {
		return n
	}
	return n + int(name[n-1])<<1 + int(name[n-4])<<3
}

// zones holds by name each *Zone that was loaded, and the *ZoneFault of the first names that are none.
var zones sync.Map

// refused counts the names that are none: of more than mostRefused the faults are
// not kept, so that a file full of them does not fill the memory.
var refused atomic.Int32

const mostRefused = 1000

func loadZone(name string) any {
	names := zoneNames()
	if names.known[name] || names.newer(name) {
		if location, err := time.LoadLocation(name); err == nil {
			zone, _ := zones.LoadOrStore(name, &Zone{Name: name, Location: location})
			return zone
		}
	}
	fault := names.refuse(name)
	if refused.Add(1) <= mostRefused {
		zones.Store(name, fault)
	}
	return fault
}

// ZoneNames returns the names of the time zones that are known, UTC first.
func ZoneNames() []string { return zoneNames().all }

//go:embed zones.txt
var zoneText string

// nameTable is what zones.txt holds.
type nameTable struct {
	all     []string
	known   map[string]bool
	regions map[string]bool
	meant   map[string]string // the zones that a word may mean, by the word in capitals
}

var zoneNames = sync.OnceValue(func() *nameTable {
	t := &nameTable{all: []string{"UTC"}, known: map[string]bool{"UTC": true}, regions: map[string]bool{}, meant: map[string]string{}}
	region := ""
	for line := range strings.Lines(zoneText) {
		head, names, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line[0] == '#':
			continue
		case line[0] == '?':
			for word := range strings.SplitSeq(names, ", ") {
				t.meant[word] = head[len("? "):]
			}
			continue
		case found:
			region, t.regions[head] = head, true
		default: // the region goes on
			names = line
		}
		for name := range strings.FieldsSeq(names) {
			name = region + "/" + name
			t.all, t.known[name] = append(t.all, name), true
		}
	}
	return t
})

// newer reports whether a name that is not in the table may be one of a later
// release of the database: Region/City in the letters of such names, and not a
// known name in other letters, which some file systems would find.
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
	for _, known := range t.all {
		if strings.EqualFold(known, name) {
			return false
		}
	}
	return true
}

func (t *nameTable) refuse(name string) *ZoneFault {
	const hint = "write an IANA name, such as Europe/Berlin or America/New_York"
	switch {
	case name == "":
		return &ZoneFault{"the time zone is empty", hint}
	case name == "Local":
		return &ZoneFault{"Local depends on the machine it is read on", hint}
	case t.known[name]:
		return &ZoneFault{"this machine has no data for " + name, "install the time zone database, or write a zone nearby"}
	}
	near, known := t.meant[strings.ToUpper(strings.TrimSpace(name))]
	if !known {
		near = spelling.Nearest(name, t.all)
	}
	if near == "" {
		near = t.ofCity(name)
	}
	unknown := fmt.Sprintf("%.60q is not a known time zone", name)
	if near == "" {
		return &ZoneFault{unknown, hint}
	}
	return &ZoneFault{unknown, "did you mean " + near + "?"}
}

// ofCity returns the zone whose last part is a city.
func (t *nameTable) ofCity(city string) string {
	folded := "-" + spelling.Fold(city)
	for _, name := range t.all {
		if strings.HasSuffix(spelling.Fold(name), folded) {
			return name
		}
	}
	return ""
}
