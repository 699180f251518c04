package ics

import (
	"errors"
	"strings"

	ical "github.com/arran4/golang-ical"
)

// parameter returns a parameter's value. A comma parts several, unless nobody quoted a
// name that has one, such as that of a time zone.
func parameter(p *ical.BaseProperty, name string) string {
	for key, values := range p.ICalParameters {
		if strings.EqualFold(key, name) {
			return strings.Join(values, ",")
		}
	}
	return ""
}

// once reads what an event says at most once.
func once[T any](value **T, p *ical.BaseProperty, read func(*ical.BaseProperty) (*T, error)) error {
	if *value != nil {
		return errTwice
	}
	v, err := read(p)
	*value = v
	return err
}

var errTwice = errors.New("it stands twice")
