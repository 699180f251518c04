package datetime

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eventbatch/mapping/spelling"
)

// ZoneFault is why a name is no time zone's. Message says what is wrong.
type ZoneFault struct {
	Message string
	hint    func() string
}

// Hint says what to write. It is looked for when it is first asked for: most texts are only tried, and are something else.
func (f *ZoneFault) Hint() string { return f.hint() }

// LoadZone returns the zone of a name, loaded once for the whole process: an IANA name, in
// capitals or small letters, a name of Windows, or an offset of whole hours such as UTC+1.
// Names that depend on the machine (empty, Local) and names that leave the place open
// (EST5EDT, GMT, Berlin) are refused. Any number of goroutines may call it.
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

// zones holds by name each *Zone that was loaded, and by the first other names what they
// are: a *Zone, or a *ZoneFault.
var zones sync.Map

// others counts the names that are no zone's own: of more than mostOthers nothing is
// kept, so that a file full of them does not fill the memory.
var others atomic.Int32

const mostOthers = 1000

func loadZone(name string) any {
	names := zoneNames()
	meant := names.named(name)
	if o, ok := parseOffset(name); meant == "" && ok {
		meant = o.zone()
	}
	if meant == "" && names.newer(name) {
		meant = name
	}
	var known any
	if location, err := time.LoadLocation(meant); meant == "" || err != nil {
		known = names.refuse(name)
	} else if known, _ = zones.LoadOrStore(meant, &Zone{Name: meant, Location: location}); name == meant {
		return known
	}
	if others.Add(1) <= mostOthers {
		zones.Store(name, known)
	}
	return known
}

func (t *nameTable) refuse(name string) *ZoneFault {
	hint := "write an IANA name, such as Europe/Berlin or America/New_York"
	always := func() string { return hint }
	switch {
	case name == "":
		return &ZoneFault{"the time zone is empty", always}
	case name == "Local":
		return &ZoneFault{"Local depends on the machine it is read on", always}
	case t.named(name) != "":
		hint = "install the time zone database, or write a zone nearby"
		return &ZoneFault{"this machine has no data for " + name, always}
	}
	unknown := fmt.Sprintf("%.60q is not a known time zone", name)
	if _, ok := parseOffset(name); ok {
		unknown = fmt.Sprintf("%.60q is no whole number of hours, and no time zone by itself", name)
	}
	return &ZoneFault{unknown, sync.OnceValue(func() string {
		if meant, _ := FindZones(name); len(meant) > 0 {
			return "did you mean " + either(meant) + "?"
		}
		return hint
	})}
}

// either lists zones to choose from, the first few of many.
func either(zones []string) string {
	const most = 4
	if len(zones) > most {
		return strings.Join(zones[:most], ", ") + fmt.Sprintf(" or one of %d more", len(zones)-most)
	}
	return spelling.Series(zones, "or")
}
