package fix

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// PlaceOf returns the place that an address means, of what the service has answered to a search for it: the only one that
// was found, or the only one that is called so.
func PlaceOf(address string, answer []byte) Place {
	type place struct {
		ID      string `json:"place_id"`
		Name    string `json:"name"`
		Address string `json:"address"`
		Full    string `json:"full_address"`
	}
	var list struct{ Entries []place }
	_ = json.Unmarshal(answer, &list) // what cannot be read has found nothing
	var all, alike []Place
	var names []string
	for _, p := range list.Entries {
		if p.ID == "" {
			continue
		}
		found := Place{p.ID, cmp.Or(p.Full, p.Address, p.Name, "a place without a name") + " (" + p.ID + ")"}
		all, names = append(all, found), append(names, found.Why)
		if slices.ContainsFunc([]string{p.Full, p.Address, p.Name}, func(name string) bool { return strings.EqualFold(name, address) }) {
			alike = append(alike, found)
		}
	}
	switch {
	case len(alike) == 1:
		return alike[0]
	case len(all) == 1:
		return all[0]
	case len(all) == 0:
		return Place{Why: "no place was found"}
	}
	return Place{Why: "several places may be meant: " + strings.Join(names, "; ")}
}

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
			r.put(f.At[0], rulePlaces, f.Field.Path, "", sheet.TextOut(""))
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
	r.put(r.place, rulePlaces, path, id, sheet.TextOut(id))
	r.edits = append(head, r.edits...) // once the cell of the same column is put
	return nil
}
