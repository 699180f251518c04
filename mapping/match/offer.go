package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
)

// offers lists the zones in which the events may take place, the likeliest first: those that
// the headers of times have in brackets, those of the places that the file names, and where
// there is none that of the country whose language it is written in.
func (b zoning) offers() []Choice {
	var choices []Choice
	add := func(zone, why string) {
		if !slices.ContainsFunc(choices, func(c Choice) bool { return c.Value == zone }) {
			choices = append(choices, Choice{zone, why})
		}
	}
	for _, zone := range b.zonesSaid() {
		add(zone, "it stands in a header")
	}
	for _, p := range b.places() {
		add(p.zone, p.why)
	}
	if language, zone := b.language(); zone != "" && len(choices) == 0 {
		add(zone, "the file is in "+language)
	}
	return choices
}

// foundPlace is a zone that places of the file are in.
type foundPlace struct {
	zone, why string
	rows      int
}

// mostPlaces is how many zones of places are offered.
const mostPlaces = 5

// places lists the zones of the places that the rows name, those of most rows first.
func (b zoning) places() []foundPlace {
	var found []foundPlace
	for i := range b.all.columns {
		c := &b.all.columns[i]
		if !namesPlaces(c.header) {
			continue
		}
		for _, row := range b.all.sample {
			zone, ok := datetime.Place(row[i])
			if !ok {
				continue
			}
			at := slices.IndexFunc(found, func(p foundPlace) bool { return p.zone == zone })
			if at < 0 {
				at = len(found)
				found = append(found, foundPlace{zone: zone, why: quoted(shorten(row[i])) + " stands in " + quoted(c.header)})
			}
			found[at].rows++
		}
	}
	slices.SortStableFunc(found, func(x, y foundPlace) int { return y.rows - x.rows })
	return found[:min(len(found), mostPlaces)]
}

// namesPlaces reports whether the cells below a header say where an event is.
func namesPlaces(header string) bool {
	return slices.ContainsFunc(claimsOf(header), func(cl claim) bool {
		return slices.Contains([]semantic{typeVenue, typeStreet, typeCity, typeCountry}, cl.semantic) || cl.path() == "address"
	})
}

// homes are the zones in which most events of a language take place.
var homes = []struct{ language, zone string }{
	{"German", "Europe/Berlin"},
	{"French", "Europe/Paris"},
	{"Spanish", "Europe/Madrid"},
	{"Italian", "Europe/Rome"},
	{"Dutch", "Europe/Amsterdam"},
	{"Portuguese", "Europe/Lisbon"},
}

// How much the words of a language weigh, what those of a file need to weigh for it to be in
// that language, and how much more than those of any other language.
const (
	headerWeight = 2
	cellWeight   = 1
	leastWeight  = 4
	leastLead    = 2
)

// language returns the language that the headers and the first rows are in, and the zone of
// its home. English is at home in many zones: words of it count for nothing.
func (b zoning) language() (language, zone string) {
	weights := map[string]int{} // by word
	for _, row := range b.all.sample {
		for _, text := range row {
			for word := range strings.FieldsSeq(fold(text)) {
				weights[word] = cellWeight
			}
		}
	}
	for i := range b.all.columns {
		for word := range strings.FieldsSeq(fold(b.all.columns[i].header)) {
			weights[word] = headerWeight
		}
	}
	best, most, second := -1, 0, 0
	for i := range homes {
		n := 0
		for word := range words().lists["in "+homes[i].language] {
			n += weights[word]
		}
		switch {
		case n > most:
			best, most, second = i, n, most
		case n > second:
			second = n
		}
	}
	if most < leastWeight || most < second+leastLead {
		return "", ""
	}
	return homes[best].language, homes[best].zone
}
