package ooxml

import (
	"context"
	"io"
	"sync"

	"github.com/sourcegraph/conc/panics"
)

// A block is inflated while the one before it is scanned; a few in between let
// both keep going at their own pace.
const (
	blockSize   = 128 << 10
	blockFront  = 8 << 10 // room before the data for the rest of the block before
	blocksAhead = 4
)

// Feed is a [Source] of parts that it inflates one after another in a goroutine of
// its own, beside the scanning. After the io.EOF of a part, Next goes on with the part
// after it.
type Feed struct {
	ctx    func() error
	blocks chan fedBlock
	free   chan []byte
	cancel context.CancelFunc
	done   sync.WaitGroup
	defect *panics.Recovered // of the inflating, once blocks is closed
}

type fedBlock struct {
	Block
	err error
}

// StartFeed begins to inflate, until ctx ends. Whoever starts a feed stops it.
func StartFeed(ctx context.Context, parts ...*Part) *Feed {
	ctx, cancel := context.WithCancel(ctx)
	size := uint64(1)
	for _, p := range parts {
		size = max(size, min(p.size, blockSize))
	}
	f := &Feed{
		ctx:    ctx.Err,
		blocks: make(chan fedBlock, blocksAhead),
		free:   make(chan []byte, blocksAhead+3),
		cancel: cancel,
	}
	f.done.Go(func() {
		defer close(f.blocks)
		f.defect = panics.Try(func() {
			for _, p := range parts {
				if err := f.inflate(ctx, p, int(size)); err != nil {
					return
				}
			}
		})
	})
	return f
}

// Stop ends the inflating and waits for its goroutine, whose panic is the caller's.
func (f *Feed) Stop() {
	f.cancel()
	f.done.Wait()
	if f.defect != nil {
		panic(f.defect)
	}
}

// Next gives the next block. An error other than io.EOF is a [*Flaw] or ctx's own.
// A panic of the inflating is the caller's, as a [*panics.Recovered].
func (f *Feed) Next() (Block, error) {
	b, ok := <-f.blocks
	if !ok {
		if f.defect != nil {
			panic(f.defect)
		}
		if err := f.ctx(); err != nil {
			return Block{}, err
		}
		return Block{}, io.ErrUnexpectedEOF
	}
	return b.Block, b.err
}

// Recycle takes a block back whose memory the inflating may use again.
func (f *Feed) Recycle(b Block) {
	if len(b.Mem) == 0 {
		return
	}
	select {
	case f.free <- b.Mem:
	default:
	}
}

// inflate sends the blocks of one part, then io.EOF or what is wrong with it.
func (f *Feed) inflate(ctx context.Context, p *Part, size int) error {
	in, err := p.open()
	if err != nil {
		return f.send(ctx, fedBlock{err: err})
	}
	for {
		var mem []byte
		select {
		case mem = <-f.free:
		default:
			mem = make([]byte, blockFront+size)
		}
		n, err := readFull(in, mem[blockFront:])
		if n > 0 {
			if sent := f.send(ctx, fedBlock{Block: Block{mem, blockFront, blockFront + n}}); sent != nil {
				return sent
			}
		}
		if err != nil {
			if sent := f.send(ctx, fedBlock{err: err}); sent != nil {
				return sent
			}
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

func (f *Feed) send(ctx context.Context, b fedBlock) error {
	if err := ctx.Err(); err != nil {
		return err // where there is room too, of which a select might make use
	}
	select {
	case f.blocks <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
