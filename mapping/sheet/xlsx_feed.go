package sheet

import (
	"context"
	"hash/crc32"
	"io"
	"sync"

	"eventbatch/mapping/schema"
)

// A block is inflated while the one before it is scanned; a few in between let
// both keep going at their own pace.
const (
	blockSize   = 128 << 10
	blockFront  = 8 << 10 // room before the data for the rest of the block before
	blocksAhead = 4
)

// block is a piece of a part: mem[from:to], with free room before it.
type block struct {
	mem      []byte
	from, to int
}

// blockSource gives a document block by block, io.EOF behind its last one.
type blockSource interface {
	next() (block, error)
	recycle(b block) // b is no longer looked at
}

// feed inflates parts one after another in a goroutine of its own. After the
// io.EOF of a part, next goes on with the part after it.
type feed struct {
	ctx    func() error
	blocks chan fed
	free   chan []byte
	cancel context.CancelFunc
	done   sync.WaitGroup
	defect *Panic // of the inflating, once blocks is closed
}

type fed struct {
	block
	err error
}

// startFeed begins to inflate. Whoever starts a feed stops it.
func startFeed(ctx context.Context, parts ...*part) *feed {
	ctx, cancel := context.WithCancel(ctx)
	size := uint64(1)
	for _, p := range parts {
		size = max(size, min(p.size, blockSize))
	}
	f := &feed{
		ctx:    ctx.Err,
		blocks: make(chan fed, blocksAhead),
		free:   make(chan []byte, blocksAhead+3),
		cancel: cancel,
	}
	f.done.Go(func() {
		defer close(f.blocks)
		defer func() { f.defect = Caught(recover()) }()
		for _, p := range parts {
			if err := f.inflate(ctx, p, int(size)); err != nil {
				return
			}
		}
	})
	return f
}

// stop ends the inflating and waits for its goroutine, whose panic is the caller's.
func (f *feed) stop() {
	f.cancel()
	f.done.Wait()
	if f.defect != nil {
		panic(f.defect)
	}
}

func (f *feed) next() (block, error) {
	b, ok := <-f.blocks
	if !ok {
		if f.defect != nil {
			panic(f.defect)
		}
		if err := f.ctx(); err != nil {
			return block{}, err
		}
		return block{}, io.ErrUnexpectedEOF
	}
	return b.block, b.err
}

func (f *feed) recycle(b block) {
	if len(b.mem) == 0 {
		return
	}
	select {
	case f.free <- b.mem:
	default:
	}
}

// inflate sends the blocks of one part, then io.EOF or what is wrong with it.
func (f *feed) inflate(ctx context.Context, p *part, size int) error {
	in, err := p.open()
	if err != nil {
		return f.send(ctx, fed{err: err})
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
			if sent := f.send(ctx, fed{block: block{mem, blockFront, blockFront + n}}); sent != nil {
				return sent
			}
		}
		if err != nil {
			if sent := f.send(ctx, fed{err: err}); sent != nil {
				return sent
			}
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

func (f *feed) send(ctx context.Context, b fed) error {
	select {
	case f.blocks <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readFull fills b unless the stream ends or fails before.
func readFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	return n, err
}

// checked is the inflated stream of a part. It ends in io.EOF only if the
// length and the checksum are those that the archive's directory declares.
type checked struct {
	in       io.Reader
	left     uint64
	sum, crc uint32
}

func (c *checked) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	if uint64(n) > c.left {
		return 0, flawf(schema.CodeZipBomb, hintDamaged, "the part is longer than the archive declares")
	}
	c.left -= uint64(n)
	c.sum = crc32.Update(c.sum, crc32.IEEETable, b[:n])
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF && c.left > 0:
		err = io.ErrUnexpectedEOF // not to be taken for the end
		fallthrough
	case err != io.EOF:
		return n, &flaw{schema.CodeBadZip, "the compressed data is damaged or cut", hintDamaged, err}
	case c.sum != c.crc:
		return n, flawf(schema.CodeBadCRC, hintDamaged, "the checksum of the part is wrong")
	}
	return n, io.EOF
}
