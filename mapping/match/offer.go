package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
)

// mostPlaces is how many zones of places are offered.
const mostPlaces = 5

// zonesOfPlaces are the zones of the places that the rows name, those of most rows first. What few of them name is a guess.
func (e *evidence) zonesOfPlaces() []testimony {
	var found []testimony
	rows, places, cities := map[string]int{}, 0, map[string]bool{}
	for i := range e.all.columns {
		c := &e.all.columns[i]
		if !namesPlaces(c.header) {
			continue
		}
		for _, row := range e.all.sample {
			if row[i] != "" {
				places++
			}
			zone, ok := datetime.Place(row[i])
			if !ok {
				continue
			}
			cities[zone] = cities[zone] || e.claims[i].semantic == typeCity
			if rows[zone]++; rows[zone] == 1 {
				found = append(found, testimony{likely, zone, quoted(shorten(row[i])) + " stands in " + quoted(c.header)})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y testimony) int { return rows[y.value] - rows[x.value] })
	for i := range found {
		if rows[found[i].value]*4 < places && !cities[found[i].value] { // a band or a bar may be called after a city
			found[i].weight = guess
		}
	}
	return found[:min(len(found), mostPlaces)]
}

// zoneOfLanguage is that in which most events of the file's language take place.
func (e *evidence) zoneOfLanguage() []testimony {
	language, zone := languageOf(e.all)
	if zone == "" {
		return nil
	}
	says := last
	if slices.Contains(abroad, language) {
		says = guess
	}
	return []testimony{{says, zone, "the file is in " + language}}
}

// namesPlaces reports whether the cells below a header say in which town an event is: a room may be called Halle.
func namesPlaces(header string) bool {
	return slices.ContainsFunc(claimsOf(header), func(cl claim) bool { return cl.path() == "address" && cl.semantic != typeRoom })
}

// homes are the zones in which most events of a language take place.
var homes = []struct{ language, zone string }{
	{"German", "Europe/Berlin"},
	{"French", "Europe/Paris"},
	{"Spanish", "Europe/Madrid"},
	{"Italian", "Europe/Rome"},
	{"Dutch", "Europe/Amsterdam"},
	{"Portuguese", "Europe/Lisbon"},
	{"Norwegian", "Europe/Oslo"},
	{"Danish", "Europe/Copenhagen"},
	{"Swedish", "Europe/Stockholm"},
}

// abroad are the languages in which many events take place far from there: the zone is no default, by which
// whoever presses Enter in Mexico would have all events eight hours off.
var abroad = []string{"French", "Spanish", "Portuguese", "Swedish"}

// How much the words of a language weigh, what those of a file need to weigh for it to be in
// that language, and how much more than those of any other language.
const (
	headerWeight = 2
	cellWeight   = 1
	leastWeight  = 4
	leastLead    = 2
)

// languageOf returns the language that the headers and the first rows are in, and the zone of
// its home. English is at home in many zones: words of it count for nothing.
func languageOf(all *Columns) (language, zone string) {
	weights := map[string]int{} // by word
	for _, row := range all.sample {
		for _, text := range row {
			for word := range strings.FieldsSeq(fold(text)) {
				weights[word] = cellWeight
			}
		}
	}
	for i := range all.columns {
		for word := range strings.FieldsSeq(fold(all.columns[i].header)) {
			weights[word] = headerWeight
		}
	}
	best, most, second := -1, 0, 0
	for i := range homes {
		n := 0
		for word := range listOf("in " + homes[i].language).set {
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
