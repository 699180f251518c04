package schema

import (
	"time"

	"eventbatch/mapping/datetime"
)

// LoadZone returns the location of an IANA time zone name, as [datetime.LoadZone] does; the error is a *[Fault].
func LoadZone(name string) (*time.Location, error) {
	zone, fault := datetime.LoadZone(name)
	if fault != nil {
		return nil, &Fault{CodeBadZone, fault.Message, fault.Hint}
	}
	return zone.Location, nil
}

func checkZone(name string) *Fault {
	if _, fault := datetime.LoadZone(name); fault != nil {
		return &Fault{CodeBadZone, fault.Message, fault.Hint}
	}
	return nil
}
