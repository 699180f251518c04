package plan

import (
	"fmt"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// change plans what becomes of an event that is there.
func (c choice) change() {
	op, d, known := c.op, c.d, &c.known
	had, certain := known.made()
	op.Hash = Values(op.Hash)
	if certain {
		op.Hash = contentHash(op.Hash, had)
	}
	c.leftOut(had, certain)
	same := c.config.Options.Compare != "none" && Values(op.Hash) != "" && Values(known.Hash) == Values(op.Hash)
	if c.undone() {
		c.unchanged(undoneBy(known))
		return
	}
	if (c.config.compares() || c.asksFirst() && c.config.Live != nil) && (d.Action != schema.Create || !same) && merge(c.row) {
		return
	}
	switch {
	case d.Moved > 0 && !c.config.compares(), d.Calendar != "" && c.moves(op.Event.Calendar) && (op.Hash == "" || c.elsewhere()):
		c.unmovable("only what is live tells which calendar the event is on")
	case same:
		c.unchanged("the same values were sent by run " + known.Run)
	case d.Action == schema.Create && known.Gone:
		c.refuse(schema.FieldKey, schema.CodeKeyExists,
			fmt.Sprintf("the row says CREATE, but its event was made before, as %s", op.Event.ID),
			"if the event was deleted, say --forget-missing to create it anew")
	case d.Action == schema.Create:
		c.refuse(schema.FieldKey, schema.CodeKeyExists,
			fmt.Sprintf("the row says CREATE, but its event exists as %s", op.Event.ID),
			"say UPSERT or UPDATE to change the event")
	case d.Untouched():
		c.unchanged(asExported)
	case Values(op.Hash) == "":
		c.unchanged("the row sets no field")
	case known.EventID == "":
		c.request(schema.Update, NamesEvent)
	case c.follows() && !c.followed && c.elsewhere():
		op.Event.Calendar = c.config.Had(&op.Event, *known)
		c.request(schema.Update, "run "+known.Run+" had the event on calendar "+op.Event.Calendar)
	case known.Gone:
		c.request(schema.Update, "run "+known.Run+" found no such event")
	case Values(known.Hash) == "":
		c.request(schema.Update, "run "+known.Run+" knows the event, not its values")
	case c.config.Options.Compare == "none":
		c.request(schema.Update, "nothing is compared")
	default:
		c.request(schema.Update, "values differ from those of run "+known.Run)
	}
}

// asksFirst reports whether the event is compared with what is live though other rows are not: no run knows what was agreed on of
// one that was found again, or of one that the row names where somebody says who is right about that.
func (c choice) asksFirst() bool {
	o := &c.config.Options
	return c.found || c.known.EventID == "" && o.First != "" && o.Compare != "none"
}

// changeBySlug plans the update of an event that only its slug can name.
func (c choice) changeBySlug() {
	op := c.op
	if op.Event.Slug == "" {
		c.missing("update")
		return
	}
	if !c.config.compares() || c.config.Parent == nil {
		c.request(schema.Update, "the event is looked up by its slug")
		return
	}
	id, err := c.config.Parent(op.Event.Calendar, op.Event.Slug)
	switch {
	case err != nil:
		c.hold(err.Error())
	case id == "":
		c.missing("update")
	default:
		op.Event.ID = id
		c.change()
	}
}

// changeListed plans a record that is there, as the service lists it.
func (c choice) changeListed() {
	op, d, one := c.op, c.d, c.d.Resource.One
	op.Event.ID, op.Hash = c.live.ID, Values(op.Hash)
	if c.undone() {
		c.unchanged(undoneBy(&c.known))
		return
	}
	if !reference(c).refer() || !c.fixed() || !answered(c.row) {
		return
	}
	c.stays()
	switch {
	case c.config.compares():
		merge(c.row)
	case c.config.Options.Compare != "none" && c.live.has(d):
		c.unchanged("the service has it so already")
	case c.known.Run == "": // it was found again: nothing is known of it but what the list shows
		merge(c.row)
	default:
		c.update("the " + one + " is there, and differs")
	}
}

// changeRemembered plans a record that is there as the workspace remembers it.
func (c choice) changeRemembered() {
	op, d, known := c.op, c.d, &c.known
	op.Event.ID = known.EventID
	if f := c.remade(); f != nil {
		c.refuseRemade(f)
		return
	}
	had, certain := known.made()
	if certain && had != c.made {
		c.stays()
	}
	if op.Hash = Values(op.Hash); certain {
		op.Hash = contentHash(op.Hash, had)
	}
	switch {
	case c.undone():
		c.unchanged(undoneBy(known))
	case c.config.Options.Compare == "none" || Values(known.Hash) != Values(op.Hash):
		c.update("values differ from those of run " + known.Run)
	default:
		c.unchanged("the same values were sent by run " + known.Run)
		if adds := c.operation(schema.Create); c.config.Base != nil && unsent(d, adds, nil) != "" {
			if agreed := c.config.Base(&op.Event, *known); len(agreed) > 0 {
				op.Reason += unsent(d, adds, agreed)
			}
		}
	}
}

// refuseRemade refuses a row that would change what its record was made with.
func (c choice) refuseRemade(f *schema.Field) {
	c.refuseAt(f.Path, schema.CodeWrongOperation,
		f.Path+" of "+c.d.Resource.Some()+" cannot be changed, and it was made with another",
		"leave the cell as it was, or give the row a name of its own")
}

// fixed refuses a row that would change what cannot be changed. ok means that it does not. What no list
// tells is compared with what the record was made with, and left out where that is not known.
func (c choice) fixed() (ok bool) {
	had, certain := c.known.made()
	for i := range c.d.Settings {
		s := &c.d.Settings[i]
		f := catalog.Field(s.Field)
		raw, told := c.live.Values[f.Read()]
		if f.Fixed && told && !s.Untouched && value.Compare(f, f.JSON(s), raw) != value.Alike {
			c.refuseAt(f.Path, schema.CodeWrongOperation,
				fmt.Sprintf("%s of %s cannot be changed: it is %s", f.Path, c.d.Resource.Some(), raw),
				"leave the cell as it was, or give the row a name of its own")
			return false
		}
		if !f.Fixed || told || s.Untouched || certain && had == c.made {
			continue
		}
		if certain {
			c.refuseRemade(f)
			return false
		}
		c.report(f.Path, schema.CodeFieldLeftOut,
			f.Path+" of "+c.d.Resource.Some()+" can be set only when it is added, and nobody can read back what this one has: "+
				"the cell is left out",
			"leave it blank, or change it on the platform")
	}
	return true
}

// update plans the update of a record, where the row says anything that an update
// can bring.
func (c choice) update(reason string) {
	op, d := c.op, c.d
	var rest *schema.Draft
	if c.live != nil {
		c.lack()
		rest = c.divide()
	}
	operation := c.operation(schema.Update)
	if s := d.Get(d.Naming().ID); s != nil && d.Resource.IDField() != nil && (c.live == nil || c.live.named(d)) {
		s.Untouched = true // it stays
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		if operation != nil && operation.Brings(catalog.Field(s.Field)) && !s.Untouched {
			c.request(schema.Update, reason)
			if f := differing(operation); f != nil && op.Action == Update {
				list := f.JSON(d.Get(f.ID))
				c.differ(f, list, list, c.live.Values[f.Read()])
			}
			if rest != nil && op.Action == Update {
				c.further(rest, reason)
			}
			return
		}
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		if f := catalog.Field(s.Field); f.On.Has(schema.OnUpdate) && !f.Manner && !s.Untouched && !d.Resource.Reaches(f, f.JSON(s)) {
			c.refuseAt(f.Path, schema.CodeWrongOperation, fmt.Sprintf("%s cannot become %s", d.Resource.Some(), s.Text), f.Rule)
			return
		}
	}
	c.unchanged("the row sets nothing that can be changed")
}

// leftOut warns, at its cell, of a value that only a create takes, where the row's
// event exists and was not certainly made with that value: the rest of the row is
// sent. had is what the event was made with.
func (c choice) leftOut(had string, certain bool) {
	if c.made == "" || certain && had == c.made {
		return
	}
	for i := range c.d.Settings {
		f := catalog.Field(c.d.Settings[i].Field)
		if f.On != schema.OnCreate || f.Manner {
			continue
		}
		c.report(f.Path, schema.CodeFieldLeftOut,
			f.Path+" can be set only when an event is created, and this one exists as "+c.op.Event.ID+": the cell is left out",
			"change it on the event's page")
	}
}

// stays warns, at its cell, of a value that only an added record takes, where the record is there
// with another: as it was read, or else as it was made with other values.
func (c choice) stays() {
	for i := range c.d.Settings {
		s := &c.d.Settings[i]
		f := catalog.Field(s.Field)
		if f.On.Has(schema.OnUpdate) || !f.On.Has(schema.OnCreate) || f.Fixed || f.Manner || f.Local || s.Untouched ||
			f.Each != nil || f.Answers != nil && c.live != nil || c.d.Resource.Names(f) || s.State != schema.Set {
			continue
		}
		is := "with another"
		if c.live != nil {
			raw, told := c.live.Values[f.Read()]
			if !told || value.Compare(f, f.JSON(s), raw) == value.Alike {
				continue
			}
			is = "as " + shown(raw)
		}
		c.report(f.Path, schema.CodeFieldLeftOut,
			fmt.Sprintf("%s of %s can be set only when it is added: this one is there %s, and the cell is left out",
				f.Path, c.d.Resource.Some(), is), "leave the cell as it was, or change it on the platform")
	}
}
