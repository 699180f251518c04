package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/mapfile"
)

// placeStep infers where events are.
type placeStep struct{ *builder }

// placeRoles are the parts of an address in the order in which it is written.
var placeRoles = []semantic{typeRoom, typeVenue, typeStreet, typePostcode, typeCity, typeRegion, typeCountry}

// place finds where events are.
func (b placeStep) place() {
	b.point()
	var parts []candidate
	for _, r := range placeRoles {
		found := surest(b.having(r))
		if r == typeVenue && len(found) == 2 {
			found = b.townToo(found)
		}
		switch {
		case len(found) == 1 && found[0].sure():
			parts = append(parts, found[0])
		case len(found) > 0:
			chosen, ok := b.choose("address", "which column says where the event is?", optionsOf(found), false)
			if !ok {
				b.hold(placeRoles...)
				return
			}
			parts = append(parts, candidate{chosen.columns[0], claim{semantic: r, basis: ByAnswer}})
		}
	}
	parts = b.without(parts)
	if len(parts) == 0 || len(parts) == 1 && slices.Contains([]semantic{typeCountry, typeRegion, typePostcode}, parts[0].semantic) {
		b.leave("it is not an address by itself", placeRoles...)
		return
	}
	b.address(parts)
	b.leave("another column says where the event is", placeRoles...)
}

// townToo takes a column called Ort for the town where another one has the venue.
func (b placeStep) townToo(found []candidate) []candidate {
	for i := range found {
		if other := found[1-i]; found[i].word == "ort" && other.word != "ort" {
			found[i].semantic = typeCity
			b.claims[found[i].index] = found[i].claim
			return []candidate{other}
		}
	}
	return found
}

// without drops the parts that others already have in them.
func (b placeStep) without(parts []candidate) []candidate {
	var kept []candidate
	for i, p := range parts {
		whole := -1
		for k, other := range parts {
			if k != i && b.contains(other.column, p.column) && !(k > i && b.contains(p.column, other.column)) {
				whole = k
			}
		}
		if whole < 0 {
			kept = append(kept, p)
			continue
		}
		b.ignore(p.column, "it stands in "+quoted(parts[whole].header)+" already")
	}
	return kept
}

// contains reports whether the texts of a column stand in those of another.
func (b placeStep) contains(whole, part *column) bool {
	rows, same := 0, 0
	for _, row := range b.all.sample {
		if row[part.index] == "" {
			continue
		}
		rows++
		if strings.Contains(strings.ToLower(row[whole.index]), strings.ToLower(row[part.index])) {
			same++
		}
	}
	return rows > 0 && same*5 >= rows*4
}

func (b placeStep) address(parts []candidate) {
	columns := make([]*column, len(parts))
	line := Line{Basis: ByPath}
	reasons := make([]string, len(parts))
	for i := range parts {
		columns[i] = parts[i].column
		l := reasonOf(&parts[i])
		reasons[i] = l.Reason
		if i == 0 || parts[i].rank() > 0 && (line.Basis == ByPath || l.Score > 0 && l.Score < line.Score) {
			line.Basis, line.Score = l.Basis, l.Score
		}
		if columns[i].counts[valueURL] > 0 {
			b.linked = append(b.linked, columns[i])
		}
	}
	c := mapfile.Column{From: names(columns)}
	line.Reason = reasons[0]
	if len(parts) > 1 {
		c.Join = new(", ")
		line.Reason = "the parts of the address"
	}
	if len(b.linked) > 0 {
		c = mapfile.Column{Expr: b.unlinked(columns)}
		line.Reason += ", without the cells that are links"
	}
	b.set("address", c, line, columns...)
}

// isLink is an expression that tells whether the cell of a column is a link to join by: one to a map only says where.
func isLink(c *column) string {
	return whole(c) + ` matches "(?i)^https?://\\S+$" and not (` + whole(c) + ` matches "(?i)[/.]maps?[/.]|openstreetmap")`
}

// unlinked is the expression of an address of which some cells are links to join by.
func (b placeStep) unlinked(columns []*column) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		if parts[i] = whole(c); slices.Contains(b.linked, c) {
			parts[i] = isLink(c) + ` ? "" : ` + whole(c)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return `join(filter([` + strings.Join(parts, ", ") + `], # != ""), ", ")`
}

// point finds the latitude with the longitude. One without the other is nothing.
func (b placeStep) point() {
	north, east := surest(b.having(typeLatitude)), surest(b.having(typeLongitude))
	if len(north) == 1 && len(east) == 1 && north[0].sure() && east[0].sure() {
		for path, s := range map[string]*candidate{"coordinate.latitude": &north[0], "coordinate.longitude": &east[0]} {
			line := reasonOf(s)
			b.set(path, mapfile.Column{From: mapfile.Names{s.header}}, line, s.column)
		}
		return
	}
	if both := surest(b.having(typePoint)); len(both) == 1 && !both[0].blank() && both[0].sure() {
		c := both[0].column
		for i, path := range []string{"coordinate.latitude", "coordinate.longitude"} {
			half := `trim(split(` + whole(c) + `, ",")[` + []string{"0", "1"}[i] + `])`
			line := reasonOf(&both[0])
			b.set(path, mapfile.Column{Expr: `not (` + whole(c) + ` contains ",") ? "" : ` + half}, line, c)
		}
	}
	b.leave("a latitude needs its longitude", typeLatitude, typeLongitude, typePoint)
}
