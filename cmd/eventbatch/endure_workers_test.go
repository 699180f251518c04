package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/sandbox"
)

// fleet is a service of many calendars, each of which has a key and a quota of its own, and a
// home that has all keys.
type fleet struct {
	service   *served
	home      *home
	calendars []string
}

func newFleet(t *testing.T, calendars int, config sandbox.Config) *fleet {
	t.Helper()
	f := &fleet{}
	var keys strings.Builder
	for n := range calendars {
		calendar := fmt.Sprintf("cal-%04d", n)
		f.calendars = append(f.calendars, calendar)
		config.Keys = append(config.Keys, sandbox.Key{Kind: sandbox.CalendarKey, Calendar: calendar, Secret: "key-of-" + calendar})
		fmt.Fprintf(&keys, "      - {kind: calendar, calendar: %s, from: \"env:KEY_%d\"}\n", calendar, n)
	}
	f.service = serve(t, config)
	f.home = newHome(t, fmt.Sprintf("profiles:\n  test:\n    base_url: %s\n    limits: {calendar: %d, window: %s}\n    keys:\n%s",
		f.service.url, config.Limits.Calendar, config.Limits.Window, &keys))
	for n, key := range config.Keys {
		f.home.env = append(f.home.env, fmt.Sprintf("KEY_%d=%s", n, key.Secret))
	}
	return f
}

// limits are those of all calendars.
func (f *fleet) limits() map[string]int {
	limits := map[string]int{}
	for _, calendar := range f.calendars {
		limits[calendar] = f.service.limits.Calendar
	}
	return limits
}

// Calendars with a quota each do not get into each other's way, however many they are.
func TestOneProcessCarriesManyCalendars(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes three windows")
	}
	t.Parallel()
	calendars, rows := sized(500, 50, 0), sized(100, 20, 0)
	f := newFleet(t, calendars, sandbox.Config{
		Limits: sandbox.Limits{Calendar: 10, Window: time.Duration(sized(10, 1, 0)) * time.Second, Strict: true},
	})
	p := newProgramme("many", calendars*rows, f.calendars...)
	f.home.write(t, "many.csv", p.text.String())
	f.home.must(t, 0, "import", "many.csv", "--yes", "--pace", "0")
	f.service.throttledNever(t, f.limits())
	f.service.once(t, p.wanted())
}
