package fix

import (
	"errors"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// addresses returns the columns that hold addresses of events.
func addresses(columns []Columns) []*Columns {
	var list []*Columns
	for i := range columns {
		if id := columns[i].Field.ID; id == catalog.FieldAddress || id == catalog.FieldGeoAddressText {
			list = append(list, &columns[i])
		}
	}
	return list
}

// places has the row name the place that its address means, in place of the address: an event
// has one of the two.
func (r *rowFixer) places() error {
	for _, f := range addresses(r.Columns) {
		setting := r.Draft.Get(f.Field.ID)
		if setting == nil || setting.State != schema.Set {
			continue
		}
		switch found, asked := r.rules.Places[strings.TrimSpace(setting.Text)]; {
		case !asked:
		case found.ID == "":
			r.leave(f.At[0], found.Why)
		case f.Worked:
			return failure.New(
				failure.Usage, errors.New("--places: the mapping makes the address of other words or columns"),
				"name the places in a column place_id",
			)
		default:
			if err := r.name(found.ID); err != nil {
				return err
			}
			r.put(f.At[0], rulePlaces, f.Field.Path, "", cellOf(""))
		}
	}
	return nil
}

// name puts the id of a place into its column, a new one where the sheet has none.
func (r *rowFixer) name(id string) error {
	path := catalog.Path(catalog.FieldPlaceID)
	if r.place < 0 {
		for _, field := range []schema.ID{catalog.FieldPlaceID, catalog.FieldGeoPlaceID} {
			if columns := r.of(catalog.Field(field)); columns != nil {
				r.place = columns.At[0]
			}
		}
	}
	var head []Edit
	if r.place < 0 {
		var ok bool
		if r.place, ok = r.add(); !ok {
			return failure.New(
				failure.Usage, errors.New("--places: the mapping reads no column for place_id"),
				"add place_id to its columns, and to the file",
			)
		}
		head = []Edit{r.head(rulePlaces, path, r.place)}
	}
	r.put(r.place, rulePlaces, path, id, cellOf(id))
	r.edits = append(head, r.edits...) // once the cell of the same column is put
	return nil
}
