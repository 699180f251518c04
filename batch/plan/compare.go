package plan

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// comparison is the comparing of one row with its record.
type comparison struct {
	*row

	// unmoved means that the row says what was sent or agreed to last: nothing of it has moved.
	unmoved  bool
	baseline baseline.Base
	exported bool                       // the row has a baseline
	members  map[string]json.RawMessage // of the record, as the service tells them now
	whole    bool                       // they are those of a read of the record, or no read tells more
	sides    []*sides
}

// merge decides field by field what becomes of a row whose record is known. It does not
// decide about a row that says CREATE where the record is there.
func merge(r *row) (decided bool) {
	c, d, from := comparison{row: r}, r.d, r.op.Event.Calendar
	c.baseline, c.exported = baseline.Parse(d.Base)
	c.unmoved = !c.exported && c.recorded()
	if !c.read(false) {
		return true
	}
	if d.Action == schema.Create {
		return false
	}
	lacking := func(s *sides) bool {
		return s.said && !s.told && (s.mineMoved || !s.based || c.config.Options.owns(s.field))
	}
	if !c.whole && slices.ContainsFunc(c.sides, lacking) && !c.read(true) {
		return true
	}
	conclusion{&c}.draw()
	c.moved(from)
	return true
}

// recorded reports whether the row says what is recorded of its event.
func (c *comparison) recorded() bool {
	return c.op.Hash != "" && Values(c.known.Hash) == Values(c.op.Hash)
}

// read asks what is live, and sets the three sides of each field side by side. It reports
// whether the row goes further.
func (c *comparison) read(whole bool) (further bool) {
	var err error
	if c.live != nil {
		c.members, c.whole = c.live.Values, true
	} else {
		c.members, c.whole, err = c.config.Live(&c.op.Event, whole)
	}
	switch unshown := failure.Is[*UnshownError](err); {
	case (unshown || errors.Is(err, ErrGone)) && c.moves(c.op.Event.Calendar):
		c.unmovable("the key of calendar " + c.op.Event.Calendar + " shows no event " + c.op.Event.ID)
		return false
	case errors.Is(err, ErrGone), unshown && c.found:
		c.gone()
		return false
	case err != nil:
		c.hold(err.Error())
		return false
	}
	c.op.Event.locate(c.d, c.members)
	if err := c.align(); err != nil {
		c.unsound(err)
		return false
	}
	return true
}

// gone decides about a row whose event, or record, the platform does not have any more. Where
// the row has not changed since, or the platform is right, it is let go, which is said once.
func (c *comparison) gone() {
	if c.found { // no run has made it, nor agreed with it on anything
		c.op.Event.ID, c.known, c.found = "", Known{}, false
		choice{c.row}.chooseBySlug()
		return
	}
	op, who := c.op, c.config.Options.OnConflict
	the, what := "the event was cancelled on the platform", "event "+op.Event.ID+" was cancelled on the platform"
	if r := c.d.Resource; !r.Keyed() {
		the = "the " + r.One + " is gone from the platform"
		what = the
	}
	unchanged := c.d.Untouched() || c.recorded()
	if who == Fail && !unchanged && c.d.Action != schema.Create && c.config.Ask != nil {
		who = c.config.Ask(op, nil, nil)
	}
	switch {
	case unchanged && c.known.Gone:
		c.unchanged("run " + c.known.Run + " found that " + the)
	case unchanged || who == Theirs && c.d.Action != schema.Create:
		op.Action, op.Reason, op.Agrees = Skip, the, Gone
		op.Hash = cmp.Or(op.Hash, c.known.Hash)
	case who == Mine || c.d.Action == schema.Create:
		op.Event.ID = ""
		c.d.Touch()
		if c.known = (Known{}); c.d.Resource.Keyed() {
			creation{c.row}.create()
		} else {
			creation{c.row}.add()
		}
		if op.Action == Create {
			op.Reason = the
		}
	default:
		c.conflict("", "the row has changed, and "+what,
			"take the row out, or say --on-conflict mine to make the "+c.d.Resource.One+" again, or theirs to let it go")
	}
}

// BothChanged is the reason of a conflict that somebody decides by saying who is right: in fields, or where the platform has
// cancelled an event whose row has changed.
const BothChanged = "changed in the file and on the platform"

func (c *comparison) conflict(field, message, hint string) {
	if c.config.Options.Compare != "live" { // by which alone the flag is refused
		hint = strings.ReplaceAll(hint, "--on-conflict", "--compare live --on-conflict")
	}
	c.refuseAt(field, schema.CodeConflict, message, hint)
	c.op.Action, c.op.Reason = Conflict, BothChanged
}
