package datetime

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MoveDays returns a text with its date moved by some days, in its own form: a month and a day of the
// week in the words of its language, numbers as wide as they are. padded says how a number below ten is
// written where one of two digits stands. A text without a date stays as it is. It is not ok where
// nothing of the same form says the new date, or the text cannot be read.
func MoveDays(text string, order Order, by int, padded bool) (moved string, ok bool) {
	m, fault := Scan(text, order)
	if fault != OK {
		return text, false
	}
	if !m.HasDate || m.Epoch() {
		return text, true
	}
	want := m
	want.Year, want.Month, want.Day = civil(days(m.Year, m.Month, m.Day) + int64(by))
	if want.Year < 1000 || want.Year > 9999 {
		return text, false
	}
	for language := range 1 + len(writings()) {
		v := mover{old: m, to: want, pieces: runs(text), padded: padded}
		if !v.names(language - 1) {
			continue
		}
		if moved, ok := v.dated(order); ok {
			return moved, true
		}
	}
	return text, false
}

// dated returns the text with the numbers of the new date where it is then read as that.
func (v *mover) dated(order Order) (string, bool) {
	for year := range v.pieces {
		for month := range v.pieces {
			for day := range v.pieces {
				moved, ok := v.write(year, month, day)
				if !ok {
					continue
				}
				got, fault := Scan(moved, order)
				got.Proof, got.Exact = v.to.Proof, v.to.Exact
				if fault == OK && got == v.to {
					return moved, true
				}
			}
		}
	}
	return "", false
}

// Padding reports whether a date of numbers in a text has a number below ten with a zero before it, and
// whether it has one without.
func Padding(text string) (padded, bare bool) {
	all := runs(text)
	for i, r := range all {
		beside := i > 0 && strings.ContainsAny(all[i-1], "./-") || i+1 < len(all) && strings.ContainsAny(all[i+1], "./-")
		if beside && isDigit(r[0]) {
			padded = padded || len(r) == 2 && r[0] == '0'
			bare = bare || len(r) == 1
		}
	}
	return padded, bare
}

// runs parts a text into its runs of digits, of letters, and of anything else.
func runs(text string) []string {
	kind := func(r rune) int {
		switch {
		case r >= '0' && r <= '9':
			return 1
		case unicode.IsLetter(r):
			return 2
		}
		return 3
	}
	var list []string
	last := 0
	for _, r := range text {
		if k := kind(r); k != last {
			list, last = append(list, ""), k
		}
		list[len(list)-1] += string(r)
	}
	return list
}

// mover writes a text with another date.
type mover struct {
	old, to Moment
	pieces  []string
	month   bool // the month is a word, which is replaced already
	padded  bool
}

// names replaces the words for the month and the day of the week by those of a language, English being
// -1. It reports whether they are of that language.
func (v *mover) names(language int) bool {
	from := weekday(v.old.Year, v.old.Month, v.old.Day)
	to := weekday(v.to.Year, v.to.Month, v.to.Day)
	for i, p := range v.pieces {
		if first, _ := utf8.DecodeRuneInString(p); !unicode.IsLetter(first) {
			continue
		}
		name := p
		switch day, isDay := Weekday(p); {
		case Month(p) == v.old.Month && !v.month:
			name, v.month = renamed(language, p, "month", v.to.Month-1), true
			if strings.EqualFold(p, "may") && language < 0 && !v.shortDay() { // both whole and short
				name = cased(monthNames[v.to.Month-1], p)
			}
		case isDay && int(day) == from:
			name = renamed(language, p, "day", to)
		}
		if name == "" {
			return false
		}
		v.pieces[i] = name
	}
	return true
}

// shortDay reports whether a day of the week stands there in short.
func (v *mover) shortDay() bool {
	return slices.ContainsFunc(v.pieces, func(p string) bool { return weekdayOf(p) >= 0 && len(p) <= 5 })
}

