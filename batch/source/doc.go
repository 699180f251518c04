// Package source knows what rows come from time and again, and which of its keys are gone.
//
// A source is known by the name that somebody gives it, else by its files. Its first plan binds it to a target
// ([Binding]): the same name with another target would make all its events again, and miss those that there were.
//
// A [Reading] is told of each row while an input is planned, and settles the source once all are read. A key that
// the source owns and a whole reading does not name is gone: its event stays, or is cancelled where it is on the
// platform as the source left it. A reading that may lack rows misses nothing; one that looks cut off, or
// renumbered, is refused ([DoubtfulError]); a new row that has most of what a key had that is gone is held back
// until somebody says whether it is the same event.
package source
