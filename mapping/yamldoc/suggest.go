package yamldoc

import (
	"strings"
	"unicode/utf8"
)

// suggestion is the hint for an unknown key: the nearest known one, or all of them where few are.
func suggestion(key string, known []string) string {
	best, bestDistance := "", 1+max(1, utf8.RuneCountInString(key)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(key), strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	switch {
	case best != "":
		return "did you mean " + best + "?"
	case len(known) <= 12:
		return "known here: " + strings.Join(known, ", ")
	}
	return ""
}

// distance counts the letters to insert, drop, change or swap with their neighbour.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
