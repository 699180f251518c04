package datetime

import (
	"strconv"
	"strings"
	"time"
)

// offset is how far from UTC a text such as UTC+1 says that a zone is, in minutes.
type offset int

// parseOffset reads UTC+1, GMT+01:00, UTC-6, UTC+5.5 and +01:00: the sign, and without UTC
// before it the minutes, are needed.
func parseOffset(text string) (offset, bool) {
	text = strings.ToUpper(strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "−", "-"))
	rest, named := text, false
	for _, name := range []string{"UTC", "GMT"} {
		if after, ok := strings.CutPrefix(text, name); ok {
			rest, named = after, true
		}
	}
	if rest == "" || rest[0] != '+' && rest[0] != '-' {
		return 0, false
	}
	hours, minutes, colon := strings.Cut(rest[1:], ":")
	if half, ok := strings.CutSuffix(hours, ".5"); ok && !colon {
		hours, minutes = half, "30"
	} else if !colon && len(hours) == 4 {
		hours, minutes, colon = hours[:2], hours[2:], true
	}
	if !named && !colon || len(hours) > 2 || colon && len(minutes) != 2 {
		return 0, false
	}
	h, ok := digits(hours)
	m, okay := 0, true
	if minutes != "" {
		m, okay = digits(minutes)
	}
	if !ok || !okay || m > 59 || h*60+m > 14*60 || rest[0] == '-' && h*60+m > 12*60 {
		return 0, false
	}
	if rest[0] == '-' {
		return offset(-h*60 - m), true
	}
	return offset(h*60 + m), true
}

// zone returns the zone that always has the offset, empty where none has: there is one for
// each whole hour. Their names have the sign that POSIX gives an offset, west being more.
func (o offset) zone() string {
	switch {
	case o == 0:
		return "UTC"
	case o%60 != 0:
		return ""
	case o > 0:
		return "Etc/GMT-" + strconv.Itoa(int(o)/60)
	}
	return "Etc/GMT+" + strconv.Itoa(int(-o)/60)
}

// zones returns the zone that always has the offset, and those of Windows that have it in
// winter, first those that have summer time.
func (o offset) zones() []string {
	var always, changing, still []string
	if zone := o.zone(); zone != "" {
		always = append(always, zone)
	}
	for _, w := range windowsZones() {
		said, _, _ := strings.Cut(strings.TrimPrefix(w.display, "("), ")")
		switch other, ok := parseOffset(said); {
		case !ok || other != o:
		case hasSummerTime(w.zone):
			changing = append(changing, w.zone)
		default:
			still = append(still, w.zone)
		}
	}
	return union(union(always, changing), still)
}

// hasSummerTime reports whether a zone's clocks differ in January and July.
func hasSummerTime(name string) bool {
	zone, fault := LoadZone(name)
	if fault != nil {
		return false
	}
	january := time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)
	_, winter := january.In(zone.Location).Zone()
	_, summer := january.AddDate(0, 6, 0).In(zone.Location).Zone()
	return winter != summer
}

// FixedOffset reports whether a text that names a zone says nothing but how far from UTC it
// is: UTC+1. Such a zone has no summer time.
func FixedOffset(text string) bool {
	o, ok := parseOffset(strings.TrimSpace(text))
	return ok && o != 0 && o%60 == 0
}
