package plan

import (
	"cmp"
	"fmt"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// identity is the finding out of which record a row is about.
type identity struct{ *row }

// find fills in which record the row is about, as far as the row and those above it say. It reports whether the
// row goes further.
func (i identity) find() (further bool) {
	switch of := i.d.Resource; {
	case of.Keyed():
		return i.keyed()
	case of.Cell != nil:
		return i.item()
	default:
		return i.named()
	}
}

// keyed identifies a record by the key of its row, whatever its name.
func (i identity) keyed() (further bool) {
	op, d := i.op, i.d
	op.Event = Event{
		Calendar: d.Calendar,
		ID:       d.Value(d.Resource.ID),
		Slug:     d.Value(d.Resource.Slug),
		Name:     d.Text(catalog.FieldName),
	}
	if start := d.Get(catalog.FieldStartAt); start != nil {
		op.Event.StartAt, op.Event.Zone = start.Instant, cmp.Or(d.Text(catalog.FieldTimezone), offsetOf(start))
	}
	if !home(i).calendar() {
		return false
	}
	op.Event.Key = Key(d)
	return !i.secondKey()
}

// offsetOf returns the offset that a start is written with, empty where it has none.
func offsetOf(start *schema.Setting) string {
	if i := strings.LastIndexAny(start.Text, "+-"); i > len("2006-01-02") {
		return start.Text[i:]
	}
	return ""
}

// named identifies a record by what it belongs to, and its own name.
func (i identity) named() (further bool) {
	op, d := i.op, i.d
	of := d.Resource
	op.Resource, op.Event.Name = of.Name, cmp.Or(d.Name(), d.Value(of.ID))
	at := home(i)
	event, further := at.find()
	if !further {
		return false
	}
	name := op.Event.Name
	if of.Or != "" {
		name = cmp.Or(of.Likeness(d), name)
	}
	isNew := event != nil && event.action == Create // and none of what its export said is there
	if d.Untouched() && (d.Action == schema.Upsert || d.Action == schema.Update) && !isNew {
		if op.Event.Key = recordKey(of, d.Action, d.Value(of.Parent), name); !i.secondKey() {
			i.unchanged(asExported)
		}
		return false
	}
	if d.Imply(); !at.parent(event) {
		return false
	}
	op.Event.Key = recordKey(of, d.Action, op.within(), name) // of a new event until that has an id
	return !i.secondKey() && !i.secondAlike()
}

// item identifies a record that has no rows of its own, such as one tag of an event: a call makes it or takes it
// away without a word about the others of its cell.
func (i identity) item() (further bool) {
	op, d := i.op, i.d
	each := d.Resource
	if op.Resource = each.Name; !home(i).calendar() {
		return false
	}
	op.Event.Parent, op.Event.Name = d.Value(each.Parent), d.Value(each.Named)
	if each.Parent != each.Cell.ID {
		op.Event.Parent = strings.ToLower(op.Event.Parent) // a name, in whatever case it is written
	}
	if s := d.Get(d.Naming().ID); i.config.Listed != nil {
		m, ok := reference(i).meant(each.Named, catalog.Field(s.Field).Refers, s.Text)
		if !ok {
			return false
		}
		s.Text, op.Event.Name = m.name, m.name
	}
	op.Event.Key = recordKey(each, schema.Create, op.Event.Parent, op.Event.Name)
	return !i.secondKey()
}

// earlier returns the row that has a name already, within a calendar or, for one that is empty, within all. A name
// that none has is the row's from now on.
func (i identity) earlier(calendar, name string) (number int, seen bool) {
	key := place{calendar, name}
	if number, seen = i.above.keys[key]; !seen {
		i.above.keys[key] = i.op.Row.Number
	}
	return number, seen
}

// secondKey refuses a row whose key an earlier row has. That two rows mean the same event
// may only be seen once their calendars and keys have been resolved.
func (i identity) secondKey() bool {
	at, seen := i.earlier(i.op.Event.Calendar, i.op.Event.Key)
	one := i.d.Resource.One
	switch {
	case !seen:
	case !i.d.Resource.Keyed():
		i.refuseAt(i.d.Naming().Path, schema.CodeDuplicateKey,
			fmt.Sprintf("row %d is about the same %s already", at, one), "keep one row for each "+one)
	case i.d.Key != "":
		i.refuse(schema.FieldKey, schema.CodeDuplicateKey,
			fmt.Sprintf("the key %q stands in row %d already", i.d.Key, at), "give each "+one+" a key of its own")
	default:
		i.refuse(catalog.FieldName, schema.CodeDuplicateCreate,
			fmt.Sprintf("row %d is about the same %s already", at, one), "take one of the two out, or give each a key")
	}
	return seen
}

// secondAlike refuses a row that the service's lists could not tell from an earlier one.
func (i identity) secondAlike() bool {
	of := i.d.Resource
	if i.op.Event.Slug = of.Likeness(i.d); i.op.Event.Slug == "" || i.d.Action == schema.Delete {
		return false
	}
	at, seen := i.earlier(i.op.Event.Calendar, of.Name+":"+i.op.Event.Parent+"\x00"+i.op.Event.Slug)
	if seen {
		i.refuseAt(of.Alike[0], schema.CodeDuplicateCreate,
			fmt.Sprintf("row %d has the same %s", at, strings.Join(of.Alike, " and ")), "change a word: nothing else tells the two apart")
	}
	return seen
}

// secondID refuses a row whose record, as it was found, an earlier row has named by something else.
func (i identity) secondID(id string) bool {
	of := i.d.Resource
	at, seen := i.earlier("", of.Name+"\x00"+id)
	switch {
	case !seen:
	case !of.Keyed():
		i.refuseAt(i.d.Naming().Path, schema.CodeDuplicateKey,
			fmt.Sprintf("row %d is about %s %s already", at, of.One, id), "keep one row for each "+of.One)
	default:
		i.refuseAt(of.ID, schema.CodeDuplicateEventID,
			fmt.Sprintf("row %d is about %s %s already", at, of.One, id), "bring what the "+of.One+" shall become into one row")
	}
	return seen
}
