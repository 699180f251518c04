package plan

// ask returns what becomes of fields that stand together, as somebody says who is asked where
// they are in conflict.
func (c *comparison) ask(together []*sides) Decision {
	decision := decide(together, &c.p.config.Options)
	if decision != InConflict || c.p.config.Ask == nil {
		return decision
	}
	var fields []Change
	for _, s := range together {
		if s.said && !s.same {
			fields = append(fields, Change{s.field.Path, s.known(), s.live, s.mine, InConflict})
		}
	}
	switch c.p.config.Ask(c.op, fields) {
	case Mine:
		return Send
	case Theirs:
		return Left
	}
	return InConflict
}
