package plan

import (
	"encoding/json"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// align sets the three sides of each field side by side. What runs know of the event is only
// read where it matters: not of a row that has not moved and is as the event is.
func (c *comparison) align() error {
	mine, err := c.mine()
	if err != nil {
		return err
	}
	var agreed map[string]Base
	differs := func(s *sides) bool { return s.said && s.told && !s.same }
	still := c.unmoved || c.d.Untouched()
	if still {
		c.set(mine, nil)
		still = !slices.ContainsFunc(c.sides, differs)
	}
	if !still {
		if c.config.Base != nil {
			agreed = c.config.Base(&c.op.Event, c.known)
		}
		c.set(mine, agreed)
	}
	if c.op.Cover != nil && !c.unmoved {
		c.picture(agreed)
	}
	return nil
}

// set fills in the sides of each field.
func (c *comparison) set(mine map[string]json.RawMessage, agreed map[string]Base) {
	told := new(schema.Draft)
	r, naming := c.d.Resource, (*schema.Field)(nil)
	if c.live != nil && c.live.named(c.d) {
		naming = c.d.Naming()
	}
	if c.exported {
		value.Fill(told, r, c.members)
	}
	c.sides = c.sides[:0]
	for i := range r.Own {
		f := &r.Own[i]
		if f.Local || f.Manner || f.Deprecated || r.Names(f) || !f.On.Has(schema.OnUpdate) || f == naming {
			continue
		}
		if _, part := f.Object(); part {
			continue
		}
		s := &sides{field: f}
		s.mine, s.said = mine[f.Member()]
		s.live, s.told = c.members[f.Read()]
		was, based := agreed[f.Path]
		if !s.said && !(based && f.With != "") {
			continue
		}
		if s.told {
			was = was.given(f, s.live)
		}
		s.base, s.based = was.Agreement, based
		if !based && s.told && c.known.Source != "" && string(s.live) == "null" {
			s.base.Live, s.based = s.live, true // nobody has filled in what we made without it
		}
		if c.unmoved && s.said {
			if s.base.Mine = s.mine; !based {
				s.base.Live, s.based = s.mine, true
				if adds := c.operation(schema.Create); c.live != nil && len(agreed) > 0 && left(adds, f, agreed) {
					s.why = "no request has brought it: what the " + f.Path + " of " + r.Some() + " is the service says"
					s.reason = "left: the " + r.One + " was added" + unsent(c.d, adds, nil)
				}
			}
		}
		s.compare()
		if s.said && c.exported {
			c.since(s, told, was)
		}
		c.sides = append(c.sides, s)
	}
}

// mine returns what the row says of each field, touched or not.
func (c *comparison) mine() (map[string]json.RawMessage, error) {
	d := c.d.Clone()
	for i := range d.Settings {
		d.Settings[i].Untouched = false
	}
	all := schema.Operation{Resource: d.Resource, Does: schema.Update} // there may be one for each field
	body, err := schema.AppendBody((*c.buf)[:0], d, &all)
	if err != nil {
		return nil, err
	}
	*c.buf = body
	mine := map[string]json.RawMessage{}
	return mine, json.Unmarshal(body, &mine)
}

// since takes the baseline of an export for what the two sides last agreed on, unless they
// have agreed since then; what another source has agreed on says nothing of this row's cells. A
// field that was not touched has not moved, whatever was sent.
func (c *comparison) since(s *sides, told *schema.Draft, agreed Base) {
	touched, moved := false, false
	for i := range c.d.Settings {
		own := &c.d.Settings[i]
		touched = touched || whole(own) == s.field && !own.Untouched
	}
	base := &c.baseline
	if agreed.At.After(base.At) && !agreed.Other && (touched || !s.mineMoved) {
		return
	}
	r := c.d.Resource
	for i := range r.Own {
		f := &r.Own[i]
		if of, part := f.Object(); f != s.field && !(part && of.ID == s.field.ID) || !r.Tells(f) {
			continue
		}
		now := told.Get(f.ID)
		filled := now != nil && now.State == schema.Set
		moved = moved || filled != base.Filled(f) || filled && !base.Says(now) && !base.Says(c.named(now))
	}
	s.base, s.based, s.mineMoved, s.liveMoved, s.unread = Agreement{}, true, touched, s.told && moved, false
	if !touched {
		s.base.Mine = s.mine
		again := agreed.At.After(base.At) && !agreed.Other && value.Compare(s.field, agreed.Live, s.live) != value.Unlike
		if s.liveMoved && again && agreed.Sent != "" {
			s.why = "the cell says what the export said, and run " + agreed.Sent + " has sent another value since"
			s.reason = "left: as exported, and a run has sent other values since: export again to change them"
		}
	}
	if !s.liveMoved {
		s.base.Live = s.live
	}
}

// named returns a value of the record as an export may have written it: by the names of the records that
// it names.
func (c *comparison) named(s *schema.Setting) *schema.Setting {
	f, named := catalog.Field(s.Field), *s
	if of := f.Refers; of != nil {
		named.Text = value.EachName(f, s.Text, func(id string) string {
			found, err := c.config.Listed(of, &Event{Calendar: c.op.Event.Calendar, Parent: c.op.Event.Parent, ID: id})
			if err != nil || found == nil {
				return id
			}
			return found.called(of)
		})
	}
	return &named
}

// picture compares the local picture of the row with the one that was sent last: what
// became of it cannot be read back.
func (c *comparison) picture(agreed map[string]Base) {
	f := catalog.Field(catalog.FieldCoverFile)
	sum, _ := json.Marshal(c.op.Cover.SHA256) // texts always encode
	was, based := agreed[f.Path]
	s := &sides{field: f, said: true, based: based, live: c.members[catalog.Path(catalog.FieldCoverURL)]}
	s.mineMoved = string(was.Mine) != string(sum)
	s.mine, _ = json.Marshal(c.d.Text(catalog.FieldCoverFile))
	s.cell = sum
	c.sides = append(c.sides, s)
}

// whole returns the field as which a setting is compared: the object that it is a part of,
// or else itself.
func whole(s *schema.Setting) *schema.Field {
	f := catalog.Field(s.Field).Sent()
	if of, part := f.Object(); part {
		return of
	}
	return f
}
