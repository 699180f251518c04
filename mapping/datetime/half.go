package datetime

import "strings"

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
	text = strings.TrimSpace(text)
	_, minutes, _ := strings.Cut(text, ":")
	seconds := len(minutes) > 2 && minutes[2] == ':'
	return m.HasTime && m.Hour >= 1 && m.Hour <= 11 && !m.HasOffset && text != "" && isDigit(text[len(text)-1]) &&
		!seconds && !SaysHalf(text) && !new(Moment).scanISO(text)
}
