package sheet

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"

	"eventbatch/mapping/schema"
)

// archive is the zip file that a workbook is, its parts by their names in
// lower case, which is how a workbook refers to them.
type archive struct {
	parts map[string]*part
}

// part is one file of the archive.
type part struct {
	file *zip.File
	size uint64 // inflated, as declared
}

// openArchive reads the directory of the archive and refuses what declares more
// than the limits allow. Nothing is inflated.
func openArchive(r io.ReaderAt, size int64, l Limits) (*archive, error) {
	if err := refuseOLE(r, size); err != nil {
		return nil, err
	}
	if size > l.InflatedBytes {
		return nil, flawf(schema.CodeZipBomb, hintSmaller, "the file is larger than %d MiB", l.InflatedBytes>>20)
	}
	metered := &meter{in: r, left: int64(l.Entries)*maxEntryBytes + directoryTail}
	directory, err := zip.NewReader(metered, size)
	if _, over := errors.AsType[*flaw](err); over {
		return nil, err
	}
	if err != nil {
		return nil, &flaw{schema.CodeBadZip, "the file is not a whole zip archive, as every .xlsx workbook is", hintDamaged, err}
	}
	metered.off = true
	if len(directory.File) > l.Entries {
		return nil, tooManyEntries()
	}
	a := &archive{parts: make(map[string]*part, len(directory.File))}
	total := uint64(0)
	for _, file := range directory.File {
		file.Name = partName(file.Name)
		if strings.HasSuffix(file.Name, "/") && file.UncompressedSize64 == 0 {
			continue // a folder
		}
		switch inflated, deflated := file.UncompressedSize64, file.CompressedSize64; {
		case file.Flags&encrypted != 0:
			return nil, flawf(schema.CodeEncryptedWorkbook, "save it without a password", "the archive is encrypted")
		case inflated > uint64(l.InflatedBytes)-total:
			return nil, flawf(schema.CodeZipBomb, hintSmaller, "the parts inflate to more than %d MiB", l.InflatedBytes>>20)
		case inflated > 1<<20 && inflated/uint64(l.Ratio) > deflated:
			return nil, flawf(schema.CodeZipBomb, hintDamaged, "%s inflates to more than %d times its size", file.Name, l.Ratio)
		case a.parts[file.Name] != nil:
			return nil, flawf(schema.CodeBadZip, hintDamaged, "the archive holds %s twice", file.Name)
		}
		total += file.UncompressedSize64
		a.parts[file.Name] = &part{file, file.UncompressedSize64}
	}
	return a, nil
}

// partName brings the name of a part to the one form in which it is looked up.
func partName(name string) string {
	return strings.ToLower(strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// open begins to inflate the part.
func (p *part) open() (io.Reader, error) {
	raw, err := p.file.OpenRaw()
	if err != nil {
		return nil, &flaw{schema.CodeBadZip, "the archive's directory points to no part", hintDamaged, err}
	}
	in := io.Reader(bufio.NewReaderSize(raw, int(min(p.file.CompressedSize64+1, 64<<10))))
	switch p.file.Method {
	case zip.Deflate:
		in = flate.NewReader(in)
	case zip.Store:
	default:
		return nil, flawf(schema.CodeUnsupportedFeature, hintResave, "the part is compressed by method %d, which workbooks do not use", p.file.Method)
	}
	return &checked{in: in, left: p.size, crc: p.file.CRC32}, nil
}

const (
	encrypted     = 1       // the bit of an entry's flags
	maxEntryBytes = 256     // of the directory, for one entry of a workbook: ample
	directoryTail = 1 << 18 // what is read to find the directory
)

// meter ends the reading of a directory that is longer than a workbook's can be.
type meter struct {
	in   io.ReaderAt
	left int64
	off  bool // the directory has been read
}

func (m *meter) ReadAt(b []byte, off int64) (int, error) {
	if !m.off {
		if m.left -= int64(len(b)); m.left < 0 {
			return 0, tooManyEntries()
		}
	}
	return m.in.ReadAt(b, off)
}

func tooManyEntries() *flaw {
	return flawf(schema.CodeTooManyEntries, hintDamaged, "the archive holds more files than a workbook can have")
}

// refuseOLE recognises the container of old workbooks and of those with a
// password by what its directory holds.
func refuseOLE(r io.ReaderAt, size int64) error {
	const sector = 512
	head := make([]byte, sector)
	if n, _ := r.ReadAt(head, 0); n < sector || !bytes.HasPrefix(head, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) {
		return nil
	}
	first := int64(head[48]) | int64(head[49])<<8 | int64(head[50])<<16 | int64(head[51])<<24
	names := make([]byte, 16*sector)
	if at := (first + 1) << (head[30] & 15); at < size {
		n, _ := r.ReadAt(names, at)
		names = names[:n]
	}
	if bytes.Contains(names, utf16Name("EncryptedPackage")) {
		return flawf(schema.CodeEncryptedWorkbook, "save it without a password", "the workbook is protected by a password")
	}
	if bytes.Contains(names, utf16Name("Workbook")) || bytes.Contains(names, utf16Name("Book")) {
		return flawf(schema.CodeOldWorkbook, hintResave, "the file is an old .xls workbook")
	}
	return flawf(schema.CodeOldWorkbook, hintResave, "the file is an old Office document, not an .xlsx workbook")
}

// utf16Name writes an ASCII name as a container's directory does.
func utf16Name(s string) []byte {
	var b []byte
	for _, c := range []byte(s) {
		b = append(b, c, 0)
	}
	return b
}
