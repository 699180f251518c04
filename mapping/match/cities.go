package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
)

// cities returns the column whose texts name places of several zones, of which each row has its own; nil where there is none.
func (b zoneStep) cities() (found *column) {
	most := 0
	for i := range b.all.columns {
		c := &b.all.columns[i]
		if c.header == "" || c.twice || c.many || !namesPlaces(c.header) {
			continue
		}
		named, zones := 0, zonesOf(c)
		for _, text := range c.distinct {
			if _, ok := datetime.Place(text); ok {
				named += c.times[text]
			}
		}
		if len(zones) > 1 && named*4 >= c.filled*3 && named > most { // of others one may be called after a city
			found, most = c, named
		}
	}
	return found
}

// zonesOf returns the zones of the places that the texts of a column name, each once.
func zonesOf(c *column) (zones []string) {
	for _, text := range c.distinct {
		if zone, ok := datetime.Place(text); ok && !slices.Contains(zones, zone) {
			zones = append(zones, zone)
		}
	}
	return zones
}

// zonesByCity asks whether the rows go by the clocks of their places, which are in several zones.
func (b zoneStep) zonesByCity(c *column) bool {
	q := Question{
		ID: "timezone.column", Text: "are the times of each row those of its place in " + quoted(c.header) + "?",
		Why: "the places are in different time zones: " + strings.Join(zonesOf(c), ", "),
		Choices: []Choice{
			{c.header, "each row has the time zone of its place"}, {None, "all rows have one time zone"},
		},
	}
	answer, answered := b.ask(q, c)
	if answered && answer == c.header {
		b.zoneColumn(c, Line{Basis: ByAnswer, Reason: "answered"})
		return true
	}
	return false
}

// sureZone returns the zone that a text of a column means without doubt: letters of one zone, or a place, where the column
// of countries has its country, or all others of its column are on the same continent.
func (b zoneStep) sureZone(c *column, text string) (zone string, sure bool) {
	if zone, sure = datetime.ZoneOf(text); !sure || !namesPlaces(c.header) {
		country := func(v string) bool { return len(v) == 2 && datetime.Abbreviated(v) == nil } // beside FR, PT is Portugal
		return zone, sure && datetime.Abbreviated(text) != nil && (len(text) > 2 || !slices.ContainsFunc(c.distinct, country))
	}
	region, _, _ := strings.Cut(zone, "/")
	if !slices.ContainsFunc(zonesOf(c), func(other string) bool { return !strings.HasPrefix(other, region+"/") }) {
		return zone, true
	}
	for i, cl := range b.claims {
		if cl.semantic != typeCountry {
			continue
		}
		for _, row := range b.all.sample {
			of, _ := datetime.FindZones(row[i])
			if row[c.index] == text && slices.Contains(of, zone) {
				return zone, true
			}
		}
	}
	return "", false
}
