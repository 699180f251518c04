package sheet

import (
	"hash"
	"io"
	"sync"

	"github.com/sourcegraph/conc/panics"
)

// blockBytes is how much text is scanned at a time, which makes some hundred
// rows of events.
const blockBytes = 96 << 10

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

// startReading reads ahead in blocks of a size, which are made as they are needed: a small file fills one.
func startReading(from io.Reader, sum hash.Hash, size int) *readAhead {
	const blocks = 4 // more than are ever full or lent, so that sending never waits
	r := &readAhead{full: make(chan readBlock, blocks), free: make(chan []byte, blocks)}
	for range blocks {
		r.free <- nil
	}
	r.done.Go(func() {
		defer close(r.full)
		r.defect = panics.Try(func() {
			for space := range r.free {
				if space == nil {
					space = make([]byte, size)
				}
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
