package journal

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"eventbatch/mapping/failure"
)

// merger makes one chain of those of a run that was carried in shares. It has their records in the
// order in which the shares were taken up, and behind them an end with what they come to: the ends
// among them are of single shares.
type merger struct {
	folder  string   // for temporary files
	records *spool   // of the chains, one after another
	of      *folding // that of the last record
	stints  []stint  // in the order of the records
	opening encoded  // of the first chain
	merged  *spool   // the one chain
	next    chain    // of its next line
	line    []byte
}

// stint is what a chain has from one attachment to the next.
type stint struct {
	turn     int32
	at, size int64 // of its lines
}

func newMerger() (*merger, error) {
	folder, err := os.MkdirTemp("", "eventbatch-copy-*")
	if err != nil {
		return nil, spoolError(err)
	}
	m := &merger{folder: folder, next: chain{n: 1}}
	if m.records, err = newSpool(filepath.Join(folder, "records")); err == nil {
		m.merged, err = newSpool(filepath.Join(folder, journalName))
	}
	if err != nil {
		return nil, errors.Join(spoolError(err), m.Close())
	}
	return m, nil
}

func spoolError(err error) error {
	return failure.New(failure.Disk, fmt.Errorf("merging the journal of a run: %w", err),
		"see to it that the folder for temporary files can be written")
}

// add adds a record of a chain, which has been folded in.
func (m *merger) add(of *folding, e *entry) error {
	if e.T == Open {
		if m.opening.T == "" {
			m.opening = e.encoded
		}
		return nil
	}
	if m.of != of || m.stints[len(m.stints)-1].turn != of.latest {
		m.of, m.stints = of, append(m.stints, stint{turn: of.latest, at: m.records.size})
	}
	var err error
	if m.line, _, err = appendLine(m.line[:0], chain{}, e.encoded); err == nil {
		err = m.records.put(m.line)
	}
	if err != nil {
		return spoolError(err)
	}
	m.stints[len(m.stints)-1].size += int64(len(m.line))
	return nil
}

// merge writes the one chain of a run, given what its chains come to, and returns how far it goes.
func (m *merger) merge(r *run, state *State) (extent, error) {
	err := m.all(r, state)
	if err == nil {
		err = m.merged.out.Flush()
	}
	if err != nil {
		return extent{}, spoolError(err)
	}
	return extent{lines: m.next.n - 1, crc: m.next.p, size: m.merged.size}, nil
}

func (m *merger) all(r *run, state *State) error {
	if err := m.records.out.Flush(); err != nil {
		return err
	}
	opening := r.opening()
	opening.At = m.opening.At
	if err := m.put(opening); err != nil {
		return err
	}
	slices.SortStableFunc(m.stints, func(a, b stint) int { return cmp.Compare(a.turn, b.turn) })
	var e entry
	for _, s := range m.stints {
		in := bufio.NewReaderSize(io.NewSectionReader(m.records.file, s.at, s.size), opsBuffer)
		for left := s.size; left > 0; {
			line, err := readLine(in)
			if err != nil || !parseLine(line[:len(line)-1], &e) {
				return cmp.Or(err, errors.New("a temporary file is not what was written"))
			}
			left -= int64(len(line))
			if err := m.put(e.encoded); err != nil {
				return err
			}
		}
	}
	return m.put(encoded{T: End, At: state.At.UnixMilli(), Code: state.Ended})
}

// put writes a record. All that come before it have been stored for good.
func (m *merger) put(e encoded) (err error) {
	if m.line, m.next.p, err = appendLine(m.line[:0], m.next, e); err != nil {
		return err
	}
	m.next.n, m.next.d = m.next.n+1, m.next.n
	return m.merged.put(m.line)
}

// text reads the one chain.
func (m *merger) text() io.Reader { return io.NewSectionReader(m.merged.file, 0, m.merged.size) }

// Close removes the temporary files.
func (m *merger) Close() error {
	for _, s := range []*spool{m.records, m.merged} {
		if s != nil {
			_ = s.file.Close() // it goes
		}
	}
	return os.RemoveAll(m.folder)
}
