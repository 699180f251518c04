package desk

import (
	"net/http"
	"slices"
)

// choices are what a person has chosen for what is sent. Who says how the file is read has them: the caller of each method
// has answering.
type choices struct {
	decided []decision           // nil: not read yet
	titles  map[[3]string]string // of what was decided since the page was opened
	leaving
	switches
	renames renames
}

// switches are what a person turns on and off, and stays so until that is asked again.
type switches struct {
	skipInvalid bool
	remake      bool // what was taken back is made anew
}

// flags returns the flags of what is on.
func (s *switches) flags(said *asked) (flags []string) {
	for _, of := range []struct {
		said *bool
		on   *bool
		flag string
	}{{said.SkipInvalid, &s.skipInvalid, "--skip-invalid"}, {said.Remake, &s.remake, "--forget-missing"}} {
		if of.said != nil {
			*of.on = *of.said
		}
		if *of.on {
			flags = append(flags, of.flag)
		}
	}
	return flags
}

// renames are the answers to which new keys are old ones, in one reading of the file.
type renames struct {
	keys []string // none: no others are
	of   int      // the generation
}

// take takes what a person says of a row that is held back: one of the answers that the plan shows.
func (r *renames) take(said *string, generation int, shown *held) error {
	if r.of != generation || said != nil && *said == "" {
		r.keys, r.of = nil, generation
	}
	if said == nil || *said == "" || slices.Contains(r.keys, *said) {
		return nil
	}
	if shown == nil || !slices.Contains(shown.ops.asks, *said) && !(shown.anew() && *said == newKeys) {
		return refuse(http.StatusConflict, "that is not asked: look at the plan again")
	}
	r.keys = append(r.keys, *said)
	return nil
}
