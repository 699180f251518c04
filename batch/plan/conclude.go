package plan

import (
	"cmp"
	"encoding/json"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// conclusion is the deciding about the fields of a row that were compared with those of its record.
type conclusion struct{ *comparison }

// draw decides about each field, and makes the op of the decisions.
func (c conclusion) draw() {
	together := groups(c.sides)
	for _, group := range together {
		c.weigh(group)
	}
	c.sides = slices.Concat(together...)
	op := c.op
	if op.Action == Conflict {
		op.Changes = slices.DeleteFunc(op.Changes, func(c Change) bool { return c.Decision == Send }) // for the row waits
		op.Agreed = nil
		return
	}
	if len(op.Agreed) > 0 {
		op.Agrees = Differs
	}
	send := map[schema.ID]bool{}
	for _, s := range c.sides {
		if s.fate == Send {
			send[s.field.ID] = true
		}
	}
	if len(send) == 0 && c.exported {
		op.Hash = cmp.Or(c.known.Hash, op.Hash) // of other files with the same event
	}
	if op.Cover != nil && !send[catalog.FieldCoverFile] {
		op.Cover = nil
	}
	if len(send) > 0 {
		c.update(send)
	} else {
		c.unchanged(c.stays())
	}
}

// weigh decides what becomes of fields that stand together.
func (c conclusion) weigh(group []*sides) {
	conflicts := group
	if s := group[0]; s.field.ID == catalog.FieldRegistrationQuestions && s.mineMoved && s.based && !s.same {
		conflicts = s.merge(c.config.Options.OnConflict)
	}
	decision := c.ask(group, conflicts)
	asked := slices.ContainsFunc(group, func(s *sides) bool { return !s.based || s.said && s.mineMoved })
	for _, s := range group {
		c.agree(s, decision, asked)
		if s.fate = c.fate(s, decision); s.fate != "" {
			change := s.change(s.fate)
			if s.field.Minor {
				change.Currency = c.currency()
			}
			if s.fate == Left {
				change.Why = s.why
			}
			c.op.Changes = append(c.op.Changes, change)
		}
	}
	for _, s := range conflicts {
		if decision == InConflict && s.contested() {
			c.disagree(s, group)
		}
	}
}

// fate returns what becomes of a field, given what is decided about those that it stands together with; empty where
// there is nothing to say of it.
func (c conclusion) fate(s *sides, decision Decision) Decision {
	switch {
	case !s.said:
		return ""
	case s.same && s.based && s.mineMoved:
		return Same
	case s.same, decision == Same, s.based && !s.mineMoved && !s.liveMoved && !c.config.Options.owns(s.field):
		return ""
	}
	return decision
}

// stays returns why a row stays as it is on the platform: what somebody has changed there counts most.
func (c conclusion) stays() (reason string) {
	reason = hasIt
	for _, s := range c.sides {
		switch {
		case s.fate == Left && s.reason == "":
			return leftChanged
		case s.fate == Left:
			reason = s.reason
		case reason == hasIt && s.said && s.told && !s.same && !s.unread: // whether that is agreed or not
			reason = "the platform differs, as agreed before"
		}
	}
	return reason
}

// currency returns the currency of the amounts of the record where the row leaves it.
func (c conclusion) currency() (code string) {
	for _, s := range c.sides {
		if s.field.Path == "currency" && (s.same || !s.said) {
			_ = json.Unmarshal(s.live, &code) // null is no currency
		}
	}
	return code
}

// update makes the op the update of the fields that are sent.
func (c conclusion) update(send map[schema.ID]bool) {
	op, d, reason := c.op, c.d, c.because()
	if c.live != nil {
		c.only(send)
		if (choice{c.row}).update(reason); !op.Action.Sends() {
			op.Agrees, op.Agreed = "", nil
		}
		return
	}
	if !c.timely(send) {
		op.Agrees, op.Agreed = "", nil
		return
	}
	if end := c.follower(send); end != nil {
		behind := slices.IndexFunc(op.Changes, func(c Change) bool { return c.Field == catalog.Path(catalog.FieldStartAt) }) + 1
		op.Changes = slices.Insert(op.Changes, behind, *end)
	}
	op.clocks(send, c.members)
	if send[catalog.FieldDescriptionMD] {
		c.embeds()
	}
	if merged := d.Get(catalog.FieldRegistrationQuestions); merged != nil && send[merged.Field] {
		i := slices.IndexFunc(c.sides, func(s *sides) bool { return s.field.ID == merged.Field })
		merged.Text = string(c.sides[i].mine)
	}
	if send[catalog.FieldTheme] {
		send[catalog.FieldFont] = true // a theme without one brings its own
	}
	c.only(send)
	c.request(schema.Update, reason)
	c.keep(send)
}

// because returns why fields are sent.
func (c conclusion) because() string {
	back, rules := true, true
	for _, s := range c.sides {
		if s.fate == Send {
			back, rules = back && !s.mineMoved && c.config.Options.owns(s.field), rules && byZoneRules(s)
		}
	}
	switch {
	case back:
		return "changed on the platform, and put back: the file owns it"
	case rules:
		return "zone rules"
	}
	return "the platform has other values"
}

// only has nothing sent of the fields that were compared but what was decided so. What was not, such
// as how the request is made, or a cell whose items are records, is as the row says.
func (c conclusion) only(send map[schema.ID]bool) {
	for i := range c.d.Settings {
		s := &c.d.Settings[i]
		if f := catalog.Field(s.Field); !f.Manner && f.Each == nil && !c.d.Resource.Names(f) {
			s.Untouched = !send[whole(s).ID]
		}
	}
}

// disagree adds the problem of a field that both sides have changed, or the platform alone, and the file one of its group.
func (c conclusion) disagree(s *sides, group []*sides) {
	mine, live := s.shown(s.mine, c.op.Event.Zone), s.shown(s.live, c.op.Event.LiveZone())
	message := "the file says " + mine + ", the platform " + live
	hint := "write the right value into the cell, or say --on-conflict mine or theirs"
	switch with := slices.IndexFunc(group, func(other *sides) bool { return other.mineMoved }); {
	case s.based && !s.mineMoved && with >= 0:
		message = "the platform has " + live + ", the file " + mine + " as before, and it is decided together with "
		message += group[with].field.Path
	case !s.based:
		message += ", and nothing is known of what they last agreed on"
		hint = "say --first mine or theirs"
	case s.known() != nil:
		message += ", and it was " + s.shown(s.known(), c.agreedZone())
	}
	path := s.field.Path // of an object that the row has in parts, that of the first
	if i := slices.IndexFunc(c.d.Settings, func(own schema.Setting) bool { return whole(&own) == s.field }); i >= 0 {
		path = catalog.Path(c.d.Settings[i].Field)
	}
	first, was := c.op.Action != Conflict, c.op.Reason
	c.conflict(path, message, hint)
	if !s.based && (first || was == unknownWho) {
		c.op.Reason = unknownWho
	}
}

// agreedZone returns the zone that the two sides last agreed on; that of the platform where it is not known.
func (c conclusion) agreedZone() (zone string) {
	for _, s := range c.sides {
		if s.field.ID == catalog.FieldTimezone {
			_ = json.Unmarshal(s.known(), &zone) // which is a text, or not known
		}
	}
	return cmp.Or(zone, c.op.Event.LiveZone())
}

// unknownWho is the reason of a conflict in fields of which no run knows what the two sides agreed on.
const unknownWho = "differs from the platform, and this workspace does not know who is right: --first mine or theirs"

// keep stores the before-image of the fields that are sent.
func (c conclusion) keep(send map[schema.ID]bool) {
	var fields []*schema.Field
	for id := range send {
		f := catalog.Field(id)
		if id == catalog.FieldCoverFile {
			f = catalog.Field(catalog.FieldCoverURL)
		}
		fields = append(fields, f)
	}
	c.op.Before, _ = json.Marshal(imageOf(c.op.Of(), c.members, c.whole, fields)) // what came as JSON is JSON
}

// options returns those of the comparison: where nobody says who is right about what nothing is known
// of, the row is, unless it came with a baseline that cannot be used.
func (c conclusion) options() *Options {
	options := c.config.Options
	if options.First == "" && c.d.Baseless {
		options.First = Fail
	}
	return &options
}

// ask returns what becomes of fields that stand together, as somebody says who is asked where
// they are in conflict: they themselves, or items of the list that they are.
func (c conclusion) ask(together, conflicts []*sides) Decision {
	options := c.options()
	decision := decide(together, options)
	if decision != InConflict || c.config.Ask == nil {
		return decision
	}
	var items []Change
	if conflicts[0] != together[0] {
		items = inConflict(conflicts)
	}
	switch who := c.config.Ask(c.op, inConflict(together), items); {
	case (who == Mine || who == Theirs) && items != nil:
		together[0].merge(who)
		return decide(together, options)
	case who == Mine:
		return Send
	case who == Theirs:
		return Left
	}
	return InConflict
}

// inConflict returns the changes of what is in conflict.
func inConflict(list []*sides) (changes []Change) {
	for _, s := range list {
		if s.contested() {
			changes = append(changes, s.change(InConflict))
		}
	}
	return changes
}
