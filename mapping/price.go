package mapping

import (
	"cmp"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// price is the fields that a price as people write it says; kind is nil of one that says no more than an amount.
type price struct{ written, cents, currency, kind *schema.Field }

// prices binds the columns of prices.
func (x *binder) prices() {
	for _, g := range x.given {
		if g.field.Becomes == "" {
			continue
		}
		field := func(path string) *schema.Field { f, _ := x.resource().ByPath(path); return f }
		p := price{written: g.field, cents: field(g.field.Becomes), currency: field("currency")}
		if p.cents.Path == "cents" {
			p.kind = field("type")
		}
		x.b.prices = append(x.b.prices, p)
	}
}

// priced puts what a price of the row says in the place of the price: the amount, its currency, and whether a
// ticket costs something. What somebody has edited of an exported row, where it has both, is the change.
func (w *comparison) priced(p *price) {
	d, base := w.draft, &w.base
	written := d.Get(p.written.ID)
	if written == nil {
		return
	}
	column, text := written.Column, written.Text
	d.Drop(p.written.ID)
	put := func(f *schema.Field, text string) {
		if f != nil && !d.Has(f.ID) && text != "" {
			d.Put(schema.Setting{Field: f.ID, State: schema.Set, Column: column, Text: text})
		}
	}
	if w.reported(p.currency.Path) {
		return // which decides how many decimals there are
	}
	read, fault := value.ReadPrice(text, d.Text(p.currency.ID))
	if !w.fault(p.cents, column, text, fault) {
		put(p.kind, "paid")
		return
	}
	if said := d.Get(p.cents.ID); said != nil && said.Text != read.Units {
		now := schema.Setting{Field: p.cents.ID, State: schema.Set, Column: column, Text: read.Units}
		currency := d.Get(p.currency.ID)
		switch known := currency != nil && base.Says(currency); {
		case known && base.Says(&now): // the other cell was edited
			return
		case known && base.Says(said):
			*said = now
		default:
			says := "say " + said.Text
			if said.State == schema.Clear {
				says = "are to be cleared"
			}
			w.fault(p.cents, column, text, &schema.Fault{
				Code: schema.CodeExclusiveFields, Message: quoted(text) + " is " + read.Units + " in " + p.cents.Path + ", which " + says,
				Hint: "correct one of the two cells, or blank it",
			})
			return
		}
	}
	if p.kind != nil && read.Free() && d.Value("is_flexible") != "true" && cmp.Or(d.Text(p.kind.ID), "free") == "free" {
		put(p.kind, "free")
		d.Drop(p.currency.ID)
		return
	}
	put(p.kind, "paid")
	put(p.cents, read.Units)
	put(p.currency, read.Currency)
}

// discounted drops a currency that is said of all rows from a coupon that takes per cent off.
func discounted(d *schema.Draft) {
	currency, _ := catalog.Coupons.ByPath("currency")
	percent, _ := catalog.Coupons.ByPath("percent_off")
	if s := d.Get(currency.ID); s != nil && s.Column < 0 && d.Has(percent.ID) {
		d.Drop(currency.ID)
	}
}