// write puts the numbers of the new date in the place of some pieces.
func (v *mover) write(year, month, day int) (string, bool) {
	p := v.pieces
	if whole := p[day]; year == day && month == day && whole == fmt.Sprintf("%04d%02d%02d", v.old.Year, v.old.Month, v.old.Day) {
		return v.with(map[int]string{day: fmt.Sprintf("%04d%02d%02d", v.to.Year, v.to.Month, v.to.Day)}), true
	}
	put := map[int]string{}
	switch {
	case p[year] == strconv.Itoa(v.old.Year):
		put[year] = strconv.Itoa(v.to.Year)
	case p[year] == fmt.Sprintf("%02d", v.old.Year%100):
		put[year] = fmt.Sprintf("%02d", v.to.Year%100)
	default:
		return "", false
	}
	if v.month && month != 0 || day == year || !v.month && (month == year || month == day) {
		return "", false
	}
	if n, err := strconv.Atoi(p[day]); err != nil || n != v.old.Day {
		return "", false
	}
	first := year < day && !v.month
	put[day] = v.number(p[day], v.to.Day, first)
	if !v.month {
		if n, err := strconv.Atoi(p[month]); err != nil || n != v.old.Month {
			return "", false
		}
		put[month] = v.number(p[month], v.to.Month, first)
	}
	if day+1 < len(p) && strings.Contains("st nd rd th", strings.ToLower(p[day+1])) && len(p[day+1]) == 2 {
		put[day+1] = cased(ordinalOf(v.to.Day), p[day+1])
	}
	return v.with(put), true
}

// number writes a number as wide as another. Behind the year all are of two digits, as a rule.
func (v *mover) number(like string, n int, behindYear bool) string {
	if len(like) == 2 && (like[0] == '0' || behindYear || v.padded && !v.month) {
		return fmt.Sprintf("%02d", n)
	}
	return strconv.Itoa(n)
}

func (v *mover) with(put map[int]string) string {
	var b strings.Builder
	for i, p := range v.pieces {
		if text, ok := put[i]; ok {
			p = text
		}
		b.WriteString(p)
	}
	return b.String()
}

func ordinalOf(day int) string {
	switch {
	case day%10 == 1 && day != 11:
		return "st"
	case day%10 == 2 && day != 12:
		return "nd"
	case day%10 == 3 && day != 13:
		return "rd"
	}
	return "th"
}

// renamed returns what the month or the day of the week of that number, from 0, is called in the form of
// the name of another: whole or short, in its language and its letter case. It is empty where the name is
// not of the language.
func renamed(language int, name, what string, n int) string {
	if language < 0 {
		return renamedInEnglish(name, what, n)
	}
	names, short := writings()[language], composed(name)
	keys := []string{what}
	if what == "day" {
		keys = append(keys, "short")
	}
	for _, key := range keys {
		for _, of := range names[key] {
			for i, writing := range of {
				if writing == short {
					return cased(cmp.Or(writingLike(names[key], n, i, len(short)), writingLike(names[what], n, 0, 0)), name)
				}
			}
		}
	}
	return ""
}

func renamedInEnglish(name, what string, n int) string {
	names := monthNames[:]
	if what == "day" {
		names = weekdayNames[:]
	}
	switch {
	case monthOf(name) == 0 && weekdayOf(name) < 0:
		return ""
	case len(name) > 5 || slices.Contains(names, strings.ToLower(name)) && len(name) > 3: // March, April, not Thurs
		return cased(names[n], name)
	}
	return cased(names[n][:3], name)
}

// writingLike returns the writing of the n-th name: the first where i is 0, else one as long, else the last.
func writingLike(names [][]string, n, i, length int) string {
	if n >= len(names) || len(names[n]) == 0 {
		return ""
	}
	if i == 0 {
		return names[n][0]
	}
	for _, writing := range names[n][1:] {
		if len(writing) == length {
			return writing
		}
	}
	return names[n][len(names[n])-1]
}

// cased returns a word in the letter case of another.
func cased(word, like string) string {
	first, size := utf8.DecodeRuneInString(word)
	begins, _ := utf8.DecodeRuneInString(like)
	switch {
	case word == "", !unicode.IsUpper(begins):
		return word
	case utf8.RuneCountInString(like) > 1 && strings.ToUpper(like) == like:
		return strings.ToUpper(word)
	}
	return string(unicode.ToUpper(first)) + word[size:]
}

// MoveSerial returns a spreadsheet's date moved by some days. A time without a date stays as it is.
func MoveSerial(text string, date1904 bool, by int) (moved string, ok bool) {
	m, fault := Serial(text, date1904)
	if fault != OK || !m.HasDate {
		return text, fault == OK
	}
	whole, rest, fraction := strings.Cut(text, ".")
	n, err := strconv.Atoi(whole)
	f, wrong := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && strings.Trim(rest, "0123456789") == "":
		if moved = strconv.Itoa(n + by); fraction {
			moved += "." + rest
		}
	case wrong == nil:
		moved = strconv.FormatFloat(f+float64(by), 'f', -1, 64)
	}
	to, fault := Serial(moved, date1904)
	return moved, fault == OK && to.Wall() == m.Wall()+int64(by)*int64(24*time.Hour/time.Second) && to.Milli == m.Milli
}
