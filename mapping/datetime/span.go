package datetime

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// separators stand between the two ends of a range. What a date or a word may hold
// itself is one only between spaces.
var separators = []string{
	"→", "⟶", "->", "〜", "～", "~", "–", "—", "−", "‐", "‑", "‒", " - ", " to ", " until ", " till ", " til ", " bis ", " à ", " a ",
	" hasta ", " alle ", " às ", " até ", " tot ", " t/m ", " au ", " al ",
}

// openings are the words before the first time of a range, where one of the separators is a word.
var openings = []string{"from ", "von ", "de ", "dalle ", "das ", "van ", "desde ", "du ", "vom ", "dal ", "del "}

// CutRange parts a text that says when something starts and when it ends: "19:00-21:00",
// "7-9pm", "August 17, 2023 11:19 AM → August 25, 2023". Each part is a text of its own,
// the first one for a ClockCell, the second for a RangeEnd: what is written once for both
// ("pm", "Uhr") is given to both. A text that does not consist of two times is no range:
// from is all of it.
func CutRange(text string) (from, to string, isRange bool) {
	text = strings.TrimSpace(text)
	if blanks := strings.NewReplacer("\u00a0", " ", "\u202f", " "); strings.Contains(text, "\u00a0") || strings.Contains(text, "\u202f") {
		if from, to, isRange = CutRange(blanks.Replace(text)); !isRange {
			from = text
		}
		return from, to, isRange
	}
	if halved, ok := ofHalf(text); ok {
		if from, to, isRange = CutRange(halved); !isRange {
			from = text
		}
		return from, to, isRange
	}
	if rest, letters, found := cutLetters(text); found && Abbreviated(letters) != nil { // 6-8 PM ET
		if from, to, isRange = CutRange(rest); isRange {
			return from, to + " " + letters, true
		}
		return text, "", false
	}
	const most = 5 // 2026-03-08-2026-03-09
	dashes := strings.Count(text, "-")
	if len(text) > 200 || dashes > most {
		return text, "", false
	}
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		lower = text
	}
	for _, s := range separators {
		before, after, found := cutAt(text, lower, s)
		if !found {
			continue
		}
		clock := s == " alle " || s == " às " // which stand before a time of day only
		if from, to, isRange = ends(before, after, clock); isRange {
			return from, to, true
		}
		if from, to, isRange = ends(unopened(before), after, clock); isRange {
			return from, to, true
		}
	}
	return cutDash(text, dashes)
}

// cutDash parts a range at the one of its dashes at which two times stand; those of dates and offsets are none.
func cutDash(text string, dashes int) (from, to string, isRange bool) {
	if dashes == 2 && !strings.ContainsAny(text, ":.") && strings.IndexFunc(text, isASCIILetter) < 0 {
		return text, "", false // 2026-03-08, at no expense
	}
	for i := range len(text) {
		if text[i] != '-' {
			continue
		}
		before, after := text[:i], text[i+1:]
		a, b, found := ends(before, after, false)
		switch {
		case !found:
		case isRange:
			return text, "", false // at two places
		case closing(after) == "" && isOffset(after) && dated(before) && (!toLater(text) || beginsISO(text)):
		case strings.Contains(firstWord(after), "-") && !dated(before): // 2-27-05-01 7 PM, a slip in one date
		default:
			from, to, isRange = a, b, true
		}
	}
	if !isRange {
		from = text
	}
	return from, to, isRange
}

// cutAt cuts a text at the one place where a separator stands in its lower case.
func cutAt(text, lower, separator string) (before, after string, found bool) {
	at := strings.Index(lower, separator)
	if at < 0 || strings.Contains(lower[at+len(separator):], separator) {
		return "", "", false
	}
	return text[:at], text[at+len(separator):], true
}

// unopened returns a text without the word that opens a range before its last time.
func unopened(text string) string {
	lower := strings.ToLower(text)
	for _, word := range openings {
		at := strings.LastIndex(lower, word)
		if len(lower) == len(text) && (at == 0 || at > 0 && text[at-1] == ' ') {
			return text[:at] + text[at+len(word):]
		}
	}
	return text
}

// ends makes two texts of what stands before and behind a separator, each of them a
// time by itself. clock says that a bare number can only be an hour.
func ends(before, after string, clock bool) (from, to string, ok bool) {
	from, to = strings.TrimSpace(before), strings.TrimSpace(after)
	if from == "" || to == "" {
		return "", "", false
	}
	if first, last, two := twoDays(from, to); two {
		return first, last, true
	}
	switch tail := closing(to); {
	case tail != "" && closing(from) == "" && endsInHour(from):
		from = shared(from, to, tail)
	case tail == "" && isHour(to) && isHour(lastWord(from)) && (clock || isLate(to) || isLate(lastWord(from))) && to <= "24":
		from, to = from+":00", to+":00" // 19-21
	case tail == "" && isHour(from) && strings.ContainsAny(to, ":.") && endsInHour(to) && !read(to, RangeEnd).HasDate: // 10-11:30
		from += ":00"
	case tail == "" && isHour(to) && !isHalf(closing(from)):
		to += ":00" // 19:00-21
	}
	a, b := read(from, ClockCell), read(to, RangeEnd)
	if !a.HasDate && !a.HasTime || !b.HasDate && !b.HasTime || !a.HasTime && !b.HasDate {
		return "", "", false
	}
	return from, to, true
}

