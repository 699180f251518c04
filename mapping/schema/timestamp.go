package schema

import (
	"strconv"
	"time"
)

const timestampHint = "write a date, a time and an offset, such as 2026-05-01T18:30:00+02:00 or 2026-05-01T16:30Z"

// ParseTimestamp reads an ISO 8601 date-time whose offset is mandatory, seconds
// and their fraction optional (service: Conventions). A fraction finer than a
// millisecond is rounded. The year has four digits.
func ParseTimestamp(text string) (unixMilli int64, fault *Fault) {
	unixMilli, flaw := scanTimestamp(text)
	if flaw != sound {
		return 0, timestampFault(text, flaw)
	}
	return unixMilli, nil
}

// ParseDay reads a day such as 2025-09-01.
func ParseDay(text string) *Fault {
	switch _, flaw := scanDay(text); {
	case len(text) != len("2025-09-01") || flaw == badShape:
		return &Fault{CodeBadDate, quote(text) + " is not a day", "write a day without a time, such as 2025-09-01"}
	case flaw != sound:
		return timestampFault(text, flaw)
	}
	return nil
}

// timestampLayouts are the ways of writing a timestamp that mean one thing but
// are not what the service takes.
var timestampLayouts = []string{
	"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02t15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07",
	"2006-01-02 15:04:05Z0700", "2006-01-02 15:04Z0700", "2006-01-02 15:04:05Z07", "2006-01-02 15:04Z07",
	"2006-01-02T15:04:05 Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02T15:04 Z07:00", "2006-01-02 15:04 Z07:00",
	"2006-01-02T15:04:05 Z0700", "2006-01-02 15:04:05 Z0700", "2006-01-02 15:04 Z0700", "2006-01-02 15:04:05 UTC", "2006-01-02 15:04 UTC",
	"2006-01-02T15:04:05z", "2006-01-02t15:04:05z", "2006-01-02T15:04z", "20060102T150405Z07:00", "20060102T150405Z0700",
}

// mendTimestamp rewrites an unusual timestamp as the service takes it.
func mendTimestamp(text string) (mended string, unixMilli int64, ok bool) {
	if len(text) < len("20060102T150405Z") || len(text) > 48 || text[0] < '0' || text[0] > '9' {
		return "", 0, false
	}
	for _, layout := range timestampLayouts {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		text = t.Format("2006-01-02T15:04:05.999999999Z07:00")
		unixMilli, flaw := scanTimestamp(text)
		return withSeconds(text, unixMilli), unixMilli, flaw == sound
	}
	return "", 0, false
}

// withSeconds writes a timestamp with its seconds, which the service's own examples
// always have, and with no more than three digits behind them.
func withSeconds(text string, unixMilli int64) string {
	const whole, milli = len("2006-01-02T15:04:05Z"), len("2006-01-02T15:04:05.000Z")
	length, offset := len(text), 0
	if text[length-1] != 'Z' {
		offset, _ = scanOffset(text[length-len("+00:00"):])
		length -= len("00:00")
	}
	if length >= whole && length <= milli {
		return text
	}
	return time.UnixMilli(unixMilli).In(time.FixedZone("", offset)).Format("2006-01-02T15:04:05.999Z07:00")
}

// flaw says where a scan of a timestamp ended.
type flaw uint8

const (
	sound flaw = iota
	badShape
	badMonth
	badDay
	badClock
	noOffset
	noClock
	badOffset
)

// scanDay reads the YYYY-MM-DD that a text begins with, as days since 1970-01-01.
func scanDay(s string) (int64, flaw) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return 0, badShape
	}
	century, ok1 := twoDigits(s, 0)
	year, ok2 := twoDigits(s, 2)
	month, ok3 := twoDigits(s, 5)
	day, ok4 := twoDigits(s, 8)
	year += century * 100
	switch {
	case !ok1 || !ok2 || !ok3 || !ok4:
		return 0, badShape
	case month < 1 || month > 12:
		return 0, badMonth
	case day < 1 || day > daysIn(year, month):
		return 0, badDay
	}
	return unixDays(year, month, day), sound
}

