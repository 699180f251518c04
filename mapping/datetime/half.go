package datetime

import (
	"strings"
	"unicode"
)

// SaysHalf reports whether a text names the half of the day of a time: 7:30 PM, 7p, 6-8 p.m.
func SaysHalf(text string) bool {
	for i := 1; i < len(text); i++ {
		letter := text[i] | 0x20
		if letter != 'a' && letter != 'p' {
			continue
		}
		before := strings.TrimRight(text[:i], " :\u00a0\u202f")
		rest := strings.ReplaceAll(text[i+1:min(len(text), i+3)], ".", "")
		if before == "" || !isDigit(before[len(before)-1]) {
			continue
		}
		if m := rest != "" && rest[0]|0x20 == 'm'; m || len(before) == i && (rest == "" || !isLetter(rest[0])) {
			return true
		}
	}
	return false
}

// HalfOpen reports whether a text, which is read as m, does not say in which half of the day it is:
// 5:30, in a place where others say it. With seconds it is a program's, which counts to 24.
func HalfOpen(text string, m *Moment) bool {
	if !m.HasTime || m.Hour < 1 || m.Hour > 11 || m.HasOffset {
		return false
	}
	text = strings.TrimSpace(text)
	if m.Letters != "" {
		text, _, _ = cutLetters(text)
	}
	_, minutes, _ := strings.Cut(text, ":")
	seconds := len(minutes) > 2 && minutes[2] == ':'
	return text != "" && isDigit(text[len(text)-1]) && !seconds && !SaysHalf(text) && !new(Moment).scanISO(text)
}

// Clock is what texts say of the clock by which their writer counts: to 12, or to 24.
type Clock struct {
	late   bool // 19:30, 0:15, 9:30:00 and 7h30 are of a clock that counts to 24
	padded bool // so is 09:30
	bare   bool // unless 9:30 stands beside it
}

// Note takes a text, which may be a range. Once a clock is known to count to 24, nothing more is to be learned of it.
func (c *Clock) Note(text string) {
	if c.late {
		return
	}
	from, to, two := CutRange(text)
	if c.note(from); two {
		c.note(to)
	}
}

func (c *Clock) note(text string) {
	text = strings.TrimSpace(text)
	if _, number := digits(text); number || SaysHalf(text) {
		return // 1930 may be a year
	}
	m := read(text, ClockCell)
	hour, rest, _ := strings.Cut(text, ":")
	hour = hour[strings.LastIndexAny(hour, " \u00a0\u202f")+1:]
	switch {
	case !m.HasTime || hour == "" || !isDigit(hour[0]):
	case m.HasDate && m.Wall()%86400 == 0: // which programs write for a date alone
	case m.Hour%24 == 0, m.Hour > 12, len(rest) > 2 && rest[2] == ':', strings.ContainsFunc(hour, unicode.IsLetter):
		c.late = true
	case strings.HasPrefix(hour, "0"):
		c.padded = true
	case m.Hour < 10:
		c.bare = true
	}
}

// To24 reports whether the texts are of a clock that counts to 24.
func (c Clock) To24() bool { return c.late || c.padded && !c.bare }

// With returns what two columns say together.
func (c Clock) With(other Clock) Clock {
	return Clock{c.late || other.late, c.padded || other.padded, c.bare || other.bare}
}

// CountsTo12 reports whether people in a time zone count the hours to 12, so that 7:30 may be in the evening.
func CountsTo12(zone string) bool {
	return strings.HasPrefix(zone, "America/") || strings.HasPrefix(zone, "US/") || zone == "Pacific/Honolulu"
}

// InHalf writes AM or PM behind the hours of a text that say neither: PM behind all of them, or AM behind those from one
// on. 12:30 is after noon, and the end of a range soon after its start. A text without such an hour stays as it is.
func InHalf(text string, from int) string {
	var m Moment
	if m.ScanIn(ClockCell, text, DayFirst) == NeedsHalf { // halb 8
		if minutes := m.Hour%12*60 + m.Minute; minutes >= from*60 && from < 12 {
			return inHalf(text, minutes)
		}
		return inHalf(text, 720)
	}
	first, last, two := CutRange(text)
	if !two {
		last = text
	}
	start, ok := openHour(first, from)
	end, also := openHour(last, from)
	switch {
	case !two && also:
		return inHalf(text, end)
	case !two || !ok || !also:
		return text
	}
	if other := (end + 720) % 1440; end <= start && after(start, other) < after(start, end) {
		end = other
	}
	return inHalf(first, start) + " - " + inHalf(last, end)
}

// after returns how many minutes a time of day is after another.
func after(start, end int) int { return (end - start + 1440) % 1440 }

// inHalf writes the half of the day behind a time, which it is in minutes.
func inHalf(text string, minutes int) string {
	if minutes < 720 {
		return strings.TrimSpace(text) + " AM"
	}
	return strings.TrimSpace(text) + " PM"
}

// openHour returns in minutes the time with which a text ends and that does not say its half of the day, those of the
// morning being the hours from one on.
func openHour(text string, from int) (minutes int, ok bool) {
	text = strings.TrimSpace(text)
	clock := text[strings.LastIndexAny(text, " ,\u00a0\u202f")+1:]
	if !strings.Contains(clock, ":") {
		clock += ":00"
	}
	minutes, ok = hourAndMinute(clock)
	hour := minutes / 60
	if hour < from && hour < 12 {
		minutes += 720
	}
	return minutes, ok && hour > 0 && hour <= 12
}
