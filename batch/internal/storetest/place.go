package storetest

import "eventbatch/batch/journal"

// Place is an empty place where a store keeps its runs. Its methods end the test where they
// cannot do what they should.
type Place interface {
	// Open opens the store as another process does.
	Open() journal.Store
	// Kill ends the processes that have a run's journal, which are closed afterwards: nothing
	// more of it is stored.
	Kill(run string)
	// Break makes the next write of the journals that processes have of a run fail.
	Break(run string)
	// Spoil changes one byte of a part of a run.
	Spoil(run string, part Part)
}

// Part is what the plan of a run consists of.
type Part string

// The parts of a plan.
const (
	Header Part = "header"
	Lines  Part = "lines"
	Rows   Part = "rows"
)

// LinesPlace is a place where the journal of a run is lines in a file.
type LinesPlace interface {
	Place
	// Cut takes so many of the last lines of a run's journal away, but for the first. No process has it.
	Cut(run string, lines int)
	// SpoilLine changes one byte of a line of a run's journal behind which there are others.
	SpoilLine(run string)
}

// SharedPlace is a place of a [journal.Shared], whose runs several processes can carry at once.
type SharedPlace interface {
	Place
	// Lose makes the database lose sight of the process that has an owner's lease or, without
	// one, the whole of a run: others can take it, and that process knows nothing of it.
	Lose(owner, run string)
}
