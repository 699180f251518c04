package value

import (
	"strings"
	"time"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

// LoadZone returns the location of a time zone by its name, as [datetime.LoadZone] does; the error is a *[schema.Fault].
func LoadZone(name string) (*time.Location, error) {
	zone, fault := datetime.LoadZone(name)
	if fault != nil {
		return nil, schema.CodeBadZone.Fault(fault.Message, fault.Hint())
	}
	return zone.Location, nil
}

// Location returns the location of a time zone by its name, or by an offset such as +02:00; nil where it is none.
func Location(zone string) *time.Location {
	if strings.HasPrefix(zone, "+") || strings.HasPrefix(zone, "-") {
		at, err := time.Parse("-07:00", zone)
		if err != nil {
			return nil
		}
		_, offset := at.Zone()
		return time.FixedZone("", offset)
	}
	known, fault := datetime.LoadZone(zone)
	if fault != nil {
		return nil
	}
	return known.Location
}

// ParseZone returns the IANA name of the zone that a text is a name of.
func ParseZone(text string) (name string, fault *schema.Fault) {
	zone, wrong := datetime.LoadZone(text)
	if wrong != nil {
		return "", schema.CodeBadZone.Fault(wrong.Message, wrong.Hint())
	}
	return zone.Name, nil
}
