package datetime

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"eventbatch/mapping/spelling"
)

// FindZones returns the zones that a person may mean by a text, the likeliest first: by the
// name of a zone, of Windows too, a city, a country in seven languages or its code, an
// abbreviation such as CET, or an offset such as UTC+1, which is a zone of its own without
// summer time and the first of those that are as far from UTC in winter. A text that is none
// of these is taken for the beginning of one, and at last for a misspelling. Named reports
// whether the text is the whole name of a zone or a place.
func FindZones(text string) (zones []string, named bool) {
	text = strings.TrimSpace(text)
	t, p := zoneNames(), places()
	if name := t.named(text); name != "" {
		return []string{name}, true
	}
	if off, ok := parseOffset(text); ok {
		return off.zones(), false
	}
	if strings.Contains(text, "/") {
		return t.nearest(text), false
	}
	if zones = Abbreviated(text); len(zones) > 0 {
		return zones, false
	}
	if zones = p.named(text); len(zones) > 0 {
		return zones, true
	}
	word := spelling.Bare(text)
	if zones = p.beginning(word); len(zones) == 0 {
		zones = t.nearest(text)
	}
	if len(zones) == 0 {
		zones = p.misspelt(word)
	}
	return zones, false
}

// Abbreviated returns the zones that an abbreviation such as CET may mean.
func Abbreviated(text string) []string {
	return zoneNames().meant[strings.ToUpper(strings.TrimSpace(text))]
}

// ZoneOf returns the zone that the letters behind a time mean, where they mean one: ET is America/New_York, and AEST may be
// any of three.
func ZoneOf(letters string) (zone string, ok bool) {
	if letters == "" || letters == "UTC" {
		return letters, letters != ""
	}
	if zones := Abbreviated(letters); len(zones) > 0 {
		return zones[0], len(zones) == 1
	}
	return Place(letters)
}

// Place returns the zone of the city, or of the country of one zone, that a text names in
// full. A text of several parts, such as an address, is the place of its last part that
// names one.
func Place(text string) (zone string, ok bool) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;\n/()·", r) })
	for _, part := range slices.Backward(parts) {
		if word := withoutCode(spelling.Bare(part)); len(word) > 3 {
			if zones := places().zones[word]; len(zones) == 1 {
				return zones[0], true
			}
		}
	}
	return "", false
}

// withoutCode drops the postcode before a town: 1010 Wien, A-1010 Wien.
func withoutCode(bare string) string {
	for {
		first, rest, more := strings.Cut(bare, " ")
		if !more || len(first) > 1 && !isDigit(first[0]) || first == "" {
			return bare
		}
		bare = rest
	}
}

//go:embed places.txt
var placeText string

// placeTable is what places.txt holds, with the cities that zones are called after.
type placeTable struct {
	zones map[string][]string // by the name of a place, bare
	words []string            // those names, sorted
}

var places = sync.OnceValue(func() *placeTable {
	about := strings.Count(placeText, ",") + len(zoneNames().all) // places: a map that grows is made again and again
	p, old := &placeTable{zones: make(map[string][]string, about)}, map[string]bool{}
	var countries []string // put behind the cities of the same names
	for line := range strings.Lines(strings.ReplaceAll(placeText, "\n  ", " ")) {
		head, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case head == "" || head[0] == '#':
		case head[0] == '-':
			for name := range strings.FieldsSeq(head[1:]) {
				old[name] = true
			}
		case len(head) > 2 && head[2] == ' ':
			countries = append(countries, line)
		default:
			p.add([]string{head}, names)
		}
	}
	for _, name := range zoneNames().all {
		if region, _, _ := strings.Cut(name, "/"); !old[name] && region != "Etc" && name != "UTC" {
			p.add([]string{name}, name[strings.LastIndexByte(name, '/')+1:])
		}
	}
	for _, line := range countries {
		head, names, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		code, zones, _ := strings.Cut(head, " ")
		p.add(strings.Fields(zones), code+", "+names)
	}
	for word := range p.zones {
		p.words = append(p.words, word)
	}
	slices.Sort(p.words)
	return p
})

func (p *placeTable) add(zones []string, names string) {
	for name := range strings.SplitSeq(names, ", ") {
		word := spelling.Bare(name)
		if others, twice := p.zones[word]; twice {
			p.zones[word] = union(others, zones)
		} else {
			p.zones[word] = zones
		}
	}
}

// named returns the zones of the place that a text names. Of "Paris, France" each part is one,
// and the zones are those of both.
func (p *placeTable) named(text string) []string {
	if zones := p.zones[spelling.Bare(text)]; zones != nil {
		return zones
	}
	outer, inner, found := strings.Cut(strings.TrimRight(text, ") "), ",")
	if !found {
		if outer, inner, found = strings.Cut(outer, "("); !found {
			return nil
		}
	}
	zones, others := p.zones[spelling.Bare(outer)], p.zones[spelling.Bare(inner)]
	both := slices.DeleteFunc(slices.Clone(zones), func(z string) bool { return !slices.Contains(others, z) })
	if len(both) > 0 {
		return both
	}
	return zones
}

// mostBegun is how many zones a beginning may have: more are none that helps.
const mostBegun = 9

// beginning returns the zones of the places whose names begin so.
func (p *placeTable) beginning(word string) []string {
	if len(word) < 3 {
		return nil
	}
	var found []string
	for i, _ := slices.BinarySearch(p.words, word); i < len(p.words) && strings.HasPrefix(p.words[i], word); i++ {
		if found = union(found, p.zones[p.words[i]]); len(found) > mostBegun {
			return nil
		}
	}
	return found
}

// misspelt returns the zones of the place of the same first letters that a word is near to.
func (p *placeTable) misspelt(word string) []string {
	if len(word) < 5 {
		return nil
	}
	from, _ := slices.BinarySearch(p.words, word[:2])
	to := from
	for to < len(p.words) && strings.HasPrefix(p.words[to], word[:2]) {
		to++
	}
	return p.zones[spelling.Nearest(word, p.words[from:to])]
}

// union appends to a list what it lacks.
func union(list, more []string) []string {
	for _, name := range more {
		if !slices.Contains(list, name) {
			list = append(slices.Clip(list), name)
		}
	}
	return list
}
