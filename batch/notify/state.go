package notify

// State is what a night comes to.
type State string

// The states. The words of people who say which they want to be told are the first four.
const (
	Failed    State = "failed"
	Refused   State = "refused" // by a guard, or for lack of leave
	Changed   State = "changed" // something was written
	Recovered State = "recovered"
	Unchanged State = "unchanged"
	Locked    State = "locked" // another process was at it
)

// Told are the states that can be asked for.
var Told = []State{Failed, Refused, Changed, Recovered}

// StateOf returns what an exit code of the sync means.
func StateOf(code int, changed bool) State {
	switch {
	case code == 4:
		return Refused
	case code == 6:
		return Locked
	case code != 0 && code != 2:
		return Failed
	case changed:
		return Changed
	}
	return Unchanged
}

// bad reports whether somebody has to do something.
func (s State) bad() bool { return s == Failed || s == Refused }
