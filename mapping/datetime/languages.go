package datetime

import (
	_ "embed"
	"strings"
	"sync"
	"time"
)

// languages is a set of languages, in which a word means one thing.
type languages uint16

// role is what a word of another language does in a date.
type role uint8

const (
	monthName   role = iota + 1 // März
	weekdayName                 // samedi, Sa
	clockName                   // mittags
	ofMonth                     // 15 de marzo de 2027
	ordinal                     // 1er mai
	beforeClock                 // um 19:30, a las 19:30
	afterClock                  // 19 Uhr
	beforeDay                   // am 15. März
	// afterHours is a word behind hours that may be a length as well: 2 h.
	afterHours
)

// word is what a word means in some languages.
type word struct {
	role role
	// n is a month from 0, a weekday from 0 for Sunday, a name of a time in clockNames; of
	// beforeClock, 1 where an hour may follow alone; of afterHours, 1 behind a length more often.
	n       int
	article string
	in      languages
}

// Month returns which month, from 1, a word names in English or one of the other
// languages that Scan reads; 0 where it names none.
func Month(name string) int {
	if n := monthOf(name); n > 0 {
		return n
	}
	if w := words()[composed(name)]; w.role == monthName {
		return w.n + 1
	}
	return 0
}

// clockNames are the names of times in English, by the n of a word.
var clockNames = [...]string{"noon", "midnight"}

//go:embed languages.txt
var languageText string

// writings are the writings of names by language, by the key of their line and by number.
var writings = sync.OnceValue(func() (all []map[string][][]string) {
	key := ""
	for line := range strings.Lines(languageText) {
		head, rest, found := strings.Cut(line, ":")
		switch {
		case line[0] == '#' || line == "\n":
			continue
		case found:
			key = head
		case line[0] == ' ':
			rest = line
		default:
			all = append(all, map[string][][]string{})
			continue
		}
		for names := range strings.SplitSeq(strings.TrimRight(rest, ",\n"), ",") {
			all[len(all)-1][key] = append(all[len(all)-1][key], strings.Fields(names))
		}
	}
	return all
})

// words are the words of all languages.
var words = sync.OnceValue(func() map[string]word {
	roles := map[string]role{
		"month": monthName, "day": weekdayName, "short": weekdayName, "clock": clockName, "of": ofMonth, "ordinal": ordinal,
		"at": beforeClock, "before": beforeDay, "oclock": afterClock, "hours": afterHours,
	}
	table := map[string]word{}
	for i, language := range writings() {
		for key, things := range language {
			if roles[key] == 0 {
				continue // what is said of hours: see spoken
			}
			for n, names := range things {
				for _, name := range names {
					name, article, _ := strings.Cut(name, "+")
					w, known := word{role: roles[key], n: n, article: article, in: 1 << i}, table[name]
					if known.in != 0 && (known.role != w.role || known.n != w.n) {
						panic("datetime: " + name + " has two meanings") // a test reads the table
					}
					w.in |= known.in
					table[name] = w
				}
			}
		}
	}
	return table
})

// IsWeekday reports whether a word names a day of the week in English or one of the other
// languages that Scan reads.
func IsWeekday(name string) bool {
	_, ok := Weekday(name)
	return ok
}

// Weekday returns which day of the week a word names, as IsWeekday knows it.
func Weekday(name string) (time.Weekday, bool) {
	if n := weekdayOf(name); n >= 0 {
		return time.Weekday(n), true
	}
	w := words()[composed(name)]
	return time.Weekday(w.n), w.role == weekdayName
}

var monthNames = [...]string{
	"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
}

// monthOf reads a month's name or its first three letters; 0 where it is neither.
func monthOf(s string) int {
	if len(s) < 3 {
		return 0
	}
	for i, name := range monthNames {
		if len(s) == 3 && strings.EqualFold(s, name[:3]) || strings.EqualFold(s, name) {
			return i + 1
		}
	}
	if strings.EqualFold(s, "sept") {
		return 9
	}
	return 0
}

var weekdayNames = [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// weekdayOf reads a day's name or its usual short forms; -1 where it is neither.
func weekdayOf(s string) int {
	if len(s) < 3 {
		return -1
	}
	if strings.EqualFold(s, "weds") {
		return 3
	}
	for i, name := range weekdayNames {
		if len(s) <= 5 && len(s) < len(name) && strings.EqualFold(s, name[:len(s)]) || strings.EqualFold(s, name) {
			return i
		}
	}
	return -1
}
