package ooxml

import (
	"archive/zip"
	"bufio"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"

	"eventbatch/mapping/schema"
)

// Part is one file of the archive.
type Part struct {
	file *zip.File
	size uint64 // inflated, as declared
}

// Name is that by which the archive knows the part, as [PartName] gives it.
func (p *Part) Name() string { return p.file.Name }

// Size is how many bytes the part inflates to, as the archive's directory declares.
// What inflates to more is refused on the way.
func (p *Part) Size() uint64 { return p.size }

// open begins to inflate the part. What is written in UTF-16 comes as UTF-8.
func (p *Part) open() (io.Reader, error) {
	deflated, err := raw(p.file)
	if err != nil {
		return nil, err
	}
	in := io.Reader(bufio.NewReaderSize(deflated, int(min(p.file.CompressedSize64+1, 64<<10))))
	switch p.file.Method {
	case zip.Deflate:
		in = flate.NewReader(in)
	case zip.Store:
	default:
		return nil, Flawf(
			schema.CodeUnsupportedFeature, HintResave, "the part is compressed by method %d, which workbooks do not use",
			p.file.Method,
		)
	}
	return asUTF8(&checkedReader{in: in, left: p.size, crc: p.file.CRC32}), nil
}

// raw begins to read a part as it lies in the archive.
func raw(file *zip.File) (io.Reader, error) {
	in, err := file.OpenRaw()
	if err != nil {
		return nil, &Flaw{schema.CodeBadZip, "the archive's directory points to no part", HintDamaged, err}
	}
	return in, nil
}

// checkedReader is the inflated stream of a part. It ends in io.EOF only if the
// length and the checksum are those that the archive's directory declares.
type checkedReader struct {
	in       io.Reader
	left     uint64
	sum, crc uint32
}

func (c *checkedReader) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	if uint64(n) > c.left {
		return 0, Flawf(schema.CodeZipBomb, HintDamaged, "the part is longer than the archive declares")
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
		return n, &Flaw{schema.CodeBadZip, "the compressed data is damaged or cut", HintDamaged, err}
	case c.sum != c.crc:
		return n, Flawf(schema.CodeBadCRC, HintDamaged, "the checksum of the part is wrong")
	}
	return n, io.EOF
}
