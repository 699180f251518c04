package journal

import (
	"context"
	"iter"
	"time"
)

// Database is where a [Shared] store keeps its runs: batch/postgres is one. It stores texts
// under names and numbers, and knows nothing of what they say. Whatever it returns without an
// error it has stored for good. It is used by many goroutines and processes at once.
type Database interface {
	// Name names it for people, without anything secret.
	Name() string
	// Copy tells it from its copies: a database that was restored from a backup, or that has
	// taken over from another one, has another name or number.
	Copy() (name string, number uint64, err error)
	// Lock keeps every other process from planning until unlock is called.
	Lock(ctx context.Context) (unlock func() error, err error)

	// Run returns one run, [io/fs.ErrNotExist] where there is none, and Runs all of them: where
	// calendars are given, Part tells which have ops of them. Both leave the headers to Headers, which
	// returns them in the order of the ids, nil for a run that is not there.
	Run(id string) (*Stored, error)
	Runs(calendars []string) ([]Stored, error)
	Headers(ids []string) ([][]byte, error)
	// Insert stores a run with its ops and its journal, whole or not at all.
	Insert(run *Stored, ops iter.Seq2[StoredOp, error], chains []StoredChain, journal iter.Seq2[StoredPiece, error]) error
	// Delete removes runs, and DropRows the rows of one.
	Delete(ids []string) error
	DropRows(id string, at time.Time) error

	// Lines and Rows return what the ops of a run say, in order, or where calendars are given
	// those of them; and Op both of one.
	Lines(run string, calendars []string) iter.Seq2[[]byte, error]
	Rows(run string, calendars []string) iter.Seq2[[]byte, error]
	Op(run string, n int) (line, row []byte, err error)
	// Chains returns what the journal of a run consists of in the order of the owners, or where
	// calendars are given what the journal of these can. Journal returns the chains of owners, or
	// all, in that order and in pieces.
	Chains(run string, calendars []string) ([]StoredChain, error)
	Journal(run string, owners []string) iter.Seq2[StoredPiece, error]
	// Turn returns the number of the next attachment, at least the given one.
	Turn(least int) (int, error)
	// Clock returns the time of the clock that all machines share.
	Clock() (time.Time, error)

	// Hold takes a run for this process, until it ends or releases it; nil where another
	// one has it, or a share of it. Held reports whether one has, or is going to.
	Hold(run string) (Held, Holder, error)
	Held(run string) (bool, error)

	// Lease takes the right to send for the owner of a quota; nil where another process has it.
	Lease(owner string) (HeldLease, Left, Holder, error)

	// Kept returns what was kept under a name, [io/fs.ErrNotExist] where nothing was.
	Kept(kind, name string) ([]byte, error)
	// KeptSince returns it with a word for it, which nothing else that was ever kept there has,
	// and no text where that is the word.
	KeptSince(kind, name, word string) (text []byte, now string, err error)
	Keep(kind, name string, text []byte) error
	// Change puts what change makes of a text in its place, while no other process does; nil
	// removes it.
	Change(kind, name string, change func(text []byte) []byte) error
	// Names returns the names under which something of a kind is kept.
	Names(kind string) ([]string, error)
	Close() error
}

// Stored is a run as a database has it.
type Stored struct {
	ID       string
	Number   int // unique
	Created  time.Time
	Identity string
	Source   string
	BaseURL  string
	Header   []byte // of one that is inserted
	Ops      int
	Bytes    int64     // of its journal
	Dropped  time.Time // when its rows were; zero where they are there
	Part     bool      // it has ops of the calendars that were asked for
}

// StoredOp is an op as a database has it.
type StoredOp struct {
	Calendar string
	Line     []byte
	Row      []byte // nil once it was dropped
}

// StoredChain is a chain of a journal: that of whoever carries the whole run, which has no
// owner, or of a share.
type StoredChain struct {
	Owner   string
	Records int64 // that there are at least
	Bytes   int64
}

// StoredPiece is a piece of a chain, behind so many of its records.
type StoredPiece struct {
	Owner string
	After int64
	Lines []byte
}

// Held is a run, or a share of one, that this process has taken. Once another one could take
// it, since the database has lost sight of this process, nothing more is stored.
type Held interface {
	// Append stores the next piece of the chain behind so many records, and the number of all
	// that there are then, unless that is 0; and how many ops have failed, as the piece says.
	// After an error it may be stored or not; with a [FencedError] it is not.
	Append(piece []byte, after, records int64, failed int) error
	Release() error
}

// HeldLease is the right to send for an owner, which this process has.
type HeldLease interface {
	Epoch() int64
	// Lock keeps every other process from planning, and from taking up whole runs.
	Lock(ctx context.Context) (unlock func() error, err error)
	// Hold takes what some calendars have of a run; nil where another process has it, or the
	// whole run. Whole reports whether one has that.
	Hold(run string, calendars []string) (Held, Holder, error)
	Whole(run string) (bool, error)
	// Keep stores a text as the database does, unless another process has taken over: a [FencedError].
	Keep(kind, name string, text []byte) error
	// Release gives the right up, and leaves a text to whoever has it next.
	Release(slots []byte) error
}
