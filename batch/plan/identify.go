package plan

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// identify fills in which record the row is about, as far as the row and those above it say. It reports whether the
// row goes further.
func (r *row) identify() (further bool) {
	switch of := r.d.Resource; {
	case of.Keyed():
		return r.keyed()
	case of.Cell != nil:
		return r.item()
	default:
		return r.named()
	}
}

// keyed identifies a record by the key of its row, whatever its name.
func (r *row) keyed() (further bool) {
	op, d := r.op, r.d
	op.Event = Event{
		Calendar: d.Calendar,
		ID:       d.Value(d.Resource.ID),
		Slug:     d.Value(d.Resource.Slug),
		Name:     d.Text(schema.FieldName),
	}
	if start := d.Get(schema.FieldStartAt); start != nil {
		op.Event.StartAt, op.Event.Zone = start.Instant, zone(d, start)
	}
	if !r.calendar() {
		return false
	}
	op.Event.Key = Key(d)
	return !r.secondKey()
}

// zone names the zone in which the event starts: the row's, else the offset that its
// start is written with.
func zone(d *schema.Draft, start *schema.Setting) string {
	if name := d.Text(schema.FieldTimezone); name != "" {
		return name
	}
	if i := strings.LastIndexAny(start.Text, "+-"); i > len("2006-01-02") {
		return start.Text[i:]
	}
	return ""
}

// named identifies a record by what it belongs to, and its own name.
func (r *row) named() (further bool) {
	op, d := r.op, r.d
	of := d.Resource
	op.Resource, op.Event.Name = of.Name, cmp.Or(d.Name(), d.Value(of.ID))
	event, further := r.home()
	if !further {
		return false
	}
	name := op.Event.Name
	if of.Or != "" {
		name = cmp.Or(of.Likeness(d), name)
	}
	isNew := event != nil && event.action == Create // and none of what its export said is there
	if d.Untouched() && (d.Action == schema.Upsert || d.Action == schema.Update) && !isNew {
		if op.Event.Key = recordKey(of, d.Action, d.Value(of.Parent), name); !r.secondKey() {
			r.unchanged(asExported)
		}
		return false
	}
	if d.Imply(); !r.parent(event) {
		return false
	}
	op.Event.Key = recordKey(of, d.Action, op.within(), name) // of a new event until that has an id
	return !r.secondKey() && !r.secondAlike()
}

// item identifies a record that has no rows of its own, such as one tag of an event: a call makes it or takes it
// away without a word about the others of its cell.
func (r *row) item() (further bool) {
	op, d := r.op, r.d
	each := d.Resource
	if op.Resource = each.Name; !r.calendar() {
		return false
	}
	op.Event.Parent, op.Event.Name = d.Value(each.Parent), d.Value(each.Named)
	if each.Parent != each.Cell.ID {
		op.Event.Parent = strings.ToLower(op.Event.Parent) // a name, in whatever case it is written
	}
	if s := d.Get(d.Naming().ID); r.p.config.Listed != nil {
		m, ok := r.meant(each.Named, s.Field.Field().Refers, s.Text)
		if !ok {
			return false
		}
		s.Text, op.Event.Name = m.name, m.name
	}
	op.Event.Key = recordKey(each, schema.Create, op.Event.Parent, op.Event.Name)
	return !r.secondKey()
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
	case d.Text(schema.FieldEventID) != "":
		return "event_id:" + d.Text(schema.FieldEventID)
	case d.Text(schema.FieldSlug) != "":
		return slugKey + d.Text(schema.FieldSlug)
	}
	start := ""
	if s := d.Get(schema.FieldStartAt); s != nil {
		start = strconv.FormatInt(s.Instant, 10)
	}
	return rowKey + start + ":" + d.Text(schema.FieldName)
}

// Keyed reports whether a key that [Key] gave is more than the name and start of its row.
func Keyed(key string) bool { return !strings.HasPrefix(key, rowKey) }

// earlier returns the row that has a name already, within a calendar or, for one that is empty, within all. A name
// that none has is the row's from now on.
func (r *row) earlier(calendar, name string) (number int, seen bool) {
	key := place{calendar, name}
	if number, seen = r.p.keys[key]; !seen {
		r.p.keys[key] = r.op.Row.Number
	}
	return number, seen
}

// secondKey refuses a row whose key an earlier row has. That two rows mean the same event
// may only be seen once their calendars and keys have been resolved.
func (r *row) secondKey() bool {
	at, seen := r.earlier(r.op.Event.Calendar, r.op.Event.Key)
	one := r.d.Resource.One
	switch {
	case !seen:
	case !r.d.Resource.Keyed():
		r.refuseAt(r.d.Naming().Path, schema.CodeDuplicateKey,
			fmt.Sprintf("row %d is about the same %s already", at, one), "keep one row for each "+one)
	case r.d.Key != "":
		r.refuse(schema.FieldKey, schema.CodeDuplicateKey,
			fmt.Sprintf("the key %q stands in row %d already", r.d.Key, at), "give each "+one+" a key of its own")
	default:
		r.refuse(schema.FieldName, schema.CodeDuplicateCreate,
			fmt.Sprintf("row %d is about the same %s already", at, one), "take one of the two out, or give each a key")
	}
	return seen
}

// secondAlike refuses a row that the service's lists could not tell from an earlier one.
func (r *row) secondAlike() bool {
	of := r.d.Resource
	if r.op.Event.Slug = of.Likeness(r.d); r.op.Event.Slug == "" || r.d.Action == schema.Delete {
		return false
	}
	at, seen := r.earlier(r.op.Event.Calendar, of.Name+":"+r.op.Event.Parent+"\x00"+r.op.Event.Slug)
	if seen {
		r.refuseAt(of.Alike[0], schema.CodeDuplicateCreate,
			fmt.Sprintf("row %d has the same %s", at, strings.Join(of.Alike, " and ")), "change a word: nothing else tells the two apart")
	}
	return seen
}

// secondID refuses a row whose record, as it was found, an earlier row has named by something else.
func (r *row) secondID(id string) bool {
	of := r.d.Resource
	at, seen := r.earlier("", of.Name+"\x00"+id)
	switch {
	case !seen:
	case !of.Keyed():
		r.refuseAt(r.d.Naming().Path, schema.CodeDuplicateKey,
			fmt.Sprintf("row %d is about %s %s already", at, of.One, id), "keep one row for each "+of.One)
	default:
		r.refuseAt(of.ID, schema.CodeDuplicateEventID,
			fmt.Sprintf("row %d is about %s %s already", at, of.One, id), "bring what the "+of.One+" shall become into one row")
	}
	return seen
}
