package plan

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/schema"
)

// compares reports whether rows are compared with what is live.
func (p *Planner) compares() bool { return p.config.Options.Compare == "live" && p.config.Live != nil }

// comparison is the comparing of one row with its event.
type comparison struct {
	p     *Planner
	op    *Op
	d     *schema.Draft
	known Known
	// unmoved means that the row says what was sent or agreed to last: nothing of it has moved.
	unmoved  bool
	baseline baseline.Base
	exported bool // the row has a baseline
	live     map[string]json.RawMessage
	whole    bool // live has what only a read of the event gives
	sides    []*sides
}

// merge decides field by field what becomes of a row whose event is known. It does not
// decide about a row that says CREATE where the event is there.
func (p *Planner) merge(op *Op, d *schema.Draft, known Known) (decided bool) {
	c := comparison{p: p, op: op, d: d, known: known}
	c.baseline, c.exported = baseline.Parse(d.Base)
	c.unmoved = !c.exported && c.recorded()
	if !c.read(false) {
		return true
	}
	if d.Action == schema.Create {
		return false
	}
	lacking := func(s *sides) bool {
		return s.said && !s.told && (s.mineMoved || !s.based || p.config.Options.owns(s.field))
	}
	if !c.whole && slices.ContainsFunc(c.sides, lacking) && !c.read(true) {
		return true
	}
	c.conclude()
	return true
}

// read asks what is live, and sets the three sides of each field side by side. It reports
// whether the row goes further.
func (c *comparison) read(whole bool) (further bool) {
	var err error
	c.live, c.whole, err = c.p.config.Live(&c.op.Event, whole)
	if errors.Is(err, ErrGone) {
		c.gone()
		return false
	}
	if err != nil {
		c.op.Action, c.op.Reason = Blocked, err.Error()
		return false
	}
	if err := c.align(); err != nil {
		c.op.refuse(c.d, schema.FieldAction, schema.CodeBadObject, err.Error(), "")
		return false
	}
	return true
}

// recorded reports whether the row says what is recorded of its event.
func (c *comparison) recorded() bool {
	return c.op.Hash != "" && Values(c.known.Hash) == Values(c.op.Hash)
}

// gone decides about a row whose event the platform does not have any more. Where the row
// has not changed since, or the platform is right, it is let go, which is said once.
func (c *comparison) gone() {
	op, who := c.op, c.p.config.Options.OnConflict
	unchanged := c.d.Untouched() || c.recorded()
	if who == Fail && !unchanged && c.d.Action != schema.Create && c.p.config.Ask != nil {
		who = c.p.config.Ask(op, nil)
	}
	switch {
	case unchanged && c.known.Missing:
		op.Action, op.Reason = Unchanged, "run "+c.known.Run+" found it cancelled on the platform"
	case unchanged || who == Theirs && c.d.Action != schema.Create:
		op.Action, op.Reason, op.Agrees = Skip, "the event was cancelled on the platform", Gone
		op.Hash = cmp.Or(op.Hash, c.known.Hash)
	case who == Mine || c.d.Action == schema.Create:
		op.Event.ID = ""
		c.d.Touch()
		c.p.create(op, c.d, Known{})
		if op.Action == Create {
			op.Reason = "the event was cancelled on the platform"
		}
	default:
		c.conflict("", "the row has changed, and event "+op.Event.ID+" was cancelled on the platform",
			"take the row out, or say --on-conflict mine to make the event again, or theirs to let it go")
	}
}

