package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// cell is a cell each of whose items is a record of its own, such as the tags of an event. What is
// to be made or taken away is done by further ops of the row ([Op.Parts]): an item that the
// record lacks is made, one that is gone from the cell is taken away where a run of the same
// source or the export had put it there, and any other stays.
type cell struct {
	*row // op is its first

	field *schema.Field
	hash  string          // of all items
	items map[string]bool // the names of those, in small letters

	shown       []string // the names of those that the service shows, where it tells
	told, asked bool
	left        bool // an item stays as it was changed on the platform
	undone      *Known
}

// addCells adds the ops that bring what the row says in cells whose items are records.
func addCells(r *row) {
	for _, s := range slices.Clone(r.d.Settings) {
		f := catalog.Field(s.Field)
		if f.Each == nil || s.Untouched {
			continue
		}
		known := r.op.Event.ID != "" || f.Each.Parent != r.d.Resource.ID
		if r.op.Action == Create || r.op.Action == Update || r.op.Action == Unchanged && known {
			c := &cell{row: r, field: f, items: map[string]bool{}}
			c.plan(&s)
		}
		if !r.op.Action.Sends() && r.op.Action != Unchanged {
			r.op.Parts = nil
		}
	}
}

func (c *cell) plan(s *schema.Setting) {
	words := value.Items(c.field, s)
	names := slices.Clone(words)
	for i := range names {
		names[i] = strings.ToLower(names[i])
	}
	slices.Sort(names)
	c.hash = shortHash(names...)
	for _, word := range words {
		if !c.put(word) {
			return
		}
	}
	if c.op.Action != Create {
		c.takeOff()
	}
	c.tell(s)
	if c.undone != nil && c.op.Action == Unchanged && len(c.op.Parts) == 0 && !c.left {
		c.op.Reason = undoneBy(c.undone)
	}
}

// put plans the item that a word means, and reports whether the row goes further.
func (c *cell) put(word string) (further bool) {
	known := c.remembered(word)
	var after []int
	if !known.still() {
		m, there := reference{c.row}.meant(c.field.Path, c.refers(), word)
		if !there {
			return false
		}
		word, after = m.name, m.makes
		known = c.remembered(word)
	}
	if known.Owed {
		c.hold(known.Unsettled("the " + c.field.Each.One + " " + word))
		return false
	}
	if name := strings.ToLower(word); !c.items[name] {
		c.items[name] = true
		c.make(word, known, after)
	}
	return true
}

// make plans an item that the record may lack.
func (c *cell) make(name string, known Known, after []int) {
	o := &c.config.Options
	was := known.still()
	if base, exported := baseline.Parse(c.d.Base); exported {
		was = base.Has(c.field, name)
	}
	switch {
	case o.Compare == "none":
	case c.isUndone(name, &known), was && !c.config.compares(), c.has(name):
		return
	case was && c.told && !o.owns(c.field):
		c.left = true
		return
	}
	c.append(schema.Create, name, "the "+c.d.Resource.One+" lacks the "+c.field.Each.One, after)
}

// isUndone reports whether an undo has taken back what the cell asks for of an item.
func (c *cell) isUndone(name string, known *Known) bool {
	item := Op{Event: Event{Calendar: c.op.Event.Calendar, Parent: c.parent(), Name: name}, Hash: c.hash}
	item.Event.Key = recordKey(c.field.Each, schema.Create, item.Event.Parent, name)
	of := c.another(&item, c.d)
	if of.known = *known; !of.undone() {
		return false
	}
	c.undone = known
	return true
}

// takeOff plans what is gone from the cell.
func (c *cell) takeOff() {
	base, exported := baseline.Parse(c.d.Base)
	for _, name := range c.candidates() {
		if c.items[strings.ToLower(name)] {
			continue
		}
		known, source := c.remembered(name), &c.config.Source
		if c.isUndone(name, &known) {
			continue
		}
		ours := known.still() && known.Source != "" && (known.Source == source.Name || known.Source == source.TakesOver)
		if (ours || exported && base.Has(c.field, name)) && (!c.told || c.has(name)) {
			of := cmp.Or(c.d.Text(catalog.FieldName), c.op.Event.Name, c.op.Event.Key)
			c.append(schema.Delete, name, strings.TrimSuffix("the "+c.field.Each.One+" is gone from the cell of "+of, " of "), nil)
		}
	}
}

