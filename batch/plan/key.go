package plan

import (
	"strconv"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

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
		return "event_id:" + d.Text(catalog.FieldEventID)
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
