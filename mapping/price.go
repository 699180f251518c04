package mapping

import (
	"cmp"

	"eventbatch/mapping/schema"
)

// price is the fields of ticket types that a price as people write it says.
type price struct{ written, cents, currency, kind *schema.Field }

// prices binds a column of prices.
func (x *binder) prices() {
	for _, g := range x.given {
		if g.field.Becomes == "" {
			continue
		}
		field := func(path string) *schema.Field { f, _ := x.resource().ByPath(path); return f }
		x.b.price = &price{written: g.field, cents: field(g.field.Becomes), currency: field("currency"), kind: field("type")}
	}
}

// priced puts what the price of a row says in the place of the price: cents, their currency, and whether the
// ticket costs something.
func (w *worker) priced() {
	d, p := w.draft, w.b.price
	written := d.Get(p.written.ID)
	if written == nil {
		return
	}
	column, text := written.Column, written.Text
	d.Drop(p.written.ID)
	put := func(f *schema.Field, text string) {
		if !d.Has(f.ID) && text != "" {
			d.Put(schema.Setting{Field: f.ID, State: schema.Set, Column: column, Text: text})
		}
	}
	if w.reported(p.currency.Path) {
		return // which decides how many decimals there are
	}
	read, fault := schema.ReadPrice(text, d.Text(p.currency.ID))
	if !w.fault(p.cents, column, text, fault) {
		put(p.kind, "paid")
		return
	}
	if said := d.Text(p.cents.ID); said != "" && said != read.Units {
		w.fault(p.cents, column, text, &schema.Fault{
			Code: schema.CodeExclusiveFields, Message: quoted(text) + " is " + read.Units + " in " + p.cents.Path + ", which say " + said,
			Hint: "keep one of the two columns",
		})
		return
	}
	flexible := d.Value("is_flexible") == "true"
	if read.Free() && !flexible && cmp.Or(d.Text(p.kind.ID), "free") == "free" {
		put(p.kind, "free")
		d.Drop(p.currency.ID)
		return
	}
	put(p.kind, "paid")
	put(p.cents, read.Units)
	put(p.currency, read.Currency)
}
