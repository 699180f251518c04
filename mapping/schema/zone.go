package schema

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// LoadZone gives the location of an IANA time zone name, loaded once for the
// whole process. Names that depend on the machine (empty, Local) and names that
// leave the place open (EST5EDT, GMT) are refused with a *Fault. Any number of
// goroutines may call it.
func LoadZone(name string) (*time.Location, error) {
	zone, ok := (*zones().loaded.Load())[name]
	if !ok {
		zone = zones().load(name)
	}
	if zone.fault != nil {
		return nil, zone.fault
	}
	return zone.location, nil
}

type loadedZone struct {
	location *time.Location
	fault    *Fault
}

// zoneCache is read without a lock and without memory: a lookup copies nothing,
// a new zone copies the map.
type zoneCache struct {
	mu     sync.Mutex
	loaded atomic.Pointer[map[string]loadedZone]
	known  map[string]bool
	faults int
}

var zones = sync.OnceValue(newZoneCache)

// mostFaults keeps a file full of wrong names from filling the memory.
const mostFaults = 1000

func newZoneCache() *zoneCache {
	c := &zoneCache{known: make(map[string]bool, len(ZoneNames))}
	for _, name := range ZoneNames {
		c.known[name] = true
	}
	c.loaded.Store(&map[string]loadedZone{"UTC": {location: time.UTC}})
	return c
}

func (c *zoneCache) load(name string) loadedZone {
	c.mu.Lock()
	defer c.mu.Unlock()
	have := *c.loaded.Load()
	if zone, ok := have[name]; ok {
		return zone
	}
	zone := loadedZone{}
	if c.known[name] || newerZone(name) {
		if location, err := time.LoadLocation(name); err == nil {
			zone.location = location
		}
	}
	if zone.location == nil {
		zone.fault = c.zoneFault(name)
		if c.faults++; c.faults > mostFaults {
			return zone
		}
	}
	grown := maps.Clone(have)
	grown[strings.Clone(name)] = zone
	c.loaded.Store(&grown)
	return zone
}

// newerZone reports whether a name that is not in the table may be one of a later
// release of the database: Region/City in the letters of such names, and not a
// known name in other letters, which some file systems would find.
func newerZone(name string) bool {
	region, city, ok := strings.Cut(name, "/")
	if !ok || len(name) > 64 || city == "" || city[0] == '/' || strings.Contains(name, "..") {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if l := lower(c); (l < 'a' || l > 'z') && !isDigit(c) && c != '/' && c != '_' && c != '-' && c != '+' {
			return false
		}
	}
	for _, known := range ZoneNames {
		if foldEqual(known, name) {
			return false
		}
	}
	for _, r := range zoneRegions {
		if r.region == region {
			return true
		}
	}
	return false
}

func (c *zoneCache) zoneFault(name string) *Fault {
	const hint = "write an IANA name, such as Europe/Berlin or America/New_York"
	switch name {
	case "":
		return &Fault{CodeBadZone, "the time zone is empty", hint}
	case "Local":
		return &Fault{CodeBadZone, "Local depends on the machine it is read on", hint}
	}
	if c.known[name] {
		return &Fault{CodeBadZone, "this machine has no data for " + name, "install the time zone database, or write a zone nearby"}
	}
	if near, ok := zoneSynonyms[strings.ToUpper(trim(name))]; ok {
		return &Fault{CodeBadZone, quote(name) + " is not a known time zone", didYouMean(near)}
	}
	if near := Suggest(name, ZoneNames); near != "" {
		return &Fault{CodeBadZone, quote(name) + " is not a known time zone", didYouMean(near)}
	}
	if city := cityZone(name); city != "" {
		return &Fault{CodeBadZone, quote(name) + " is not a known time zone", didYouMean(city)}
	}
	return &Fault{CodeBadZone, quote(name) + " is not a known time zone", hint}
}

// cityZone finds the zone whose last part is the city.
func cityZone(city string) string {
	folded := foldWord(city)
	for _, name := range ZoneNames {
		if strings.HasSuffix(foldWord(name), "-"+folded) {
			return name
		}
	}
	return ""
}

// zoneSynonyms are names that people write for zones. They are offered, not
// taken: an abbreviation does not say whether the clock changes.
var zoneSynonyms = map[string]string{
	"Z": "UTC", "GMT": "UTC or Europe/London", "UCT": "UTC", "ZULU": "UTC", "UTC+0": "UTC", "GREENWICH MEAN TIME": "UTC or Europe/London",
	"BST": "Europe/London", "GMT STANDARD TIME": "Europe/London", "GB": "Europe/London",
	"CET": "Europe/Berlin or Europe/Paris", "CEST": "Europe/Berlin or Europe/Paris", "MET": "Europe/Berlin or Europe/Paris",
	"W. EUROPE STANDARD TIME": "Europe/Berlin", "ROMANCE STANDARD TIME": "Europe/Paris", "CENTRAL EUROPE STANDARD TIME": "Europe/Budapest",
	"EET": "Europe/Athens or Europe/Helsinki", "EEST": "Europe/Athens or Europe/Helsinki", "WET": "Europe/Lisbon",
	"EST": "America/New_York", "EDT": "America/New_York", "ET": "America/New_York", "EST5EDT": "America/New_York",
	"EASTERN": "America/New_York", "EASTERN TIME": "America/New_York", "EASTERN STANDARD TIME": "America/New_York",
	"CST": "America/Chicago", "CDT": "America/Chicago", "CT": "America/Chicago", "CST6CDT": "America/Chicago",
	"CENTRAL": "America/Chicago", "CENTRAL TIME": "America/Chicago", "CENTRAL STANDARD TIME": "America/Chicago",
	"MST": "America/Denver", "MDT": "America/Denver", "MT": "America/Denver", "MST7MDT": "America/Denver",
	"MOUNTAIN": "America/Denver", "MOUNTAIN TIME": "America/Denver", "MOUNTAIN STANDARD TIME": "America/Denver",
	"PST": "America/Los_Angeles", "PDT": "America/Los_Angeles", "PT": "America/Los_Angeles", "PST8PDT": "America/Los_Angeles",
	"PACIFIC": "America/Los_Angeles", "PACIFIC TIME": "America/Los_Angeles", "PACIFIC STANDARD TIME": "America/Los_Angeles",
	"HST": "Pacific/Honolulu", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "JAPAN": "Asia/Tokyo", "SGT": "Asia/Singapore",
	"HKT":  "Asia/Hong_Kong",
	"AEST": "Australia/Sydney", "AEDT": "Australia/Sydney", "NZST": "Pacific/Auckland", "NZDT": "Pacific/Auckland",
	"NZ": "Pacific/Auckland",
}
