package sheet

import (
	"bufio"
	"compress/gzip"
	"io"
	"math"
)

// gzipped is what a compressed file begins with.
const gzipped = "\x1f\x8b"

// unpack puts what a compressed file holds in its place, in a temporary file that has so many
// bytes at most. Another file stays as it is.
func (in *input) unpack(most int64) error {
	magic := make([]byte, len(gzipped))
	if n, _ := in.at.ReadAt(magic, 0); string(magic[:n]) != gzipped {
		return nil // what cannot be read is told of where the whole head is
	}
	packed := &input{file: in.file, spooled: in.spooled}
	defer func() { _ = packed.close() }() // nothing is written to it any more
	in.packed = true
	stream, err := gzip.NewReader(bufio.NewReader(io.NewSectionReader(in.at, 0, math.MaxInt64)))
	if err != nil {
		return in.failed(err)
	}
	return in.spool(stream, most)
}
