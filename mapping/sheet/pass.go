package sheet

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"

	"eventbatch/mapping/schema"
)

// pass is one reading of an input. It hashes what it reads.
type pass struct {
	in     *input
	from   io.Reader
	hasher hasher
	block  []byte // what is read and not given out yet
	err    error  // what comes after it
}

// Read gives the next bytes. At the end it compares the hash with that of an
// earlier pass: two readings that differ would pair the rows of one file with
// the findings of another.
func (p *pass) Read(b []byte) (int, error) {
	for len(p.block) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		p.next()
	}
	n := copy(b, p.block)
	p.block = p.block[n:]
	return n, nil
}

func (p *pass) next() {
	free := p.hasher.take()
	n, err := p.from.Read(free)
	p.block = free[:n]
	p.hasher.add(p.block)
	switch {
	case err == io.EOF:
		sum := p.hasher.end()
		if p.err = io.EOF; p.in.sum != "" && p.in.sum != sum {
			p.err = p.in.refuse(schema.CodeUnreadableFile, "run again when nothing writes to it", "the file changed while it was being read")
			return
		}
		p.in.sum = sum
	case err != nil:
		p.err = p.in.failed(err)
	}
}

// end gives up what the pass holds, whether it was read to its end or not.
func (p *pass) end() { p.hasher.end() }

// hasher computes a hash beside the reading, which would otherwise wait for it
// most of the time.
type hasher struct {
	full, free chan []byte
	sum        string
	done       sync.WaitGroup
	once       sync.Once
}

func (h *hasher) begin() {
	const blocks = 3 // one read, one hashed, one between them
	h.full, h.free = make(chan []byte, blocks), make(chan []byte, blocks)
	for range blocks {
		h.free <- make([]byte, blockBytes)
	}
	h.done.Go(func() {
		sum := sha256.New()
		for block := range h.full {
			sum.Write(block)
			h.free <- block[:cap(block)]
		}
		h.sum = hex.EncodeToString(sum.Sum(nil))
	})
}

// take gives a block to fill.
func (h *hasher) take() []byte { return <-h.free }

// add takes a block that was filled. Its bytes stay as they are until the
// second take from then on.
func (h *hasher) add(block []byte) { h.full <- block }

// end waits for the hash of all that was added.
func (h *hasher) end() string {
	h.once.Do(func() { close(h.full) })
	h.done.Wait()
	return h.sum
}
