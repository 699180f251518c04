package files

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
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

// evidence returns that of the run.
func (r *run) evidence() (evidence, error) {
	var e evidence
	var err error
	if e.here, err = r.home(); err != nil {
		return e, journal.Unusable("looking at run "+r.ID(), err)
	}
	if _, err := os.Stat(r.resultsPath()); err == nil {
		e.results = true
	}
	f, err := r.in.disk.Read(r.syncedPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return e, nil
	case err != nil:
		return e, journal.Unusable("looking at run "+r.ID(), err)
	}
	text, err := io.ReadAll(io.LimitReader(f, syncedWidth))
	if err = cmp.Or(err, f.Close()); err != nil {
		return e, journal.Unusable("reading "+r.syncedPath(), err)
	}
	e.told = true
	if e.synced, err = strconv.ParseInt(string(text), 10, 64); err != nil {
		e.synced = math.MaxInt64 // whatever it said, it cannot be held against the journal
	}
	return e, nil
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

// original returns the folder that the run was copied from, where that is still there.
func (r *run) original(home plan.Home) string {
	if home.Host != r.in.host || home.Inode == 0 {
		return "" // another machine, or none that can be told apart
	}
	if info, err := os.Stat(home.Folder); err != nil || inode(info) != home.Inode {
		return ""
	}
	return home.Folder
}

// count opens the file for the writer, which is the one to change it from the
// record behind those in doubt on: until these are on disk it has to tell of the loss.
func (r *run) count(e *evidence, lines int64, inDoubt int) (File, error) {
	if !e.told {
		if inDoubt > 0 {
			lines++
		}
		if err := r.in.disk.Create(r.syncedPath(), appendSynced(nil, lines)); err != nil {
			return nil, &journal.PoisonedError{Path: r.syncedPath(), Err: err}
		}
	}
	f, err := r.in.disk.Open(r.syncedPath())
	if err != nil {
		return nil, journal.Unusable("opening "+r.syncedPath(), err)
	}
	return f, nil
}

func (r *run) syncedPath() string { return filepath.Join(r.folder, syncedName) }

// appendSynced appends a number of records as synced has it.
func appendSynced(dst []byte, records int64) []byte {
	digits := strconv.AppendInt(nil, records, 10)
	dst = append(dst, bytes.Repeat([]byte{'0'}, syncedWidth-len(digits))...)
	return append(append(dst, digits...), '\n')
}
