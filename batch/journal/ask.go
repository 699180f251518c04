package journal

import "time"

// Ask is the question of a process for slots of an owner whose lease another one has; or says that this process has
// lost the lease to another one, and nothing else.
type Ask struct {
	Lost    bool
	ID      int64
	Owner   string
	Counted []string      // what counts each request, the owner last
	Wanted  int           // slots
	Age     time.Duration // since it was asked
	Granted bool
	Used    int // slots, once the asker has no more use for others; -1 before
}
