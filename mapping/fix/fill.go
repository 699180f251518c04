package fix

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/pattern"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// relative is a time and how far from it another lies.
var relative = pattern.New(`^([a-z_]+)\s*([+-])\s*(\S+)$`)

// ParseFill reads end_at=start_at+2h, or timezone=Europe/Paris. The error is of
// the kind [failure.Usage].
func ParseFill(text string) (Fill, error) {
	const form = "write FIELD=VALUE, or FIELD=OTHER+DURATION such as end_at=start_at+2h"
	path, content, found := strings.Cut(text, "=")
	path, content = strings.TrimSpace(path), strings.TrimSpace(content)
	if !found || content == "" {
		return Fill{}, failure.New(failure.Usage, fmt.Errorf("--fill: %q says no value", text), form)
	}
	of := catalog.Events
	field, ok := of.ByPath(path)
	if !ok {
		return Fill{}, failure.New(failure.Usage, fmt.Errorf("--fill: no field %q", path), form)
	}
	if field.Kind != schema.Timestamp {
		var s schema.Setting
		if fault := value.Parse(field, &s, content); fault != nil {
			return Fill{}, failure.New(failure.Usage, errors.New("--fill: "+path+": "+fault.Message), fault.Hint)
		}
		return Fill{Field: field, Value: content}, nil
	}
	m := relative().FindStringSubmatch(content)
	if m == nil {
		return Fill{}, failure.New(failure.Usage, fmt.Errorf("--fill: %s follows another time", path), form)
	}
	from, ok := of.ByPath(m[1])
	if !ok || from.Kind != schema.Timestamp || from == field {
		return Fill{}, failure.New(failure.Usage, fmt.Errorf("--fill: %q is not a field that holds another time", m[1]), form)
	}
	after, err := parseDuration(m[3])
	if err != nil {
		return Fill{}, failure.New(
			failure.Usage, fmt.Errorf("--fill: %q is not a length of time", m[3]), "write it like 90m, 2h, 1h30m or 1d",
		)
	}
	if m[2] == "-" {
		after = -after
	}
	return Fill{Field: field, From: from, After: after}, nil
}

// parseDuration reads 1h30m, and days beside the units of Go.
func parseDuration(text string) (time.Duration, error) {
	var days time.Duration
	if n, rest, ok := strings.Cut(text, "d"); ok {
		count, err := strconv.Atoi(n)
		if err != nil || count < 0 || count > 10_000 {
			return 0, fmt.Errorf("%q is not a number of days", n)
		}
		days = time.Duration(count) * 24 * time.Hour
		if text = rest; text == "" {
			return days, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err == nil && (d < 0 || d > 10_000*24*time.Hour) {
		err = fmt.Errorf("%q is out of range", text)
	}
	return d + days, err
}
