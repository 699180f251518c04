package plan

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
	var fields []Change
	for _, s := range conflicts {
		if s.said && !s.same {
			fields = append(fields, Change{Field: s.field.Path, Base: s.known(), Live: s.live, Mine: s.mine, Decision: InConflict})
		}
	}
	switch who := c.p.config.Ask(c.op, fields); {
	case (who == Mine || who == Theirs) && conflicts[0] != together[0]:
		together[0].merge(who)
		return decide(together, options)
	case who == Mine:
		return Send
	case who == Theirs:
		return Left
	}
	return InConflict
}
