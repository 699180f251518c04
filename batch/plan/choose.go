package plan

import (
	"fmt"
	"strings"

	"eventbatch/mapping/schema"
)

// Passed is the reason of unchanged rows that were only counted.
const Passed = "nothing has changed"

// asExported is the reason of a row that nobody has touched since it was exported.
const asExported = "the row is as it was exported"

// NamesEvent is the reason of an update whose event no run knows.
const NamesEvent = "the row names the event"

// FoundAgain is the reason of an update whose event the workspace did not know.
const FoundAgain = "the event was found again by its slug: this workspace did not know it"

// The reasons of a row whose record is live as it says.
const (
	hasIt   = "the platform has it so"
	foundSo = "found again by its slug, and the platform has it so"
)

// leftChanged is the reason of a row of which all stays that it would change: somebody else has changed it.
const leftChanged = "left: changed on the platform"

// choice is the deciding of what is done with a record that is known, or known to be new.
type choice struct{ *row }

// choose decides by what the row asks for, now that its record is known or known to be new.
func (c choice) choose() {
	switch of := c.d.Resource; {
	case of.Keyed():
		c.says()
		c.chooseBySlug()
		if c.config.Source.Renames[c.op.Event.Key] != "" && c.op.Action == Unchanged {
			c.op.Agrees = Differs // under its new key, from now on
		}
	case of.Cell != nil:
		c.request(c.d.Action, "the call says so")
	default:
		c.chooseByList()
	}
}

func (c choice) chooseBySlug() {
	op, d, known := c.op, c.d, &c.known
	switch {
	case d.Action == schema.Cancel:
		c.cancel()
	case known.Cancelled && known.Hash == op.Hash && c.undone() && d.Action != schema.Create:
		c.unchanged(undoneBy(known))
	case op.Event.ID != "":
		c.change()
		switch {
		case c.found && op.Action == Update:
			op.Reason = FoundAgain
		case c.found && op.Reason == hasIt:
			op.Reason = foundSo
		}
	case d.Action == schema.Update:
		c.changeBySlug()
	default:
		creation(c).create()
	}
}

func (c choice) chooseByList() {
	op, d, known := c.op, c.d, &c.known
	of, made := d.Resource, known.there()
	keeps := d.Action == schema.Upsert || d.Action == schema.Update
	switch {
	case made && c.live == nil && len(op.After) == 0 && keeps && c.config.compares(),
		made && known.Gone && c.live == nil && d.Action == schema.Upsert && c.sentSo():
		op.Event.ID = known.EventID
		(&comparison{row: c.row}).gone()
	case d.Action == schema.Invite:
		c.invite()
	case c.there && d.Action == schema.Create:
		c.refuseAt(d.Naming().Path, schema.CodeKeyExists, fmt.Sprintf("the row says CREATE, but the %s exists", of.One),
			"say UPSERT or UPDATE to change the "+of.One)
	case c.there && d.Action == schema.Delete && c.undone():
		c.unchanged(undoneBy(known))
	case c.there && d.Action == schema.Delete:
		if op.Event.ID = known.EventID; c.live != nil {
			op.Event.ID = c.live.ID
		}
		c.request(schema.Delete, "the row says DELETE")
	case c.there && c.live != nil:
		c.changeListed()
	case c.there:
		c.changeRemembered()
	case op.Event.ID != "" && d.Action != schema.Delete:
		c.refuseAt(of.ID, schema.CodeKeyMissing, fmt.Sprintf("there is no %s %s", of.One, op.Event.ID),
			"leave the cell blank to have "+of.Some()+" made")
	case of.Alike != nil && op.Event.Slug == "" && op.Event.ID == "" && known.Run == "":
		c.refuseAt(d.Naming().Path, schema.CodeKeyMissing,
			fmt.Sprintf("no run of this workspace knows the key, and nothing else says which %s it is", of.One),
			"fill in "+strings.Join(of.Alike, " and ")+" as they were sent, or "+of.ID)
	case known.Cancelled && known.Hash == op.Hash && d.Action == schema.Upsert && c.live == nil && c.undone():
		c.unchanged(undoneBy(known))
	case d.Action == schema.Delete:
		c.unchanged("the " + of.One + " is gone already")
	case d.Action == schema.Update:
		c.refuseAt(d.Naming().Path, schema.CodeKeyMissing, fmt.Sprintf("the row says UPDATE, and there is no such %s", of.One),
			"say UPSERT or CREATE to add the "+of.One)
	default:
		creation(c).add()
	}
}

func (c choice) cancel() {
	op, known := c.op, &c.known
	switch {
	case known.Gone && known.Cancelled:
		c.unchanged("the event is gone already")
	case known.Cancelled:
		c.unchanged("run " + known.Run + " cancelled it already")
	case op.Event.ID == "" && op.Event.Slug == "":
		c.missing("cancel")
		op.Action, op.Problems[len(op.Problems)-1].Severity = Skip, schema.Warning // it is as the row says
	default:
		c.request(schema.Cancel, "the row says CANCEL")
	}
}

// invite plans an invitation of somebody who was not invited yet, and is not there.
func (c choice) invite() {
	switch one := c.d.Resource.One; {
	case c.live != nil:
		c.unchanged("the " + one + " is there already: nobody is invited twice")
	case c.known.sent():
		c.unchanged("run " + c.known.Run + " has invited the " + one)
	default:
		c.request(schema.Invite, "the row says INVITE")
	}
}
