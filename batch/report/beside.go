package report

import "strings"

// Beside prints a list beside a heading of so many places. On a terminal a list that is wider
// goes on below its beginning; a part of it is broken only where it is wider than a line.
func (s *Screen) Beside(heading string, places int, parts []string) {
	const gap = "   "
	room := max(s.width()-1-places, 20)
	var lines []string
	line := ""
	for _, part := range parts {
		switch {
		case line == "":
			line = part
		case visible(line)+len(gap)+visible(part) <= room:
			line += gap + part
		default:
			lines = append(lines, wrapFlat(line, room)...)
			line = part
		}
	}
	start := heading + strings.Repeat(" ", max(0, places-visible(heading)))
	for _, line := range append(lines, wrapFlat(line, room)...) {
		s.Printf("%s\n", strings.TrimRight(start+line, " "))
		start = strings.Repeat(" ", places)
	}
}
