package schema

import (
	"slices"
	"strconv"
	"strings"
)

// checkParts refuses what would make an object that the service cannot take.
func (b *bodyWriter) checkParts() *Fault {
	for _, whole := range b.draft.Resource.all {
		if whole.Kind != Object {
			continue
		}
		parts := whole.parts()
		if b.has(whole) {
			for i := range parts {
				if b.has(&parts[i]) {
					return exclusive(whole.ID, b.draft.Settings[b.at(parts[i].ID)-1].Field)
				}
			}
		}
		if whole.Record != nil {
			if fault := b.checkVariant(whole, parts); fault != nil {
				return fault
			}
		}
	}
	if b.draft.Resource != Events {
		return nil
	}
	if (b.at(FieldLatitude) > 0) != (b.at(FieldLongitude) > 0) {
		return &Fault{CodeHalfCoordinate, "one of latitude and longitude is missing", "fill in both, or leave both blank"}
	}
	if b.at(FieldFeedbackDelay) > 0 && b.at(FieldFeedbackEnabled) == 0 {
		return &Fault{
			CodeDelayWithoutOn, "feedback_email.delay is filled in and feedback_email.enabled is blank",
			"fill in feedback_email.enabled too",
		}
	}
	return nil
}

// variant returns the form of an object that its parts say or, where they do not, that
// only they have; empty where no part is required by one form alone.
func (b *bodyWriter) variant(whole *Field) string {
	if whole.Record == nil {
		return ""
	}
	parts, found := whole.parts(), ""
	for i := range parts {
		if !b.has(&parts[i]) {
			continue
		}
		name := parts[i].Member()[len(whole.Path)+1:]
		if name == whole.Record.By {
			return b.draft.Settings[b.at(parts[i].ID)-1].Text
		}
		if v := whole.Record.needing(name); found == "" && v != nil {
			found = v.Value
		}
	}
	return found
}

// needing returns the variant that requires the member.
func (r *Record) needing(name string) *Variant {
	for i := range r.Variants {
		if slices.ContainsFunc(r.Variants[i].Members, func(m Member) bool { return m.Name == name && m.Required }) {
			return &r.Variants[i]
		}
	}
	return nil
}

// checkVariant refuses parts that make no form of their object, and forms that lack
// a part.
func (b *bodyWriter) checkVariant(whole *Field, parts []Field) *Fault {
	chosen := b.variant(whole)
	v := slices.IndexFunc(whole.Record.Variants, func(v Variant) bool { return v.Value == chosen })
	for i := range parts {
		part := &parts[i]
		name := strings.TrimPrefix(part.Member(), whole.Path+".")
		if part.Sent() != part || name == whole.Record.By {
			continue
		}
		m := -1
		if v >= 0 {
			m = slices.IndexFunc(whole.Record.Variants[v].Members, func(m Member) bool { return m.Name == name })
		}
		switch has := b.has(part); {
		case has && chosen == "":
			needed := whole.Record.keyOf(name)
			return &Fault{CodeIncompleteObject, part.Path + " is filled in and " + needed + " is blank", "fill in " + needed + " too"}
		case has && m < 0:
			return &Fault{
				CodeExclusiveFields, part.Path + " does not go with " + whole.Record.Name + " of type " + chosen,
				"keep the parts of one kind of " + noun(whole.Record.Name),
			}
		case !has && m >= 0 && whole.Record.Variants[v].Members[m].Required:
			return &Fault{
				CodeIncompleteObject, whole.Record.Name + " of type " + chosen + " needs " + part.Path,
				"fill it in, or leave the whole " + noun(whole.Record.Name) + " blank",
			}
		}
	}
	return nil
}

// keyOf returns the member that the variant with this one cannot do without.
func (r *Record) keyOf(name string) string {
	for _, v := range r.Variants {
		if slices.ContainsFunc(v.Members, func(m Member) bool { return m.Name == name }) {
			return v.Members[slices.IndexFunc(v.Members, func(m Member) bool { return m.Required })].Name
		}
	}
	return r.By
}

// noun takes the article off the name of a record.
func noun(name string) string {
	_, n, _ := strings.Cut(name, " ")
	return n
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
