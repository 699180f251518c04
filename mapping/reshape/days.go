package reshape

import (
	"strconv"
	"strings"
)

// weekdays is a set of days of the week, a bit each, Sunday the lowest.
type weekdays uint8

// parseWeekdays reads a list of days: Su,M,T,W,Th,F,Sa; Mon Wed; tuesday; MO,WE;
// 1,3 where Sunday is 0; daily, weekdays and weekends. It is not ok where a word is no
// day, and for a list without any.
func parseWeekdays(text string) (days weekdays, ok bool) {
	if len(text) > 200 {
		return 0, false
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r == ',' || r == ';' || r == '/' || r == '|' || r == '&' || r == '+' || r == ' ' || r == '\t' || r == '\n'
	})
	for _, word := range words {
		set, known := weekday(strings.ToLower(strings.TrimSuffix(word, ".")))
		if !known {
			return 0, false
		}
		days |= set
	}
	return days, days != 0
}

// Has reports whether a day is in the set; Sunday is 0.
func (d weekdays) Has(day int) bool { return d&(1<<day) != 0 }

var dayNames = [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// shortDays are the short forms that are not a name's first two or more letters.
var shortDays = map[string]weekdays{
	"m": 1 << 1, "t": 1 << 2, "w": 1 << 3, "f": 1 << 5, "r": 1 << 4, "u": 1 << 0,
	"daily": 1<<7 - 1, "everyday": 1<<7 - 1, "weekdays": 1<<6 - 2, "weekends": 1<<6 | 1,
}

func weekday(word string) (weekdays, bool) {
	if set, ok := shortDays[word]; ok {
		return set, true
	}
	if n, err := strconv.Atoi(word); err == nil && len(word) == 1 && n <= 6 {
		return 1 << n, true
	}
	for i, name := range dayNames {
		if len(word) >= 2 && strings.HasPrefix(name, word) || word == name+"s" {
			return 1 << i, true
		}
	}
	return 0, false
}
