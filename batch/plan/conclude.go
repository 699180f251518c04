package plan

import (
	"cmp"
	"encoding/json"
	"slices"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// conclusion is what comparing the fields of a row comes to.
type conclusion struct {
	*comparison

	send    map[schema.ID]bool
	left    bool   // a field stays as it was changed on the platform
	stays   string // why the row stays as it is though nobody else has changed it; empty where that is not so
	differs bool   // a field is not the same on both sides, whether that is agreed or not
	back    bool   // the file has changed nothing of what is sent, and owns it
	rules   bool   // what is sent has moved by the rules of its zone alone
}

// conclude decides about each field, and makes the op of the decisions.
func (c *comparison) conclude() {
	end := conclusion{comparison: c, send: map[schema.ID]bool{}, back: true, rules: true}
	for _, group := range groups(c.sides) {
		end.weigh(group)
	}
	op := c.op
	if op.Action == Conflict {
		op.Changes = slices.DeleteFunc(op.Changes, func(c Change) bool { return c.Decision == Send }) // for the row waits
		op.Agreed = nil
		return
	}
	if len(op.Agreed) > 0 {
		op.Agrees = Differs
	}
	if len(end.send) == 0 && c.exported {
		op.Hash = cmp.Or(c.known.Hash, op.Hash) // of other files with the same event
	}
	if op.Cover != nil && !end.send[catalog.FieldCoverFile] {
		op.Cover = nil
	}
	switch {
	case len(end.send) > 0:
		end.update()
	case end.left:
		c.unchanged(leftChanged)
	case end.stays != "":
		c.unchanged(end.stays)
	case end.differs:
		c.unchanged("the platform differs, as agreed before")
	default:
		c.unchanged(hasIt)
	}
}

// weigh decides what becomes of fields that stand together.
func (c *conclusion) weigh(group []*sides) {
	o := &c.p.config.Options
	conflicts := group
	if s := group[0]; s.field.ID == catalog.FieldRegistrationQuestions && s.mineMoved && s.based && !s.same {
		conflicts = s.merge(o.OnConflict)
	}
	decision := c.ask(group, conflicts)
	asked := slices.ContainsFunc(group, func(s *sides) bool { return !s.based || s.said && s.mineMoved })
	for _, s := range group {
		c.agree(s, decision, asked)
		if !s.said {
			continue
		}
		c.differs = c.differs || s.told && !s.same && !s.unread
		of := decision
		switch {
		case s.same && s.based && s.mineMoved:
			of = Same
		case s.same, decision == Same, s.based && !s.mineMoved && !s.liveMoved && !o.owns(s.field):
			continue
		}
		change := Change{Field: s.field.Path, Base: s.known(), Live: s.live, Mine: s.mine, Decision: of}
		if s.field.Minor {
			change.Currency = c.currency()
		}
		switch of {
		case Send:
			c.send[s.field.ID] = true
			c.back, c.rules = c.back && o.owns(s.field) && !s.mineMoved, c.rules && byZoneRules(s)
		case Left:
			change.Why = s.why
			if c.left = c.left || s.reason == ""; s.reason != "" {
				c.stays = s.reason
			}
		}
		c.op.Changes = append(c.op.Changes, change)
	}
	for _, s := range conflicts {
		if decision == InConflict && s.contested() {
			c.disagree(s)
		}
	}
}

// currency returns the currency of the amounts of the record where the row leaves it.
func (c *conclusion) currency() (code string) {
	for _, s := range c.sides {
		if s.field.Path == "currency" && (s.same || !s.said) {
			_ = json.Unmarshal(s.live, &code) // null is no currency
		}
	}
	return code
}

// update makes the op the update of the fields that are sent.
func (c *conclusion) update() {
	op, d := c.op, c.d
	reason := "the platform has other values"
	switch {
	case c.back:
		reason = "changed on the platform, and put back: the file owns it"
	case c.rules:
		reason = "zone rules"
	}
	if c.live != nil {
		c.only()
		if (choice{c.row}).update(reason); !op.Action.Sends() {
			op.Agrees, op.Agreed = "", nil
		}
		return
	}
	if !c.timely(c.send) {
		op.Agrees, op.Agreed = "", nil
		return
	}
	if c.send[catalog.FieldDescriptionMD] {
		c.embeds()
	}
	if merged := d.Get(catalog.FieldRegistrationQuestions); merged != nil && c.send[merged.Field] {
		i := slices.IndexFunc(c.sides, func(s *sides) bool { return s.field.ID == merged.Field })
		merged.Text = string(c.sides[i].mine)
	}
	if c.send[catalog.FieldTheme] {
		c.send[catalog.FieldFont] = true // a theme without one brings its own
	}
	c.only()
	c.request(schema.Update, reason)
	c.keep(c.send)
}

// only has nothing sent of the fields that were compared but what was decided so. What was not, such
// as how the request is made, or a cell whose items are records, is as the row says.
func (c *conclusion) only() {
	for i := range c.d.Settings {
		s := &c.d.Settings[i]
		if f := catalog.Field(s.Field); !f.Manner && f.Each == nil && !c.d.Resource.Names(f) {
			s.Untouched = !c.send[whole(s).ID]
		}
	}
}

// disagree adds the problem of a field that both sides have changed.
func (c *comparison) disagree(s *sides) {
	message := "the file says " + s.shown(s.mine) + ", the platform " + s.shown(s.live)
	hint := "write the right value into the cell, or say --on-conflict mine or theirs"
	switch {
	case !s.based:
		message += ", and nothing is known of what they last agreed on"
		hint = "say --first mine or theirs"
	case s.known() != nil:
		message += ", and it was " + s.shown(s.known())
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

// unknownWho is the reason of a conflict in fields of which no run knows what the two sides agreed on.
const unknownWho = "differs from the platform, and this workspace does not know who is right: --first mine or theirs"

// keep stores the before-image of the fields that are sent.
func (c *comparison) keep(send map[schema.ID]bool) {
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
func (c *comparison) options() *Options {
	options := c.p.config.Options
	if options.First == "" && c.d.Baseless {
		options.First = Fail
	}
	return &options
}

// ask returns what becomes of fields that stand together, as somebody says who is asked where
// they are in conflict: they themselves, or items of the list that they are.
func (c *comparison) ask(together, conflicts []*sides) Decision {
	options := c.options()
	decision := decide(together, options)
	if decision != InConflict || c.p.config.Ask == nil {
		return decision
	}
	var items []Change
	if conflicts[0] != together[0] {
		items = inConflict(conflicts)
	}
	switch who := c.p.config.Ask(c.op, inConflict(together), items); {
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
			changes = append(changes, Change{Field: s.field.Path, Base: s.known(), Live: s.live, Mine: s.mine, Decision: InConflict})
		}
	}
	return changes
}
