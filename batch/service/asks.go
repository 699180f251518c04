package service

import (
	"context"
	"time"

	"eventbatch/batch/journal"
)

// Asks is how processes ask whoever has the lease of an owner for slots: package postgres has one.
type Asks interface {
	// Ask asks for slots of an owner, each counted by several. Granted returns how many were granted, none before
	// it is answered, and for how long they may be used. Used ends the ask.
	Ask(ctx context.Context, owner string, counted []string, wanted int) (id int64, err error)
	Granted(ctx context.Context, id int64) (slots int, left time.Duration, err error)
	Used(ctx context.Context, id int64, slots int) error

	// Asked returns the asks for slots of owners whose leases have these epochs, one that has ended once, and what
	// time it is. Grant answers one with slots that may be used until then, and reports whether somebody waits for
	// them and the epoch of the lease is this one still.
	Asked(ctx context.Context, owners map[string]int64) (asks []journal.Ask, now time.Time, err error)
	Grant(ctx context.Context, id, epoch int64, slots int, until time.Time) (granted bool, err error)
}

// What askers and granters have in common.
const (
	// pollEvery is how often an ask is looked at.
	pollEvery = 100 * time.Millisecond
	// askFor is how long an ask waits for its answer: what is older is asked anew.
	askFor = 2 * time.Minute
	// grantFor is how long what is granted may be used.
	grantFor = 5 * time.Second
	// mostWanted is how many slots are asked for at most.
	mostWanted = 32
)
