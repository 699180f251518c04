package datetime

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed windows.txt
var windowsText string

// windowsZone is a time zone of Windows.
type windowsZone struct{ name, display, zone string }

// windowsZones are the zones of Windows, from west to east.
var windowsZones = sync.OnceValue(func() []windowsZone {
	var all []windowsZone
	for line := range strings.Lines(windowsText) {
		if parts := strings.Split(strings.TrimSpace(line), " | "); len(parts) == 3 && line[0] != '#' {
			all = append(all, windowsZone{parts[0], parts[1], parts[2]})
		}
	}
	return all
})

// WindowsZone returns the IANA name of a zone by its name in Windows, or by its display with
// or without the offset before it; empty where it is none.
func WindowsZone(name string) string { return windowsNames()[foldWindows(name)] }

var windowsNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, w := range windowsZones() {
		_, places, _ := strings.Cut(w.display, ") ")
		names[foldWindows(w.name)], names[foldWindows(w.display)], names[foldWindows(places)] = w.zone, w.zone, w.zone
	}
	return names
})

// foldWindows returns a name without what two writings of it may differ in.
func foldWindows(name string) string {
	return windowsFolding.Replace(strings.ToLower(strings.TrimSpace(name)))
}

var windowsFolding = strings.NewReplacer("_", " ", "(gmt", "(utc", " and ", " & ")
