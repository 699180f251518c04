package files

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sort"
	"strconv"
	"sync"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/mapping/own"
)

// snapshot is the facts of the runs that have come to their end, in a file in which they
// are searched. It holds blocks of facts in the order of their names, those of keys and
// then those of events; a line of JSON; and a line with where that begins and the CRC-32C
// of all before it. It is only believed while the journals that it covers have the size
// that they had. Whatever is wrong with it, it is made anew from the runs, as long as none
// of them was pruned: see [Workspace.Prune].
type snapshot struct {
	snapshotIndex

	again []string // runs that it covers, and whose journals have changed since

	file      *os.File // nil where nothing is covered
	temporary bool     // the file has not been given its name

	reading sync.Mutex
	block   [blockSize]byte // that was read last
}

// snapshotIndex is the line of JSON.
type snapshotIndex struct {
	Version  int        `json:"version"`
	BaseURL  string     `json:"base_url"`
	Turn     int32      `json:"turn"`
	Runs     []string   `json:"runs"`
	Sizes    []int64    `json:"sizes"` // of their journals; pruned where the run was
	Sources  []string   `json:"feeds"` // their sources
	Heard    []int64    `json:"heard"` // when they were last heard of, as far as is known
	Sections [2]section `json:"sections"`

	TakeOvers []journal.TakeOver `json:"take_overs,omitempty"`
}

// section is a run of blocks. First holds the name that each of them begins with.
type section struct {
	At    int64  `json:"at"`
	First []byte `json:"first"`
}

const (
	snapshotVersion = 2
	// pruned stands for the size of a journal that the snapshot alone knows about. A later
	// version of the snapshot has to read this one, since such runs cannot be read again.
	pruned = -1

	opsBuffer   = 256 << 10 // what is read and written at a time
	blockSize   = 4096
	nameBytes   = len(journal.Name{})
	trailerSize = 16 + 1 + 8 + 1
)

// readSnapshot returns the snapshot in a file, of no version where it is not what was written.
func readSnapshot(path string) (*snapshot, error) {
	f, err := own.Open(path)
	if err != nil {
		return nil, err
	}
	s := &snapshot{file: f}
	index, err := readIndex(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading %s: %w", f.Name(), err), f.Close())
	}
	if index != nil {
		s.snapshotIndex = *index
	}
	return s, nil
}

// readIndex checks the whole file and returns its line of JSON, nil where the file is not
// what was written.
func readIndex(f *os.File) (*snapshotIndex, error) {
	info, err := f.Stat()
	if err != nil || info.Size() < trailerSize {
		return nil, err
	}
	sum := &journal.Summer{W: io.Discard}
	crcAt := info.Size() - 8 - 1
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(f, 0, crcAt), make([]byte, opsBuffer)); err != nil {
		return nil, err
	}
	trailer := make([]byte, trailerSize)
	if _, err := f.ReadAt(trailer, info.Size()-trailerSize); err != nil {
		return nil, err
	}
	at, err := strconv.ParseInt(string(trailer[:16]), 16, 64)
	if err != nil || at > info.Size()-trailerSize || at < 0 || string(trailer[17:]) != hex8(sum.CRC)+"\n" {
		return nil, nil
	}
	text := make([]byte, info.Size()-trailerSize-at)
	if _, err := f.ReadAt(text, at); err != nil {
		return nil, err
	}
	var index snapshotIndex
	if json.Unmarshal(text, &index) != nil || index.Version < snapshotVersion {
		return nil, nil
	}
	if index.Version > snapshotVersion {
		return nil, journal.UnknownVersion("it", index.Version, snapshotVersion)
	}
	if len(index.Runs) != len(index.Sizes) || len(index.Runs) != len(index.Sources) {
		return nil, nil
	}
	return &index, nil
}

// changed returns the runs whose journals are not those that were read, or are gone, and
// those that a process was killed over while it pruned them.
func (s *snapshotIndex) changed(runs map[string]*journal.Run) []string {
	var changed []string
	for i, id := range s.Runs {
		if runs[id] == nil {
			if s.Sizes[i] != pruned {
				changed = append(changed, id)
			}
		} else if size, err := journalSize(runs[id]); err != nil || size != s.Sizes[i] {
			changed = append(changed, id)
		}
	}
	return changed
}