// candidates returns the names of the items that the record may have.
func (c *cell) candidates() []string {
	if c.config.compares() && c.look() {
		return c.shown
	}
	if c.config.Names == nil {
		return nil
	}
	names, err := c.config.Names(c.refers(), c.op.Event.Calendar)
	if err != nil {
		c.hold(err.Error())
	}
	return names
}

// refers returns the resource whose records the items name.
func (c *cell) refers() *schema.Resource {
	f, _ := c.field.Each.ByPath(c.field.Each.Named)
	return f.Refers
}

// has reports whether the service shows the item, as far as it tells: never of a record that the
// plan makes.
func (c *cell) has(name string) bool {
	return c.look() && slices.ContainsFunc(c.shown, func(live string) bool { return strings.EqualFold(live, name) })
}

// look asks the service which items the record has, and reports whether it tells.
func (c *cell) look() bool {
	if c.asked || c.config.Listed == nil || c.op.Action == Create || c.parent() == "" {
		return c.told
	}
	c.asked = true
	found, err := c.config.Listed(c.d.Resource, &c.op.Event)
	if err != nil || found == nil {
		return false
	}
	raw, told := found.Values[c.field.Read()]
	if c.told = told; told {
		c.shown = value.Items(c.field, &schema.Setting{Field: c.field.ID, State: schema.Set, Text: string(raw)})
	}
	return c.told
}

// parent returns what the items belong to; empty where that is not known yet.
func (c *cell) parent() string {
	if c.field.Each.Parent == c.d.Resource.ID {
		return c.op.Event.ID
	}
	return strings.ToLower(c.op.Event.Name) // an address, in whatever case it is written
}

func (c *cell) remembered(name string) (known Known) {
	if parent := c.parent(); parent != "" {
		known, _ = c.config.Memory.Recall(c.op.Event.Calendar, recordKey(c.field.Each, schema.Create, parent, name))
	}
	return known
}

// still reports whether a record was made and is there still, as far as runs know.
func (k *Known) still() bool { return k.sent() && !k.Gone && !k.Owed }

// append adds the op that makes an item, or takes it away.
func (c *cell) append(does schema.Action, name, reason string, after []int) {
	first, each := c.op, c.field.Each
	op := first.newPart()
	op.Resource, op.Hash, op.After = each.Name, c.hash, after
	op.Event = Event{Calendar: first.Event.Calendar, Parent: c.parent(), Name: name}
	if first.Action == Create || op.Event.Parent == "" {
		op.After = append([]int{first.N}, after...)
	}
	d := schema.NewDraft(each, c.d.Place)
	for path, text := range map[string]string{each.Parent: op.Event.Parent, each.Named: name} {
		f, _ := each.ByPath(path)
		d.Put(schema.Setting{Field: f.ID, State: schema.Set, Column: -1, Text: text})
	}
	verdict{c.config, op, d}.request(does, reason)
	if op.Event.Parent != "" {
		op.Event.Key = recordKey(each, schema.Create, op.Event.Parent, name)
		op.Known = Recollection(c.config.Memory, &op.Event)
	}
	if s := c.d.Get(c.field.ID); s.Column >= 0 {
		op.From = map[string]int{c.field.Path: s.Column}
	}
	first.Parts = append(first.Parts, op)
}

// tell says what comparing the cell with what is live has shown.
func (c *cell) tell(s *schema.Setting) {
	if !c.config.compares() || !c.told || len(c.op.Parts) == 0 && !c.left {
		return
	}
	change := Change{Field: c.field.Path, Mine: c.field.JSON(s), Decision: Send}
	if change.Live, _ = json.Marshal(strings.Join(c.shown, "; ")); s.State == schema.Set { // texts always encode
		change.Mine, _ = json.Marshal(value.Cell(c.field, s.Text))
	}
	if len(c.op.Parts) == 0 {
		if change.Decision = Left; c.op.Action == Unchanged {
			c.op.Reason = leftChanged
		}
	}
	c.op.Changes = append(c.op.Changes, change)
}
