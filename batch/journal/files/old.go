package files

import (
	"errors"
	"io"
	"os"

	"eventbatch/batch/journal"
)

// Databases once kept what this package writes: the lines of a journal for each owner of a share of a run, and the
// snapshot. These read them.

// Records hands on the records of the lines that a database has kept of a run, or of a share of it, and returns how
// many there are. The error may be a [journal.DamagedError].
func Records(of *journal.Head, share bool, name string, lines io.Reader, each func(*journal.Record) error) (n int64, err error) {
	r := &run{}
	r.Run = journal.NewRun(of, journal.Files{}, r)
	ext, err := replay(name, lines, func(e *entry) error {
		if e.N == 1 {
			if share {
				e.Calendars = r.Header().Target.Calendars // it named none
			}
			if err := r.opens(e); err != nil {
				return err
			}
		}
		record, ok := e.record()
		if !ok {
			return errors.New("a record without an op")
		}
		return each(&record)
	})
	return ext.lines, err
}

// Snapshot returns what the snapshot that a database has kept says of runs that were pruned, and of the others as far as
// it covers them, given the mark beside it: both are nil where there is none. It lies in a folder until it is closed.
func Snapshot(dir, baseURL string, text, mark []byte) (*journal.Memory, error) {
	w, err := OpenWorkspace(dir)
	if err == nil && text != nil {
		err = os.WriteFile(w.snapshotPath(baseURL), text, fileMode)
	}
	if err == nil && mark != nil {
		err = os.WriteFile(w.markerPath(baseURL), mark, fileMode)
	}
	if err != nil {
		return nil, err
	}
	return w.Memory(baseURL)
}