// read reads a text in whatever order of its dates. One that is no time at all has
// neither a date nor a time, one with another fault has both.
func read(text string, where Where) Moment {
	var m Moment
	fault := m.ScanIn(where, text, DayFirst)
	if fault == WrongOrder || fault == NoSuchDay {
		fault = m.ScanIn(where, text, MonthFirst)
	}
	switch fault {
	case OK:
		return m
	case NotATime, BareNumber:
		return Moment{}
	}
	return Moment{HasDate: true, HasTime: true}
}

// shared returns the first time of a range with the word that is written behind the second
// alone: 7-9pm, 19-21 Uhr. Where both cannot be in one half of the day, the first is
// in the other: 11-2pm.
func shared(from, to, tail string) string {
	if !isHalf(tail) {
		if read(from, ClockCell).HasTime {
			return from // 19:30-21 Uhr
		}
		return from + " " + tail
	}
	if len(tail) == 1 {
		tail += "m" // 6-9p
	}
	same := from + " " + tail
	a, b := read(same, ClockCell), read(to, RangeEnd)
	switch {
	case !a.HasTime && read(from, ClockCell).HasTime: // 19:00-9pm
		return from
	case b.HasDate || a.clock24() <= b.clock24():
		return same
	case tail[0]|0x20 == 'p':
		return from + " am"
	}
	return from + " pm"
}

// closing is the word that a text ends with, where it stands behind a time of day.
func closing(text string) string {
	trimmed := strings.TrimRight(text, ".")
	at := len(trimmed)
	for at > 0 && (isASCIILetter(rune(trimmed[at-1])) || trimmed[at-1] == '.' || trimmed[at-1] >= utf8.RuneSelf) {
		at--
	}
	word := text[at:]
	if role := words()[composed(strings.TrimSuffix(word, "."))].role; isHalf(word) || role == afterClock || role == afterHours {
		return word
	}
	return ""
}

// isHalf reports whether a word is am, pm, a.m., p.m., or the p of 7p.
func isHalf(word string) bool {
	switch strings.ToLower(strings.ReplaceAll(word, ".", "")) {
	case "am", "pm", "a", "p":
		return true
	}
	return false
}

// endsInHour reports whether a text ends with 7 or 7:30.
func endsInHour(text string) bool {
	at := len(text)
	for at > 0 && (isDigit(text[at-1]) || text[at-1] == ':' || text[at-1] == '.') {
		at--
	}
	last := text[at:]
	return isHour(last) || len(last) > 3 && isHour(last[:len(last)-3])
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

func lastWord(text string) string { return text[strings.LastIndexByte(text, ' ')+1:] }

// isHour reports whether a text is an hour of one or two digits.
func isHour(text string) bool {
	_, end := upTo2(text, 0)
	return end > 0 && end == len(text)
}

// isOffset reports whether a text can be what follows the minus of an offset.
func isOffset(text string) bool {
	s := scanner{}
	if !s.cut("-" + text) {
		return false
	}
	n, fault := s.signed(0)
	return fault == NoSuchOffset || n > 0 && (n == s.n || s.at(n).kind == '(')
}

// toLater reports whether a text ends with an hour up to a later one of the same day: 10:00-12:00. Such an offset from
// UTC is written by programs, with seconds or a T.
func toLater(text string) bool {
	dash := strings.LastIndexByte(text, '-')
	if dash < 0 {
		return false
	}
	from, ok := hourAndMinute(text[strings.LastIndexAny(text[:dash], " ,")+1 : dash])
	to, also := hourAndMinute(text[dash+1:])
	return ok && also && from < to
}

// beginsISO reports whether a text begins as 2027-03-08 does, which programs write more often than people.
func beginsISO(text string) bool { return len(text) > 10 && text[4] == '-' && text[7] == '-' }

// hourAndMinute reads 9:30 in minutes.
func hourAndMinute(text string) (minutes int, ok bool) {
	hours, rest, _ := strings.Cut(text, ":")
	h, ok := digits(hours)
	m, also := digits(rest)
	return h*60 + m, ok && also && len(hours) <= 2 && len(rest) == 2 && h < 24 && m < 60
}

// dated reports whether a text begins with a date.
func dated(text string) bool {
	var m Moment
	_ = m.ScanIn(ClockCell, text, DayFirst)
	if !m.HasDate {
		_ = m.ScanIn(ClockCell, text, MonthFirst)
	}
	return m.HasDate
}

// EitherHalf reports whether a range of times of day without a date at its end is half a day
// long and more, so that the end may as well be in the other half of the day: 10:00-2:00.
func EitherHalf(start, end *Moment) bool {
	length := end.clock24() - start.clock24()
	return start.HasTime && end.HasTime && !end.HasDate && end.Hour%24 > 0 && length < 0 && length+86400 >= 43200
}

// CloseRange completes the ends of a range. An end without a date is on the day of the
// start, or on the next where its clock is before the start's; an offset that one of
// them has is the other's too.
func CloseRange(start, end *Moment) {
	if !start.HasDate && end.HasDate {
		start.Year, start.Month, start.Day, start.HasDate = end.Year, end.Month, end.Day, true
	}
	if !end.HasDate && start.HasDate {
		overnight := end.HasTime && end.clock24() < start.clock24()
		end.Year, end.Month, end.Day, end.HasDate = start.Year, start.Month, start.Day, true
		if overnight {
			end.move(86400)
		}
	}
	end.EndDay()
	start.Letters, end.Letters = cmp.Or(start.Letters, end.Letters), cmp.Or(end.Letters, start.Letters)
	switch {
	case start.HasOffset && !end.HasOffset && end.HasTime:
		end.Offset, end.HasOffset, end.Bare = start.Offset, true, start.Bare
	case end.HasOffset && !start.HasOffset && start.HasTime:
		start.Offset, start.HasOffset, start.Bare = end.Offset, true, end.Bare
	}
}
