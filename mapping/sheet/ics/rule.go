package ics

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	ical "github.com/arran4/golang-ical"
	"github.com/teambition/rrule-go"
)

// rule is an RRULE or an EXRULE (RFC 5545, section 3.3.10). Its option lacks what the
// event says: DTSTART, and the clock by which UNTIL is meant.
type rule struct {
	line   int
	text   string
	option rrule.ROption
	until  *dateTime // nil for none
}

var frequencies = map[string]rrule.Frequency{
	"YEARLY": rrule.YEARLY, "MONTHLY": rrule.MONTHLY, "WEEKLY": rrule.WEEKLY, "DAILY": rrule.DAILY,
	"HOURLY": rrule.HOURLY, "MINUTELY": rrule.MINUTELY, "SECONDLY": rrule.SECONDLY,
}

var weekdays = map[string]rrule.Weekday{
	"MO": rrule.MO, "TU": rrule.TU, "WE": rrule.WE, "TH": rrule.TH, "FR": rrule.FR, "SA": rrule.SA, "SU": rrule.SU,
}

// appendRule reads a rule. Blanks around its signs, and a semicolon at its end, say nothing.
func appendRule(rules []*rule, line int, p *ical.BaseProperty) ([]*rule, error) {
	r := &rule{line: line, text: strings.TrimSpace(p.Value)}
	if r.text == "" {
		return nil, errEmpty
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(strings.ToUpper(r.text), ";") {
		name, value, _ := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); name == "" && strings.TrimSpace(value) == "" {
			continue
		}
		if seen[name] {
			return nil, fmt.Errorf("%.80q says %s twice", r.text, name)
		}
		seen[name] = true
		values := strings.Split(value, ",")
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		if err := r.take(name, values); err != nil {
			return nil, fmt.Errorf("%.80q: %w", r.text, err)
		}
	}
	if !seen["FREQ"] {
		return nil, fmt.Errorf("%.80q does not say how often (FREQ)", r.text)
	}
	if _, err := rrule.NewRRule(r.option); err != nil {
		return nil, fmt.Errorf("%.80q: %w", r.text, err)
	}
	return append(rules, r), nil
}

// take keeps one part of the rule.
func (r *rule) take(name string, values []string) error {
	o := &r.option
	lists := map[string]*[]int{
		"BYSECOND": &o.Bysecond, "BYMINUTE": &o.Byminute, "BYHOUR": &o.Byhour, "BYMONTHDAY": &o.Bymonthday,
		"BYYEARDAY": &o.Byyearday, "BYWEEKNO": &o.Byweekno, "BYMONTH": &o.Bymonth, "BYSETPOS": &o.Bysetpos,
	}
	bad := fmt.Errorf("%s cannot be %.40q", name, strings.Join(values, ","))
	if list := lists[name]; list != nil {
		for _, value := range values {
			n, err := strconv.Atoi(value)
			if err != nil {
				return bad
			}
			*list = append(*list, n)
		}
		return nil
	}
	if name == "BYDAY" {
		for _, value := range values {
			at := max(len(value)-2, 0)
			day, ok := weekdays[value[at:]]
			if !ok {
				return bad
			}
			if at > 0 {
				n, err := strconv.Atoi(value[:at])
				if err != nil || n == 0 {
					return bad
				}
				day = day.Nth(n)
			}
			o.Byweekday = append(o.Byweekday, day)
		}
		return nil
	}
	ok, err := true, error(nil)
	switch value := strings.Join(values, ","); name {
	case "FREQ":
		o.Freq, ok = frequencies[value]
	case "WKST":
		o.Wkst, ok = weekdays[value]
	case "INTERVAL":
		o.Interval, err = strconv.Atoi(value)
		ok = o.Interval > 0
	case "COUNT":
		o.Count, err = strconv.Atoi(value)
		ok = o.Count > 0
	case "UNTIL":
		r.until, err = parseDateTime(value, "")
	default:
		return fmt.Errorf("%.40s is not understood", strconv.Quote(name))
	}
	if !ok || err != nil {
		return bad
	}
	return nil
}

var (
	errTooMany     = errors.New("too many times")
	errNotUnrolled = errors.New("it cannot be unrolled")
)

// expand lists what a rule gives, in order, or fails with errTooMany where that is more than most.
func expand(option rrule.ROption, most int) (times []time.Time, err error) {
	defer func() {
		if recover() != nil { // the library's own answer to some rules
			times, err = nil, errNotUnrolled
		}
	}()
	r, err := rrule.NewRRule(option)
	if err != nil {
		return nil, err
	}
	for next := r.Iterator(); ; {
		at, ok := next()
		if !ok {
			return times, nil
		}
		if len(times) == most {
			return nil, errTooMany
		}
		times = append(times, at)
	}
}