// journalSize returns the size of a run's journal.
func journalSize(r *journal.Run) (int64, error) {
	info, err := os.Stat(r.Files().Journal)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// heard returns when the run of that number was last heard of. Earlier versions did not note it.
func (s *snapshotIndex) heard(i int) time.Time {
	if i < len(s.Heard) && s.Heard[i] > 0 {
		return time.UnixMilli(s.Heard[i])
	}
	return time.Time{}
}

// pruned returns how many runs only the snapshot knows about.
func (s *snapshotIndex) pruned() int {
	n := 0
	for _, size := range s.Sizes {
		if size == pruned {
			n++
		}
	}
	return n
}

// covers reports whether the run's journal need not be read.
func (s *snapshot) covers(run string) bool {
	return s.file != nil && slices.Contains(s.Runs, run) && !slices.Contains(s.again, run)
}

// Find returns what is known of subjects: each is found by one read of the file at most.
func (s *snapshot) Find(of []journal.Subject) (map[journal.Subject]*journal.Fact, error) {
	facts := make(map[journal.Subject]*journal.Fact, len(of))
	for _, one := range of {
		f, err := s.find(one)
		if err != nil {
			return nil, unread(err)
		}
		if f != nil {
			facts[one] = f
		}
	}
	return facts, nil
}

// find returns what is known of a subject, nil where nothing is.
func (s *snapshot) find(of journal.Subject) (*journal.Fact, error) {
	section := &s.Sections[of.Kind]
	block := sort.Search(section.blocks(), func(i int) bool {
		return bytes.Compare(section.First[i*nameBytes:][:nameBytes], of.Name[:]) > 0
	}) - 1
	if block < 0 {
		return nil, nil
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	if _, err := s.file.ReadAt(s.block[:], section.At+int64(block)*blockSize); err != nil {
		return nil, err
	}
	for have, text := range namedTexts(s.block[:]) {
		if have == of.Name {
			return decodeFact(text), nil
		}
	}
	return nil, nil
}

// unread returns the error that a part of the file could not be read.
func unread(err error) error { return journal.Unusable("reading the memory of keys", err) }

func (s *section) blocks() int { return len(s.First) / nameBytes }

// Close gives up the file.
func (s *snapshot) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.temporary {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	s.file = nil
	if err != nil {
		return journal.Unusable("closing the memory of keys", err)
	}
	return nil
}

// All reads the facts of a section in order.
func (s *snapshot) All(kind journal.Kind, _ []int32) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		section := &s.Sections[kind]
		var text [blockSize]byte
		for block := range section.blocks() {
			if _, err := s.file.ReadAt(text[:], section.At+int64(block)*blockSize); err != nil {
				yield(journal.Entry{}, unread(err))
				return
			}
			for n, text := range namedTexts(text[:]) {
				if !yield(journal.Entry{Subject: journal.Subject{Kind: kind, Name: n}, Fact: decodeFact(text)}, nil) {
					return
				}
			}
		}
	}
}

// namedTexts reads the facts of a block: a name, the size of what follows, and that.
func namedTexts(block []byte) iter.Seq2[journal.Name, []byte] {
	return func(yield func(journal.Name, []byte) bool) {
		for len(block) > nameBytes {
			n := journal.Name(block[:nameBytes])
			size, width := binary.Uvarint(block[nameBytes:])
			from := nameBytes + width
			if n == (journal.Name{}) || width <= 0 || size > uint64(len(block)-from) || !yield(n, block[from:from+int(size)]) {
				return
			}
			block = block[from+int(size):]
		}
	}
}

// appendFact appends a fact: its stamps, those that are the last word's as a mark, its
// marks and its texts.
func appendFact(dst []byte, f *journal.Fact) []byte {
	for i, by := range []journal.Stamp{f.Last, f.IDBy, f.LifeBy, f.ValuesBy, f.OwnBy} {
		switch {
		case by == journal.Nobody:
			dst = append(dst, 0)
		case i > 0 && by == f.Last:
			dst = append(dst, 1)
		default:
			dst = append(dst, 2)
			for _, n := range []int64{int64(by.Turn), int64(by.Run), int64(by.Op), by.At} {
				dst = binary.AppendVarint(dst, n)
			}
		}
	}
	marks := byte(0)
	if f.Gone {
		marks |= 1
	}
	if f.Cancelled {
		marks |= 2
	}
	if f.Undone {
		marks |= 4
	}
	dst = append(dst, marks)
	for _, text := range []string{f.ID, f.Values} {
		dst = append(binary.AppendUvarint(dst, uint64(len(text))), text...)
	}
	return dst
}

// decodeFact reads what appendFact has appended. The CRC of the file vouches for it.
func decodeFact(text []byte) *journal.Fact {
	f := journal.NewFact()
	number := func() int64 {
		n, width := binary.Varint(text)
		text = text[width:]
		return n
	}
	for i, by := range []*journal.Stamp{&f.Last, &f.IDBy, &f.LifeBy, &f.ValuesBy, &f.OwnBy} {
		mark := text[0]
		text = text[1:]
		switch {
		case mark == 1 && i > 0:
			*by = f.Last
		case mark == 2:
			*by = journal.Stamp{Turn: int32(number()), Run: int32(number()), Op: int32(number()), At: number()}
		}
	}
	f.Gone, f.Cancelled, f.Undone = text[0]&1 != 0, text[0]&2 != 0, text[0]&4 != 0
	text = text[1:]
	for _, to := range []*string{&f.ID, &f.Values} {
		size, width := binary.Uvarint(text)
		*to = string(text[width : width+int(size)])
		text = text[width+int(size):]
	}
	return f
}
