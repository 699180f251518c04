package files

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"eventbatch/batch/journal"
	"eventbatch/mapping/durable"
)

// collector gathers the runs that have come to their end, and merges them with the
// snapshot into a new one whenever it has many.
type collector struct {
	runs     *Workspace
	snapshot *snapshot // as far as it has come
	states   []*journal.State
	sizes    []int64 // of their journals
	numbers  []int32 // of the runs in the table
	ops      int
	flushed  bool
	going    map[string]bool // runs that are going to be pruned
}

func (c *collector) add(state *journal.State, size int64) error {
	c.states, c.sizes, c.ops = append(c.states, state), append(c.sizes, size), c.ops+len(state.Ops)
	if c.ops < c.runs.gathered {
		return nil
	}
	return c.flush()
}

// flush merges what was gathered with the snapshot into a temporary file.
func (c *collector) flush() error {
	f, err := c.runs.spareKeys()
	if err != nil {
		return journal.Unusable("writing the memory of keys", err)
	}
	merged := &snapshot{snapshotIndex: c.snapshot.snapshotIndex, file: f, temporary: true}
	merged.Runs, merged.Sizes, merged.Sources = slices.Clone(merged.Runs), slices.Clone(merged.Sizes), slices.Clone(merged.Sources)
	merged.again = slices.DeleteFunc(slices.Clone(c.snapshot.again), func(id string) bool {
		return slices.ContainsFunc(c.states, func(s *journal.State) bool { return s.Run == id })
	})
	merged.Heard = make([]int64, len(merged.Runs))
	copy(merged.Heard, c.snapshot.Heard)
	for i, s := range c.states {
		at := slices.Index(merged.Runs, s.Run) // it may have been read before
		if at < 0 {
			at = len(merged.Runs)
			merged.Runs, merged.Sizes = append(merged.Runs, s.Run), append(merged.Sizes, 0)
			merged.Sources, merged.Heard = append(merged.Sources, s.Source()), append(merged.Heard, 0)
		}
		merged.Heard[at] = s.At.UnixMilli()
		if merged.Sizes[at] != pruned {
			merged.Sizes[at] = c.sizes[i]
		}
		c.numbers = append(c.numbers, int32(at))
		merged.TakeOvers = s.TakeOvers(merged.TakeOvers)
		merged.Turn = max(merged.Turn, int32(s.Turn))
	}
	for i, id := range merged.Runs {
		if c.going[id] {
			merged.Sizes[i] = pruned
		}
	}
	out := &blockWriter{sum: &journal.Summer{W: f}}
	out.out = bufio.NewWriterSize(out.sum, opsBuffer)
	for part := range merged.Sections {
		merged.Sections[part] = out.section(c.merge(journal.Kind(part), merged.Runs))
	}
	err = errors.Join(out.end(&merged.snapshotIndex), c.snapshot.Close())
	if err != nil {
		return errors.Join(journal.Unusable("writing the memory of keys", err), merged.Close())
	}
	c.snapshot, c.states, c.sizes, c.numbers, c.ops, c.flushed = merged, nil, nil, nil, 0, true
	return nil
}

// publish gives the snapshot its name, once the rest is merged. Where that fails, or runs
// were pruned meanwhile, it serves this process all the same.
func (c *collector) publish() error {
	if len(c.states) > 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if marked, err := c.runs.marked(c.snapshot.BaseURL); err != nil || marked > c.snapshot.pruned() {
		return err
	}
	_ = c.snapshot.publish(c.runs) // what the runs say can be read again
	return nil
}

// publish gives the snapshot its name, durably.
func (s *snapshot) publish(to *Workspace) error {
	if err := s.file.Sync(); err != nil {
		return err
	}
	if err := os.Rename(s.file.Name(), to.snapshotPath(s.BaseURL)); err != nil {
		return err
	}
	s.temporary = false
	return durable.SyncFolder(to.dir)
}

// fresh is an op that has something to say of a name.
type fresh struct {
	name  journal.Name
	state int32
	op    int32
}