// scanTimestamp reads YYYY-MM-DDThh:mm[:ss[.f…]](Z|±hh:mm).
func scanTimestamp(s string) (int64, flaw) {
	day, flaw := scanDay(s)
	if flaw != sound {
		return 0, flaw
	}
	if len(s) == 10 {
		return 0, noClock
	}
	if len(s) < 16 || s[10] != 'T' || s[13] != ':' {
		return 0, badShape
	}
	hour, ok1 := twoDigits(s, 11)
	minute, ok2 := twoDigits(s, 14)
	if !ok1 || !ok2 {
		return 0, badShape
	}
	if hour > 23 || minute > 59 {
		return 0, badClock
	}
	at, second, milli := 16, 0, 0
	if len(s) > at && s[at] == ':' {
		if len(s) < at+3 {
			return 0, badShape
		}
		if second, ok1 = twoDigits(s, at+1); !ok1 {
			return 0, badShape
		}
		if second > 59 {
			return 0, badClock
		}
		at += 3
		if len(s) > at && s[at] == '.' {
			at++
			start := at
			for ; at < len(s) && isDigit(s[at]); at++ {
				switch digit := int(s[at] - '0'); {
				case at < start+3:
					milli += digit * [...]int{100, 10, 1}[at-start]
				case at == start+3 && digit >= 5:
					milli++
				}
			}
			if at == start {
				return 0, badShape
			}
		}
	}
	offset, end := scanOffset(s[at:])
	if end != sound {
		return 0, end
	}
	seconds := day*86400 + int64(hour*3600+minute*60+second-offset)
	return seconds*1000 + int64(milli), sound
}

// maxOffset is as far from UTC as any place is, in minutes.
const maxOffset = 14 * 60

// scanOffset reads Z or ±hh:mm and gives seconds east of UTC.
func scanOffset(s string) (int, flaw) {
	if s == "Z" {
		return 0, sound
	}
	if s == "" {
		return 0, noOffset
	}
	if len(s) != 6 || (s[0] != '+' && s[0] != '-') || s[3] != ':' {
		return 0, badOffset
	}
	hour, ok1 := twoDigits(s, 1)
	minute, ok2 := twoDigits(s, 4)
	if !ok1 || !ok2 || minute > 59 || hour*60+minute > maxOffset {
		return 0, badOffset
	}
	offset := hour*3600 + minute*60
	if s[0] == '-' {
		offset = -offset
	}
	return offset, sound
}

func twoDigits(s string, at int) (int, bool) {
	a, b := s[at]-'0', s[at+1]-'0'
	return int(a)*10 + int(b), a <= 9 && b <= 9
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// unixDays counts the days from 1970-01-01 in the proleptic Gregorian calendar.
// Years begin in March here, so that a leap day ends its year.
func unixDays(year, month, day int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	yearOfEra := y - era*400
	dayOfYear := int64((153*((month+9)%12)+2)/5 + day - 1)
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return era*146097 + dayOfEra - 719468
}

func timestampFault(text string, f flaw) *Fault {
	switch f {
	case badMonth:
		return &Fault{CodeBadDate, "month " + text[5:7] + " does not exist", timestampHint}
	case badDay:
		return &Fault{CodeBadDate, "day " + text[8:10] + " does not exist in " + text[:7], timestampHint}
	case badClock:
		return &Fault{CodeBadTime, quote(text[11:]) + " is not a time of day", "hours go from 00 to 23, minutes and seconds from 00 to 59"}
	case noClock:
		return &Fault{CodeBadTime, "there is a date but no time", timestampHint}
	case noOffset:
		return &Fault{
			CodeNoZone, "the time has no offset from UTC",
			"add an offset (" + text + "Z, " + text + "+02:00), fill the timezone column, or give --timezone",
		}
	case badOffset:
		return &Fault{CodeBadTime, quote(text[16:]) + " is not an offset from UTC", timestampHint}
	}
	return &Fault{CodeBadTime, quote(text) + " is not a date with a time", timestampHint}
}

// quote puts a value into a message, cut to a length that fits a line.
func quote(text string) string {
	const most = 60
	if len(text) > most {
		cut := most
		for cut > 0 && text[cut]&0xC0 == 0x80 {
			cut--
		}
		return strconv.Quote(text[:cut]) + "…"
	}
	return strconv.Quote(text)
}
