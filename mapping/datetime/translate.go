package datetime

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// scanTranslated reads a date in words of another language: 15. März 2027, 15 de
// marzo de 2027, 1er mai 2027 à 19h30. The words of one text are all of one language.
// Few files have such dates, so they are written in English first.
func (m *Moment) scanTranslated(s string, order Order, where Where) Fault {
	*m = Moment{}
	if len(s) > 100 {
		return NotATime
	}
	if short, dotted := strings.CutSuffix(s, "."); dotted && closing(short) != "" && !isHalf(closing(short)) {
		s = short // 20.15 u.
	}
	s = strings.TrimSuffix(strings.TrimSuffix(s, " r."), " roku") // 5 września 2027 r.
	s = composed(s)
	if strange(s) {
		return NotATime
	}
	return m.translated(s, order, where)
}

// translated is scanTranslated for a text that may be a time, in lower case.
func (m *Moment) translated(s string, order Order, where Where) Fault {
	t := translation{in: ^languages(0)}
	t.cut(s)
	open, said := t.spoken()
	if said {
		t.cut(t.String())
	}
	t.clock = t.clock || where >= ClockCell
	t.tuesday()
	if !t.translate(said) {
		return NotATime
	}
	fault := m.scanAny(t.english.String(), order, where)
	if fault == OK && open {
		fault = NeedsHalf
	}
	return fault
}

// strange reports whether a text has a word that no language has in a date or a time of day, as most texts have that are
// neither: to know it is quicker than to translate them.
func strange(s string) bool {
	for word := range strings.FieldsFuncSeq(s, partsWords) {
		if !isClockWord(word) && !partsOfWords()[word] {
			return true
		}
	}
	return false
}

// partsWords reports whether a rune stands between words.
func partsWords(r rune) bool { return !isWordRune(r) }

// partsOfWords are what the words of dates and times of day have between their hyphens and spaces, and those of sayings.
var partsOfWords = sync.OnceValue(func() map[string]bool {
	parts := map[string]bool{}
	add := func(s string) {
		for word := range strings.FieldsFuncSeq(s, partsWords) {
			parts[word] = true
		}
	}
	for word, means := range words() {
		add(word)
		add(means.article)
	}
	all, hours := sayings()
	for _, s := range all {
		for _, word := range s.words {
			add(word)
		}
	}
	for word := range hours {
		add(word)
	}
	return parts
})

// token is a word, a run of digits, or one other letter.
type token struct {
	text  string
	word  word // none where its role is 0
	digit bool
	space bool // stands before it
}

// translation writes a text in English.
type translation struct {
	tokens  []token
	in      languages // that all words so far are of
	clock   bool      // hours are of a time of day, not a length: a month is named, or the cell holds nothing else
	english strings.Builder
}

// cut makes tokens of a text in lower case.
func (t *translation) cut(s string) {
	space := false
	t.tokens, t.clock = make([]token, 0, 8), false // as many as most texts have
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		next := token{space: space, digit: r < utf8.RuneSelf && isDigit(byte(r))}
		switch {
		case unicode.IsSpace(r):
			space, s = true, s[size:]
			continue
		case next.digit:
			size = run(s, func(r rune) bool { return r >= '0' && r <= '9' })
		case isWordRune(r):
			size = run(s, isWordRune)
			for _, end := range []string{"-feira", "-dia", "-noite"} {
				if strings.HasPrefix(s[size:], end) || s[:size] == "meio" && strings.HasPrefix(s[size:], " "+end[1:]) {
					size += len(end)
				}
			}
		}
		next.text = s[:size]
		next.word = words()[strings.ReplaceAll(next.text, " ", "-")]
		t.clock = t.clock || next.word.role == monthName || next.word.role == beforeClock && len(t.tokens) >= 5 // 4/9/2027 à 19h
		t.tokens = append(t.tokens, next)
		space, s = false, s[size:]
	}
}

// tuesday takes mar for the weekday, not for the month that it is in other languages,
// where it stands first and a whole date follows.
func (t *translation) tuesday() {
	if t.at(0).text != "mar" {
		return
	}
	month := func(next token) bool { return next.word.role == monthName }
	i := 1
	for t.at(i).text == "." || t.at(i).text == "," {
		i++
	}
	numbers := t.at(i).digit && t.at(i+2).digit && t.at(i+4).digit
	if numbers && t.at(i+1).text == t.at(i+3).text || slices.ContainsFunc(t.tokens[1:], month) {
		t.tokens[0].word = word{role: weekdayName, n: 2, in: words()["martes"].in | words()["mardi"].in | words()["martedì"].in}
	}
}

// isWordRune reports whether a rune is a letter of a word. The sign of an ordinal is none here.
func isWordRune(r rune) bool { return unicode.IsLetter(r) && r != 'º' }

