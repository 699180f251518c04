package sheet

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"sync"

	"github.com/sourcegraph/conc/panics"
)

// pass is one reading of an input. It hashes what it reads.
type pass struct {
	in    *input
	sum   hash.Hash
	ahead *readAhead
	block []byte // what is read and not given out yet
	err   error  // what comes after it
}

func newPass(in *input, from io.Reader) *pass {
	p := &pass{in: in, sum: sha256.New()}
	p.ahead = startReading(from, p.sum)
	return p
}

// Read gives the next bytes. At the end it compares the hash with that of the
// passes before.
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
	var err error
	p.block, err = p.ahead.next()
	switch {
	case err == io.EOF:
		p.end()
		if p.err = p.in.complete(hex.EncodeToString(p.sum.Sum(nil))); p.err == nil {
			p.err = io.EOF
		}
	case err != nil:
		p.err = p.in.failed(err)
	}
}

// end gives up what the pass holds, whether it was read to its end or not.
func (p *pass) end() { p.ahead.end() }

// readAhead reads and hashes a file beside the scanning of what was read, which
// takes about as long.
type readAhead struct {
	full    chan readBlock
	free    chan []byte
	current []byte // lent to the caller of next
	done    sync.WaitGroup
	once    sync.Once
	defect  *panics.Recovered // of the reading, once full is closed
}

type readBlock struct {
	bytes []byte
	err   error
}

func startReading(from io.Reader, sum hash.Hash) *readAhead {
	const blocks = 4 // more than are ever full or lent, so that sending never waits
	r := &readAhead{full: make(chan readBlock, blocks), free: make(chan []byte, blocks)}
	for range blocks {
		r.free <- make([]byte, blockBytes)
	}
	r.done.Go(func() {
		defer close(r.full)
		r.defect = panics.Try(func() {
			for space := range r.free {
				n, err := from.Read(space)
				r.full <- readBlock{space[:n], err}
				sum.Write(space[:n]) // the caller of next only reads it too
				if err != nil {
					return
				}
			}
		})
	})
	return r
}

// next lends the next block until the next call. It is not called again after
// an error.
func (r *readAhead) next() ([]byte, error) {
	if r.current != nil {
		r.free <- r.current[:cap(r.current)]
	}
	block, ok := <-r.full
	if !ok {
		panic(r.defect)
	}
	r.current = block.bytes
	return block.bytes, block.err
}

// end stops the reading, which is then hashed as far as it went. A panic of the
// reading is the caller's.
func (r *readAhead) end() {
	r.once.Do(func() { close(r.free) })
	r.done.Wait()
	if r.defect != nil {
		panic(r.defect)
	}
}
