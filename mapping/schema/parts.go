package schema

import (
	"strconv"
	"strings"
)

// checkParts refuses what would make an object that the service cannot take.
func (b *bodyWriter) checkParts() *Fault {
	for _, whole := range []ID{FieldGeoAddress, FieldCoordinate, FieldFeedbackEmail} {
		if b.at[whole] == 0 {
			continue
		}
		for id := whole + 1; id < fieldCount && Fields[id].Of == whole; id++ {
			if b.at[id] > 0 {
				return exclusive(whole, b.draft.Settings[b.at[id]-1].Field)
			}
		}
	}
	if (b.at[FieldLatitude] > 0) != (b.at[FieldLongitude] > 0) {
		return &Fault{CodeHalfCoordinate, "one of latitude and longitude is missing", "fill in both, or leave both blank"}
	}
	if b.at[FieldFeedbackDelay] > 0 && b.at[FieldFeedbackEnabled] == 0 {
		return &Fault{
			CodeDelayWithoutOn, "feedback_email.delay is filled in and feedback_email.enabled is blank",
			"fill in feedback_email.enabled too",
		}
	}
	return b.checkGeoParts()
}

func (b *bodyWriter) checkGeoParts() *Fault {
	variant := b.geoType()
	if at := b.at[FieldGeoType]; at > 0 {
		variant = b.draft.Settings[at-1].Text
	}
	if variant == "" {
		if b.at[FieldGeoDescription] > 0 {
			return &Fault{CodeIncompleteObject, "geo_address_json.description is filled in and place_id is blank", "fill in place_id too"}
		}
		return nil
	}
	for _, part := range geoParts {
		switch has := b.at[part.id] > 0; {
		case has && part.variant != variant:
			return &Fault{
				CodeExclusiveFields, part.id.Path() + " does not go with a location of type " + variant,
				"keep the parts of one kind of location",
			}
		case !has && part.required && part.variant == variant:
			return &Fault{
				CodeIncompleteObject, "a location of type " + variant + " needs " + part.id.Path(),
				"fill it in, or leave the whole location blank",
			}
		}
	}
	return nil
}

var geoParts = []struct {
	id       ID
	variant  string
	required bool
}{
	{FieldGeoAddressText, "manual", true},
	{FieldGeoPlaceID, "google", true},
	{FieldGeoQuery, "lookup", true},
	{FieldGeoDescription, "google", false},
}

func exclusive(a, b ID) *Fault {
	return &Fault{CodeExclusiveFields, a.Path() + " and " + b.Path() + " both say the same thing", "keep one of the two"}
}

// Columns gives by path the zero-based column that each field sent came from, -1
// where a constant or a default did. Paths are those that the service uses, and
// cover_file, which is sent as another.
func (d *Draft) Columns() map[string]int {
	columns := make(map[string]int, len(d.Settings))
	for i := range d.Settings {
		s := &d.Settings[i]
		if f := Fields[s.Field].Sent(); !f.Local || f.ID == FieldCoverFile {
			columns[f.Path] = s.Column
		}
	}
	return columns
}

// ColumnOf finds the column that a path in the service's answer came from.
// Columns names objects and their parts as the row gave them, the service names
// what it stumbled over, which may lie above or below: the field itself, else the
// nearest above (registration_questions.2.options), else the first part of it,
// else what it was made of.
func ColumnOf(columns map[string]int, path string) (field string, column int, ok bool) {
	path = strings.NewReplacer("[", ".", "]", "", "/", ".").Replace(strings.Trim(path, `."'/ `))
	for up := path; up != ""; {
		if column, ok := columns[up]; ok {
			return up, column, true
		}
		up = up[:max(0, strings.LastIndexByte(up, '.'))]
	}
	for i := range Fields {
		if below := Fields[i].Path; strings.HasPrefix(below, path+".") {
			if column, ok := columns[below]; ok {
				return below, column, true
			}
		}
	}
	if whole, _, part := strings.Cut(path, "."); part && path != "" {
		for i := range Fields {
			if Fields[i].Of == none || !strings.HasPrefix(Fields[i].Path, whole+".") {
				continue
			}
			if column, ok := columns[Fields[i].Path]; ok {
				return Fields[i].Path, column, true
			}
		}
	}
	if path == FieldCoverURL.Path() {
		return ColumnOf(columns, FieldCoverFile.Path()) // it was uploaded from there
	}
	return "", -1, false
}

func appendInstant(dst []byte, unixMilli int64) []byte {
	return strconv.AppendInt(dst, unixMilli, 10)
}
