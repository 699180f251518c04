package datetime

import (
	"strings"
	"sync"
	"testing"
	"time"
)

func TestEveryZoneOfTheTableLoads(t *testing.T) {
	if len(ZoneNames()) != 1+553 || ZoneNames()[0] != "UTC" {
		t.Errorf("%d zones, the first is %s", len(ZoneNames()), ZoneNames()[0])
	}
	for _, name := range ZoneNames() {
		if _, err := time.LoadLocation(name); err != nil {
			t.Error(err)
		}
	}
}

func TestZonesAreLoadedOnceForAll(t *testing.T) {
	var wg sync.WaitGroup
	locations := make([]*Zone, 32)
	for i := range locations {
		wg.Go(func() { locations[i], _ = LoadZone("Pacific/Auckland") })
	}
	wg.Wait()
	for _, l := range locations {
		if l == nil || l != locations[0] {
			t.Fatal("a zone was loaded twice")
		}
	}
}

func TestWrongZonesDoNotFillTheMemory(t *testing.T) {
	for i := range mostOthers + 50 {
		if _, err := LoadZone(strings.Repeat("x", i+1)); err == nil {
			t.Fatal("a wrong zone loads")
		}
	}
	n := 0
	zones.Range(func(any, any) bool { n++; return true })
	if n > mostOthers+len(ZoneNames()) {
		t.Errorf("%d zones are kept", n)
	}
}

func FuzzZone(f *testing.F) {
	for _, seed := range []string{
		"Europe/Berlin", "Local", "", "EST5EDT", "America/../Europe/Berlin", "Etc/GMT+5", "Asia/Nowhere", "america/new_york",
		"Europe//Berlin",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		zone, err := LoadZone(name)
		if err != nil {
			return
		}
		if want, err := time.LoadLocation(zone.Name); err != nil || want.String() != zone.Location.String() {
			t.Fatalf("%q loads as %s: %v", name, zone.Name, err)
		}
		if again, err := LoadZone(zone.Name); err != nil || again != zone {
			t.Fatalf("%q loads as %s, which is another: %v", name, zone.Name, err)
		}
	})
}
