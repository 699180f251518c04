package journal

import (
	"context"
	"iter"
	"time"

	"eventbatch/batch/plan"
)

// Store holds runs, what became of them, and the memory of keys. [Workspace] is the one
// of files. It is used by several goroutines and processes at once.
type Store interface {
	// Name names the store for people.
	Name() string
	// Folder is where the files of this machine lie: results, and what is read for exports.
	Folder() string
	// Kept returns what was kept under a name of some kind, besides the runs: the error is
	// [fs.ErrNotExist] where nothing was. Keep replaces it.
	Kept(kind, name string) ([]byte, error)
	Keep(kind, name string, text []byte) error
	// Lock keeps every other process from planning until unlock is called: see
	// [Workspace.Lock].
	Lock(ctx context.Context) (unlock func() error, err error)
	// Find returns the run of that name: its id, the only beginning of it, or [Latest].
	Find(name string) (Run, error)
	// Runs lists the runs from old to new.
	Runs() ([]Summary, error)
	// Unfinished returns the newest run of that identity with something left to do, nil
	// where there is none.
	Unfinished(identity string) (Run, error)
	// Draft begins a run, planned at that time or now.
	Draft(created time.Time) (Draft, error)
	// Memory reads what the runs that were sent to a service know. It has to be closed.
	Memory(baseURL string) (Memory, error)
	// Remember makes the memory quicker to read once a run has come to its end.
	Remember(ctx context.Context, run Run)
	// Prune removes what nobody needs any more.
	Prune(ctx context.Context, what Pruning) (*Pruned, error)
}

// Draft is a new run while its ops are decided. They are stored as they come; the run
// appears when the draft is sealed.
type Draft interface {
	Len() int
	// Add takes over the ops of the next row: nobody else may change them, or what they hold, from then on.
	Add(op *plan.Op) error
	// Pass counts an unchanged row of which nothing is stored.
	Pass(resource string)
	// Seal ends the draft: the id, number, version, time and counts of the header are
	// filled in, and the ops that changes names by their index have become something else.
	Seal(header plan.Header, changes map[int]Change) (Run, error)
	Discard() error
}

// Run is a plan, and what became of it.
type Run interface {
	ID() string
	Files() Files
	Header() plan.Header
	Len() int // number of ops
	// Lines reads the ops in order without their payloads, Sends those of them that
	// send, and Ops all of them whole. The last thing that they give may be an error.
	Lines() iter.Seq2[*plan.Op, error]
	Sends() iter.Seq2[*plan.Op, error]
	Ops() iter.Seq2[*plan.Op, error]
	// Reader opens the plan to read ops whole in any order, and Load reads the payload of one.
	Reader() (OpReader, error)
	Load(op *plan.Op) error

	// Checksum names what the plan says: no other plan has the same.
	Checksum() (string, error)

	// State reads what the journal says, changing nothing, and Sendings when each
	// request that changes something left.
	State() (*State, error)
	Sendings() ([]Sending, error)
	// Attach takes the run up for this process, which then writes its journal.
	Attach(a Attachment) (Journal, *State, error)
}

// Files are the paths of a run's files. Results belong there whether or not they have been
// written: whoever writes them replaces the file whole. The others are empty where the store
// does not keep its runs in files.
type Files struct {
	Folder  string
	Plan    string
	Journal string
	Results string
}

// OpReader reads ops whole, in any order, for many goroutines at once.
type OpReader interface {
	Op(n int) (*plan.Op, error)
	Close() error
}

// Journal records what becomes of a run that this process holds, for many goroutines at
// once.
type Journal interface {
	// Append stores a record that becomes durable within a second; it does not wait.
	Append(r Record) error
	// Commit returns once its record is durable: before the first byte of a request
	// leaves that must not be sent twice.
	Commit(ctx context.Context, r Record) error
	// Close stores what is left, and gives up the run.
	Close() error
}

// Memory is what all runs know about the events of one service.
type Memory interface {
	plan.Memory

	// Owned returns what a source owns.
	Owned(source string) iter.Seq[Owned]
	// Heard returns when a run was last heard of, or any run where none is named, by the time at
	// which the memory was read: nothing that it was answered before is newer. It is zero where
	// that is not known.
	Heard(run string) time.Time
	// Left returns the runs of a source that processes have taken up, and left with something
	// to do.
	Left(source string) []Run
	// Turn is the [Attachment.Turn] of whoever takes a run up next, as long as the store
	// is locked.
	Turn() int
	// Overtaken returns the first open op of a run that another one has dealt with since
	// it was planned, and OvertakenBy the run that has dealt with one.
	Overtaken(r Run) (op *plan.Op, by string, err error)
	OvertakenBy(r Run, op *plan.Op) (by string)
	// Err returns why something could not be read: ask for it before anything is done
	// about the answers.
	Err() error
	Close() error
}

var _ Store = (*Workspace)(nil)