func (c *comparison) conflict(field, message, hint string) {
	c.op.refuseAt(c.d, field, schema.CodeConflict, message, hint)
	c.op.Action, c.op.Reason = Conflict, "changed in the file and on the platform"
}

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
		if c.p.config.Base != nil {
			agreed = c.p.config.Base(&c.op.Event, c.known)
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
	if c.exported {
		told.Record(schema.Events, c.live)
	}
	c.sides = c.sides[:0]
	for i := range schema.Events.Own {
		f := &schema.Events.Own[i]
		if f.Local || f.Manner || f.Deprecated || f.ID == schema.FieldEventID || !f.On.Has(schema.OnUpdate) {
			continue
		}
		if _, part := f.Object(); part {
			continue
		}
		s := &sides{field: f}
		s.mine, s.said = mine[f.Path]
		s.live, s.told = c.live[f.Read()]
		was, based := agreed[f.Path]
		if !s.said && !(based && together[f.ID] != "") {
			continue
		}
		s.base, s.based = was.Agreement, based
		if !based && s.told && c.known.Source != "" && string(s.live) == "null" {
			s.base.Live, s.based = s.live, true // nobody has filled in what we made without it
		}
		if c.unmoved && s.said {
			if s.base.Mine = s.mine; !based {
				s.base.Live, s.based = s.mine, true
			}
		}
		s.compare()
		if s.said && c.exported {
			c.since(s, told, was.At)
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
	body, err := schema.AppendBody(c.p.buf[:0], d, d.Resource.Operation(schema.Update, false))
	if err != nil {
		return nil, err
	}
	c.p.buf = body
	mine := map[string]json.RawMessage{}
	return mine, json.Unmarshal(body, &mine)
}

// since takes the baseline of an export for what the two sides last agreed on, unless they
// have agreed since then. A field that was not touched has not moved, whatever was sent.
func (c *comparison) since(s *sides, told *schema.Draft, agreed time.Time) {
	touched, moved := false, false
	for i := range c.d.Settings {
		own := &c.d.Settings[i]
		touched = touched || whole(own) == s.field && !own.Untouched
	}
	base := &c.baseline
	if agreed.After(base.At) && (touched || !s.mineMoved) {
		return
	}
	for i := range schema.Events.Own {
		f := &schema.Events.Own[i]
		if of, part := f.Object(); f != s.field && !(part && of.ID == s.field.ID) || !schema.Events.Tells(f) {
			continue
		}
		now := told.Get(f.ID)
		filled := now != nil && now.State == schema.Set
		moved = moved || filled != base.Filled(f) || filled && !base.Says(now)
	}
	s.base, s.based, s.mineMoved, s.liveMoved, s.unread = Agreement{}, true, touched, s.told && moved, false
	if !touched {
		s.base.Mine = s.mine
	}
	if !s.liveMoved {
		s.base.Live = s.live
	}
}

// picture compares the local picture of the row with the one that was sent last: what
// became of it cannot be read back.
func (c *comparison) picture(agreed map[string]Base) {
	f := schema.FieldCoverFile.Field()
	sum, _ := json.Marshal(c.op.Cover.SHA256) // texts always encode
	was, based := agreed[f.Path]
	s := &sides{field: f, said: true, based: based, mineMoved: true, live: c.live[schema.FieldCoverURL.Path()]}
	s.mineMoved = string(was.Mine) != string(sum)
	s.mine, _ = json.Marshal(c.d.Text(schema.FieldCoverFile))
	s.cell = sum
	c.sides = append(c.sides, s)
}

// conclude makes the op of the decisions.
func (c *comparison) conclude() {
	op, d, o := c.op, c.d, &c.p.config.Options
	send := map[schema.ID]bool{}
	left, differs, back, rules := false, false, true, true
	for _, group := range groups(c.sides) {
		conflicts := group
		if s := group[0]; s.field.ID == schema.FieldRegistrationQuestions && s.mineMoved && s.based && !s.same {
			conflicts = s.merge(o.OnConflict)
		}
		decision := c.ask(group, conflicts)
		asked := slices.ContainsFunc(group, func(s *sides) bool { return !s.based || s.said && s.mineMoved })
		for _, s := range group {
			c.agree(s, decision, asked)
			if !s.said {
				continue
			}
			differs = differs || s.told && !s.same && !s.unread
			of := decision
			switch {
			case s.same && s.based && s.mineMoved:
				of = Same
			case s.same, decision == Same, s.based && !s.mineMoved && !s.liveMoved && !o.owns(s.field):
				continue
			}
			change := Change{Field: s.field.Path, Base: s.known(), Live: s.live, Mine: s.mine, Decision: of}
			op.Changes = append(op.Changes, change)
			switch of {
			case Send:
				send[s.field.ID] = true
				back, rules = back && o.owns(s.field) && !s.mineMoved, rules && byZoneRules(s)
			case Left:
				left = true
			}
		}
		for _, s := range conflicts {
			if decision == InConflict && s.said && !s.same {
				c.disagree(s)
			}
		}
	}
	if op.Action == Conflict {
		op.Changes = slices.DeleteFunc(op.Changes, func(c Change) bool { return c.Decision == Send }) // for the row waits
		op.Agreed = nil
		return
	}
	if len(op.Agreed) > 0 {
		op.Agrees = Differs
	}
	if len(send) == 0 && c.exported {
		op.Hash = cmp.Or(c.known.Hash, op.Hash) // of other files with the same event
	}
	if op.Cover != nil && !send[schema.FieldCoverFile] {
		op.Cover = nil
	}
	switch {
	case len(send) == 0 && left:
		op.Action, op.Reason = Unchanged, "left: changed on the platform"
		return
	case len(send) == 0 && differs:
		op.Action, op.Reason = Unchanged, "the platform differs, as agreed before"
		return
	case len(send) == 0:
		op.Action, op.Reason = Unchanged, "the platform has it so"
		return
	}
	if !c.timely(send) {
		op.Agrees, op.Agreed = "", nil
		return
	}
	if send[schema.FieldDescriptionMD] {
		c.embeds()
	}
	if merged := d.Get(schema.FieldRegistrationQuestions); merged != nil && send[merged.Field] {
		i := slices.IndexFunc(c.sides, func(s *sides) bool { return s.field.ID == merged.Field })
		merged.Text = string(c.sides[i].mine)
	}
	if send[schema.FieldTheme] {
		send[schema.FieldFont] = true // a theme without one brings its own
	}
	for i := range d.Settings {
		s := &d.Settings[i]
		f := s.Field.Field()
		s.Untouched = !f.Manner && f.ID != schema.FieldEventID && !send[whole(s).ID]
	}
	if !d.Has(schema.FieldEventID) {
		d.Put(schema.Setting{Field: schema.FieldEventID, State: schema.Set, Column: -1, Text: op.Event.ID})
	}
	op.Action, op.Reason = Update, "the platform has other values"
	switch {
	case back:
		op.Reason = "changed on the platform, and put back: the file owns it"
	case rules:
		op.Reason = "zone rules"
	}
	c.p.request(op, d, schema.Update)
	c.keep(send)
}

// disagree adds the problem of a field that both sides have changed.
func (c *comparison) disagree(s *sides) {
	message := "the file says " + shown(s.mine) + ", the platform " + shown(s.live)
	hint := "write the right value into the cell, or say --on-conflict mine or theirs"
	switch {
	case !s.based:
		message += ", and nothing is known of what they last agreed on"
		hint = "say --first mine or theirs"
	case s.known() != nil:
		message += ", and it was " + shown(s.known())
	}
	path := s.field.Path // of an object that the row has in parts, that of the first
	if i := slices.IndexFunc(c.d.Settings, func(own schema.Setting) bool { return whole(&own) == s.field }); i >= 0 {
		path = c.d.Settings[i].Field.Path()
	}
	c.conflict(path, message, hint)
}

// whole returns the field as which a setting is compared: the object that it is a part of,
// or else itself.
func whole(s *schema.Setting) *schema.Field {
	f := s.Field.Field().Sent()
	if of, part := f.Object(); part {
		return of
	}
	return f
}

// keep stores the before-image of the fields that are sent.
func (c *comparison) keep(send map[schema.ID]bool) {
	var fields []*schema.Field
	for id := range send {
		f := id.Field()
		if id == schema.FieldCoverFile {
			f = schema.FieldCoverURL.Field()
		}
		fields = append(fields, f)
	}
	c.op.Before, _ = json.Marshal(imageOf(c.live, c.whole, fields)) // what came as JSON is JSON
}

// shown writes a value for a message.
func shown(value json.RawMessage) string {
	return cmp.Or(strings.TrimSpace(string(value)), "nothing")
}
