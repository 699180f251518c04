package plan

import (
	"cmp"
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// place is a key within its calendar.
type place struct{ calendar, key string }

// idKey begins the key of a row that is named by the id of its event.
const idKey = "event_id:"

// slugKey begins the key of a row that is named by its slug.
const slugKey = "slug:"

// rowKey begins that of a row that is named by its name and start.
const rowKey = "row:"

// Key names a draft for good: its key column, else its event id, else its slug,
// else its name and start, so that a row without any of the three is still the
// same row when the file is imported again.
func Key(d *schema.Draft) string {
	switch {
	case d.Key != "":
		return d.Key
	case d.Text(catalog.FieldEventID) != "":
		return idKey + d.Text(catalog.FieldEventID)
	case d.Text(catalog.FieldSlug) != "":
		return slugKey + d.Text(catalog.FieldSlug)
	}
	start := ""
	if s := d.Get(catalog.FieldStartAt); s != nil {
		start = strconv.FormatInt(s.Instant, 10)
	}
	return rowKey + start + ":" + d.Text(catalog.FieldName)
}

// Keyed reports whether a key that [Key] gave is more than the name and start of its row.
func Keyed(key string) bool { return !strings.HasPrefix(key, rowKey) }

// newness says of a row that is made what is new: what the key that [Key] gave it was made of.
func newness(key string) string {
	switch {
	case !Keyed(key):
		return "the name and start are new"
	case strings.HasPrefix(key, slugKey):
		return "the slug is new"
	}
	return "the key is new"
}

// Title names a row to a person, by the key that [Key] gave it and its name, where that is known. What was made in the place
// of a key of its own is not shown: the name is, or the id, slug or name that it was made of.
func Title(key, name string) string {
	made := key
	if rest, of := strings.CutPrefix(key, rowKey); of {
		_, made, _ = strings.Cut(rest, ":")
	} else {
		made = strings.TrimPrefix(strings.TrimPrefix(key, slugKey), idKey)
	}
	if made != key || key == name {
		return cmp.Or(name, made)
	}
	return strings.TrimSpace(key + " " + name)
}

// recordKey names a record for good, within its calendar: by what it belongs to and by
// its own name, in any letter case.
//
// What was sent to invite somebody is no state of a record, so it is remembered beside it.
func recordKey(r *schema.Resource, does schema.Action, parent, name string) string {
	of := r.Name
	if does == schema.Invite {
		of = "invited " + of
	}
	return of + ":" + parent + ":" + strings.ToLower(name)
}
