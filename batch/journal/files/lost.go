package files

import (
	"bytes"
	"fmt"
	"strconv"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// A journal that has lost its end looks like one that a crash has torn, and a copied
// folder like the first. For most ops that does no harm: they are sent again, and a
// slug reports whether they had been. A create without a slug would make its event a
// second time. So the file synced, beside the journal, says how many records of it are
// on disk, and the plan and each attachment say which folder they were made in. Where
// either does not fit, or where there are results that the journal knows nothing of, the
// creates without a slug and without an outcome are in doubt, and are looked for.
//
// synced is written after each sync of the journal, before anybody goes on who waited
// for it, and is never synced itself: that would cost each request a second wait for the
// disk. After a loss of power it may say less than there is, and never more.

const syncedName = "synced"

// syncedWidth is the width of the number in synced, so that it is replaced in place.
const syncedWidth = 20

// evidence is what the folder of a run says besides its journal. It is gathered before
// the journal is read, which may grow meanwhile.
type evidence struct {
	here    plan.Home
	synced  int64 // records that the journal has at least
	told    bool  // it says so
	results bool
}

// lost returns in words how the journal, which says that, does not account for what
// the rest of the folder says; empty where it does.
func (e *evidence) lost(s chainSays) string {
	switch {
	case s.lines == 0 && (e.synced > 0 || e.results):
		return "its journal is missing"
	case s.lines < e.synced:
		return "its journal has lost its end"
	case !e.told && s.counted:
		return "nothing says how long its journal was"
	case e.results && !s.ended:
		return "its journal does not know of its results"
	}
	return ""
}

// doubts returns the records of doubt that come before an attachment.
func (r *run) doubts(s *journal.State, e *evidence, said chainSays) ([]journal.Record, error) {
	moved := s.Moved(e.here)
	if moved == "" && e.lost(said) == "" {
		return nil, nil
	}
	suspects, err := r.Suspects(s)
	if err != nil || len(suspects) == 0 || moved == "" {
		return suspects, err
	}
	if original := r.original(s.Home); original != "" {
		return nil, failure.New(
			failure.Stale, fmt.Errorf("run %s is a copy: the one that it was made from is still in %s", r.ID(), original),
			"go on there; or, if that folder is not used any more, remove it: each event is then looked for before it is made",
		)
	}
	return suspects, nil
}

// appendSynced appends a number of records as synced has it.
func appendSynced(dst []byte, records int64) []byte {
	digits := strconv.AppendInt(nil, records, 10)
	dst = append(dst, bytes.Repeat([]byte{'0'}, syncedWidth-len(digits))...)
	return append(append(dst, digits...), '\n')
}
