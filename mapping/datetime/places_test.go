package datetime

import (
	"strings"
	"testing"
	"time"
)

func TestFindZones(t *testing.T) {
	for text, want := range map[string]string{
		"Europe/Berlin": "Europe/Berlin", "america/new_york": "America/New_York", "America/New York": "America/New_York",
		// by city
		"Berlin": "Europe/Berlin", "München": "Europe/Berlin", "muenchen": "Europe/Berlin", "Köln": "Europe/Berlin",
		"Wien": "Europe/Vienna", "Genf": "Europe/Zurich", "Genève": "Europe/Zurich",
		"New York": "America/New_York", "Nueva York": "America/New_York",
		"Mailand": "Europe/Rome", "Lissabon": "Europe/Lisbon", "Calcutta": "Asia/Kolkata", "Indianapolis": "America/Indiana/Indianapolis",
		"Birmingham": "Europe/London America/Chicago", "Valencia": "Europe/Madrid America/Caracas", "Nicosia": "Asia/Nicosia",
		"Paris, France": "Europe/Paris", "Cambridge, United Kingdom": "Europe/London", "Berlin (Deutschland)": "Europe/Berlin",
		// by country
		"Germany": "Europe/Berlin", "Deutschland": "Europe/Berlin", "Duitsland": "Europe/Berlin", "DE": "Europe/Berlin",
		"at":         "Europe/Vienna",
		"Österreich": "Europe/Vienna", "España": "Europe/Madrid Atlantic/Canary", "Schweiz": "Europe/Zurich", "UK": "Europe/London",
		"Portugal": "Europe/Lisbon Atlantic/Azores", "Singapore": "Asia/Singapore",
		"USA": "America/New_York America/Chicago America/Denver America/Los_Angeles America/Phoenix America/Anchorage Pacific/Honolulu",
		// by Windows
		"W. Europe Standard Time": "Europe/Berlin", "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna": "Europe/Berlin",
		"(GMT+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna": "Europe/Berlin", "eastern standard time": "America/New_York",
		// by abbreviation
		"CET": "Europe/Berlin Europe/Paris Europe/Madrid Europe/Rome", "EST": "America/New_York", "GMT": "UTC Europe/London",
		// by offset
		"UTC+1":  "Etc/GMT-1 Europe/Berlin Europe/Budapest Europe/Paris Europe/Warsaw Africa/Casablanca Africa/Lagos",
		"UTC+0":  "UTC Europe/London Atlantic/Reykjavik Africa/Sao_Tome",
		"+05:30": "Asia/Kolkata Asia/Colombo", "UTC+5.5": "Asia/Kolkata Asia/Colombo", "GMT-10": "Etc/GMT+10 America/Adak Pacific/Honolulu",
		// by what it begins with, and misspelt
		"berl": "Europe/Berlin", "Europe/Berln": "Europe/Berlin", "Munchn": "Europe/Berlin",
		"Lo": "", "xyzzy": "", "": "", "a": "", "Mitte": "", "1": "", "Saal 3": "",
	} {
		zones, _ := FindZones(text)
		if got := strings.Join(zones, " "); got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"Berlin": true, "DE": true, "W. Europe Standard Time": true, "USA": true, "EST": false, "PT": false, "berl": false, "Munchn": false,
		"UTC+1": false, "xyzzy": false,
	} {
		if _, named := FindZones(text); named != want {
			t.Errorf("%q names what it finds: %t", text, named)
		}
	}
}

func TestZonesAreReadInWhateverFormHasOneMeaning(t *testing.T) {
	for text, want := range map[string]string{
		"america/new_york": "America/New_York", "EUROPE/BERLIN": "Europe/Berlin", "utc": "UTC", "W. Europe Standard Time": "Europe/Berlin",
		"UTC+1": "Etc/GMT-1", "GMT+01:00": "Etc/GMT-1", "UTC-6": "Etc/GMT+6", "UTC −6": "Etc/GMT+6", "+01:00": "Etc/GMT-1",
		"+0100": "Etc/GMT-1", "UTC+14": "Etc/GMT-14", "UTC-12": "Etc/GMT+12", "UTC+0": "UTC", "Etc/GMT-1": "Etc/GMT-1",
		"Berlin": "", "CET": "", "GMT": "", "UTC+5.5": "", "UTC+05:30": "", "UTC+15": "", "UTC-13": "", "+1": "", "1": "", "UTC+1:3": "",
		"Z": "", "UTC1": "", "UTC+": "", "Etc/GMT 5": "", "Vienna": "",
	} {
		zone, fault := LoadZone(text)
		switch {
		case want == "" && fault == nil:
			t.Errorf("%q is read as %s", text, zone.Name)
		case want != "" && (fault != nil || zone.Name != want):
			t.Errorf("%q is not read: %v", text, fault)
		}
	}
	_, fault := LoadZone("UTC+5.5")
	if fault.Message != `"UTC+5.5" is no whole number of hours, and no time zone by itself` ||
		fault.Hint() != "did you mean Asia/Kolkata or Asia/Colombo?" {
		t.Error(fault)
	}
	if _, fault = LoadZone("USA"); fault.Hint() !=
		"did you mean America/New_York, America/Chicago, America/Denver, America/Los_Angeles or one of 3 more?" {
		t.Error(fault)
	}
}

func TestPlacesAreInZonesThatExist(t *testing.T) {
	for word, zones := range places().zones {
		for _, zone := range zones {
			if _, err := time.LoadLocation(zone); err != nil || zoneNames().named(zone) != zone || word == "" {
				t.Errorf("%s: %s: %v", word, zone, err)
			}
		}
	}
	for _, w := range windowsZones() {
		for _, name := range []string{w.name, w.display, strings.ToUpper(w.display), strings.Replace(w.display, "(UTC", "(GMT", 1)} {
			if zone, fault := LoadZone(name); fault != nil || zone.Name != w.zone {
				t.Errorf("%s: %v, want %s", name, fault, w.zone)
			}
		}
	}
	if len(windowsZones()) != 139 || len(places().words) < 1800 {
		t.Error(len(windowsZones()), len(places().words))
	}
}

func TestPlace(t *testing.T) {
	for text, want := range map[string]string{
		"Wien": "Europe/Vienna", "Kulturhaus, Hauptstr. 5, 1010 Wien": "Europe/Vienna", "Hauptstr. 5, A-1010 Wien": "Europe/Vienna",
		"12 rue de Rivoli, 75001 Paris, France": "Europe/Paris", "Salon, Graz": "Europe/Vienna", "Österreich": "Europe/Vienna",
		"Birmingham": "", "Spain": "", "Saal 3": "", "Gent": "Europe/Brussels", "DE": "", "": "", "Hauptstraße 5": "",
	} {
		if got, _ := Place(text); got != want {
			t.Errorf("%q is in %q, want %q", text, got, want)
		}
	}
}

func BenchmarkUnknownZone(b *testing.B) {
	for b.Loop() {
		FindZones("Nowhere near any place")
	}
}