// fresh returns the ops with something to say, by the names in a section.
func (c *collector) fresh(kind journal.Kind) []fresh {
	list := make([]fresh, 0, c.ops)
	for i, s := range c.states {
		for n := range s.Ops {
			if name, said := s.Names(kind, n); said {
				list = append(list, fresh{name, int32(i), int32(n)})
			}
		}
	}
	slices.SortFunc(list, func(a, b fresh) int { return bytes.Compare(a.name[:], b.name[:]) })
	return list
}

// said adds what one op says to a fact, which may be nil so far.
func (c *collector) said(sum *journal.Fact, kind journal.Kind, runs []string, from fresh) *journal.Fact {
	f := c.states[from.state].Said(kind, c.numbers[from.state], int(from.op))
	switch {
	case f == nil:
		return sum
	case sum == nil:
		return f
	}
	sum.Add(f, runs)
	return sum
}

// merge returns the facts of a section in order: those of the snapshot, with what the
// states say added.
func (c *collector) merge(kind journal.Kind, runs []string) iter.Seq2[journal.Entry, error] {
	return func(yield func(journal.Entry, error) bool) {
		list := c.fresh(kind)
		// upTo hands on the fresh facts whose names come before one, and returns what
		// is fresh of that very name.
		upTo := func(until *journal.Name) (same *journal.Fact, ok bool) {
			for len(list) > 0 {
				next := list[0].name
				order := -1
				if until != nil {
					order = bytes.Compare(next[:], until[:])
				}
				if order > 0 {
					return nil, true
				}
				var sum *journal.Fact
				for len(list) > 0 && list[0].name == next {
					sum = c.said(sum, kind, runs, list[0])
					list = list[1:]
				}
				if order == 0 {
					return sum, true
				}
				if sum != nil && !yield(journal.Entry{Subject: journal.Subject{Kind: kind, Name: next}, Fact: sum}, nil) {
					return nil, false
				}
			}
			return nil, true
		}
		for known, err := range c.snapshot.All(kind, nil) {
			if err != nil {
				yield(known, err)
				return
			}
			more, ok := upTo(&known.Name)
			if !ok {
				return
			}
			if more != nil {
				known.Fact.Add(more, runs)
			}
			if !yield(known, nil) {
				return
			}
		}
		upTo(nil)
	}
}

// blockWriter writes facts in blocks.
type blockWriter struct {
	sum   *journal.Summer
	out   *bufio.Writer
	block []byte
	fact  []byte
	at    int64
	err   error
}

// section writes the facts of a section.
func (w *blockWriter) section(facts iter.Seq2[journal.Entry, error]) section {
	s := section{At: w.at}
	for one, err := range facts {
		if err != nil {
			w.err = cmp.Or(w.err, err)
			break
		}
		w.fact = appendFact(w.fact[:0], one.Fact)
		head := binary.AppendUvarint(one.Name[:], uint64(len(w.fact)))
		if len(w.block) > 0 && len(w.block)+len(head)+len(w.fact) > blockSize {
			w.flush()
		}
		if len(w.block) == 0 {
			s.First = append(s.First, one.Name[:]...)
		}
		w.block = append(append(w.block, head...), w.fact...)
	}
	w.flush()
	return s
}

// flush fills up the block and writes it.
func (w *blockWriter) flush() {
	if len(w.block) == 0 {
		return
	}
	if len(w.block) > blockSize {
		w.err = cmp.Or(w.err, fmt.Errorf("a fact of %d bytes", len(w.block)))
	}
	w.block = append(w.block, make([]byte, max(0, blockSize-len(w.block)))...)
	_, err := w.out.Write(w.block)
	w.err = cmp.Or(w.err, err)
	w.block, w.at = w.block[:0], w.at+blockSize
}

// end writes what comes behind the blocks.
func (w *blockWriter) end(index *snapshotIndex) error {
	text, err := json.Marshal(index)
	if err := cmp.Or(w.err, err); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w.out, "%s%016x ", text, w.at); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	_, err = io.WriteString(w.sum.W, hex8(w.sum.CRC)+"\n")
	return err
}