func run(s string, of func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !of(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// at is the token at i, one without text where there is none.
func (t *translation) at(i int) token {
	if i < 0 || i >= len(t.tokens) {
		return token{}
	}
	return t.tokens[i]
}

// plain reports whether there is no word to translate.
func (t *translation) plain() bool {
	return !slices.ContainsFunc(t.tokens, func(next token) bool { return next.word.role != 0 })
}

// translate reports whether there is a word to translate and none that is not known.
func (t *translation) translate(said bool) bool {
	if !said && t.plain() {
		return false
	}
	for i := 0; i < len(t.tokens); {
		next := t.tokens[i]
		if t.in &= next.language(); t.in == 0 {
			return false
		}
		if next.space {
			t.english.WriteByte(' ')
		}
		n, ok := t.write(i)
		if !ok {
			return false
		}
		i += n
	}
	return true
}

// language is those that a token may be of: any, for what is no word.
func (t *token) language() languages {
	if t.word.role == 0 || isClockWord(t.text) {
		return ^languages(0)
	}
	return t.word.in
}

// write writes the token at i and tells how many tokens that are.
func (t *translation) write(i int) (n int, ok bool) {
	next, before := t.tokens[i], t.at(i-1)
	switch next.word.role {
	case monthName:
		t.english.WriteString(monthNames[next.word.n])
		return 1, true
	case clockName:
		t.english.WriteString(clockNames[next.word.n])
		return 1, true
	case weekdayName:
		t.english.WriteString(weekdayNames[next.word.n])
		return 1, true
	case ofMonth:
		if before.text == "." {
			before = t.at(i - 2)
		}
		return 1, before.digit || before.word.role == ordinal || before.word.role == monthName
	case ordinal:
		return 1, before.text == "1" && !next.space
	case beforeClock:
		return t.writeAt(i)
	case beforeDay:
		after := t.at(i + 1)
		if before.text == "," || before.text == "." {
			before = t.at(i - 2)
		}
		if (i == 0 || before.word.role == weekdayName) && (after.digit || after.word.role == weekdayName) {
			return 1, true
		}
		t.english.WriteString(next.text) // 7 am
		return 1, isClockWord(next.text)
	case afterClock, afterHours: // of a clock with minutes: the others are read with their hour
		if after := t.at(i + 1); after.digit && !after.space {
			return 0, false // 125Uhr7 is not 1257
		}
		return 1, before.digit && t.closes(next.word) && (t.at(i-2).text == ":" || i == 1 && len(before.text) >= 3) && !t.goesOn(i+1)
	}
	if next.digit {
		return t.writeDigits(i)
	}
	if r, _ := utf8.DecodeRuneInString(next.text); isWordRune(r) && !isClockWord(next.text) {
		return 0, false
	}
	t.english.WriteString(next.text)
	return 1, true
}

// isClockWord reports whether a word can stand behind a time in any language.
func isClockWord(s string) bool {
	switch s {
	case "am", "pm", "p", "m", "z", "utc", "gmt", "t":
		return true
	}
	return false
}

// writeAt writes what stands before a time. The a of Spanish is one with its
// article; without it, it is that of a. m.
func (t *translation) writeAt(i int) (n int, ok bool) {
	next, n := t.tokens[i], 1
	if next.word.article != "" {
		if t.at(i+1).text != next.word.article {
			t.english.WriteString(next.text)
			return 1, t.at(i-1).digit && t.at(i+1).text == "."
		}
		n = 2
	}
	if t.at(i+n).word.role == beforeClock { // alle ore
		n++
	}
	if t.at(i+n).text == "." && next.word.article == "" { // kl. 18.00
		n++
	}
	t.english.WriteString("at ")
	return n, t.at(i+n).digit || t.at(i+n).word.role == clockName
}

// writeDigits writes the hour of 19 Uhr, 19 Uhr 30 and 19.30 Uhr as a clock shows it,
// any other digits as they stand.
func (t *translation) writeDigits(i int) (n int, ok bool) {
	hour, dot, minute := t.tokens[i], t.at(i+1), t.at(i+2)
	t.english.WriteString(hour.text)
	if len(hour.text) > 2 || t.at(i-1).text == ":" {
		return 1, true
	}
	if dot.text == "." && !dot.space && minute.digit && !minute.space && len(minute.text) == 2 &&
		(t.at(i-1).word.role == beforeClock || t.closes(t.at(i+3).word)) {
		t.english.WriteString(":" + minute.text)
		if t.closes(t.at(i + 3).word) {
			t.in &= t.at(i + 3).word.in
			return 4, t.in != 0 && !t.goesOn(i+4)
		}
		return 3, true
	}
	if !t.closes(dot.word) {
		if t.opened(i) && isLate(hour.text) && dot.text != ":" && dot.text != "." {
			t.english.WriteString(":00") // alle 19
		}
		return 1, true
	}
	t.in &= dot.word.in
	if minute.digit && len(minute.text) == 2 {
		t.english.WriteString(":" + minute.text)
		return 3, t.in != 0 && !t.goesOn(i+3)
	}
	t.english.WriteString(":00")
	return 2, t.in != 0 && !t.goesOn(i+2) && (dot.word.n == 0 || isLate(hour.text)) // 2 horas are a length
}

// opened reports whether before the token at i stands a word that an hour may follow alone.
func (t *translation) opened(i int) bool {
	before, first := t.at(i-1), t.at(i-2).word
	return before.word.role == beforeClock && before.word.n == 1 || first.article != "" && first.article == before.text
}

// isLate reports whether an hour is one of the afternoon, so that it is no hour of a clock
// with two halves, and no usual length.
func isLate(hour string) bool { return len(hour) == 2 && hour > "12" }

// MaybeLength reports whether a text that is a time of day may as well say how long
// something takes: 2h, 1h30.
func MaybeLength(text string) bool {
	var t translation
	t.cut(composed(text))
	for i := range t.tokens {
		if t.at(i).word.role == afterHours && t.at(i-1).digit {
			return true
		}
	}
	return false
}

// goesOn reports whether a number goes on behind the word that closes a time of day:
// 19h:12, in which the 12 are no seconds. A point or comma with a space ends the time; a
// colon does not.
func (t *translation) goesOn(i int) bool {
	mark, digits := t.at(i), t.at(i+1)
	return digits.digit && (mark.text == ":" || (mark.text == "." || mark.text == ",") && !mark.space && !digits.space)
}

// closes reports whether a word stands behind a time of day.
func (t *translation) closes(w word) bool {
	return w.role == afterClock || w.role == afterHours && t.clock
}
