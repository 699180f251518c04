package mapping

import (
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/richtext"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// What programs write into the cells of events, however these come in. A row that names an event of the service
// says what the service has, and stays as it is.

// plainText returns the text of a cell for a field, without what programs write there: HTML in descriptions and
// names, entities everywhere. A column that the mapping calls HTML becomes Markdown.
func (w *fields) plainText(f *feed, column int, text string) (string, bool) {
	if f.html {
		return w.markdown(f, column, text)
	}
	switch f.field.ID {
	case catalog.FieldName, catalog.FieldAddress, catalog.FieldDescriptionMD:
	default:
		return text, true
	}
	if strings.IndexByte(text, '<') < 0 && strings.IndexByte(text, '&') < 0 || w.draft.Has(catalog.FieldEventID) {
		return text, true // two searches, each of which is faster than one for either
	}
	if f.field.ID != catalog.FieldDescriptionMD {
		return richtext.Line(text), true
	}
	converted, err := w.html.Foreign(text)
	if err != nil {
		return w.markdown(f, column, text) // which says why it cannot be converted
	}
	return converted, true
}

// otherLink warns of a link of which nothing says that guests join by it: it may be the event's page elsewhere.
func (w *fields) otherLink(f *feed, column int, text string) {
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeOtherLink, Field: f.field.Path, Place: w.placeOf(column), Value: text,
		Message: quoted(text) + " is no link of a known program for meetings, and is left behind",
		Hint:    "name the column meeting_url, or feed it in a mapping, if guests join by these links",
	})
}

// placeLink makes a link that stands in the place of an event the one to join by: an address is printed for everybody.
func (w *fields) placeLink() {
	d := w.draft
	s := d.Get(catalog.FieldAddress)
	if s == nil || !d.Resource.Keyed() || d.Has(catalog.FieldEventID) || !strings.Contains(s.Text, "://") {
		return
	}
	place, link := value.CutLink(s.Text)
	if link == "" {
		return
	}
	column, other := s.Column, d.Get(catalog.FieldMeetingURL)
	if other != nil && other.Text != link {
		w.problems = append(w.problems, schema.Problem{
			Code: schema.CodeExclusiveFields, Field: catalog.Path(catalog.FieldAddress), Place: w.placeOf(column), Value: s.Text,
			Message: "the place is a link to join by, and meeting_url has another one", Hint: "keep one of the two",
		})
		return
	}
	if s.Text = place; place == "" {
		d.Drop(catalog.FieldAddress)
	}
	if other == nil {
		meeting := d.Next()
		if fault := value.Parse(catalog.Field(catalog.FieldMeetingURL), meeting, link); fault != nil {
			w.fault(catalog.Field(catalog.FieldAddress), column, link, fault)
			return
		}
		meeting.Column = column
		d.Take()
	}
}
