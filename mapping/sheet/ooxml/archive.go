package ooxml

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"eventbatch/mapping/schema"
)

// Limits bounds what a file may make the reader of its archive hold or do. All
// three must be positive.
type Limits struct {
	Entries       int   // files in the archive
	InflatedBytes int64 // of all parts together, and of the file itself
	Ratio         int   // inflated to deflated of one part above 1 MiB
}

// Archive is the zip file that a workbook is, its parts by the names that
// [PartName] gives, as a workbook may refer to them in another case.
type Archive struct {
	parts map[string]*Part
}

// Open reads the directory of an archive of so many bytes and refuses what declares
// more than the limits allow. Nothing is inflated. An error is a [*Flaw].
func Open(r io.ReaderAt, size int64, l Limits) (*Archive, error) {
	if err := refuseOLE(r, size); err != nil {
		return nil, err
	}
	if size > l.InflatedBytes {
		return nil, Flawf(schema.CodeZipBomb, HintSmaller, "the file is larger than %d MiB", l.InflatedBytes>>20)
	}
	metered := &meter{in: archiveReader{r}, left: int64(l.Entries)*maxEntryBytes + directoryTail}
	directory, err := zip.NewReader(metered, size)
	if _, over := errors.AsType[*Flaw](err); over {
		return nil, err
	}
	if err != nil {
		return nil, &Flaw{schema.CodeBadZip, "the file is not a whole zip archive, as every .xlsx workbook is", HintDamaged, err}
	}
	metered.off = true
	if len(directory.File) > l.Entries {
		return nil, tooManyEntries()
	}
	a := &Archive{parts: make(map[string]*Part, len(directory.File))}
	total := uint64(0)
	for _, file := range directory.File {
		file.Name = PartName(file.Name)
		if strings.HasSuffix(file.Name, "/") && file.UncompressedSize64 == 0 {
			continue // a folder
		}
		switch inflated, deflated := file.UncompressedSize64, file.CompressedSize64; {
		case file.Flags&encrypted != 0:
			return nil, Flawf(schema.CodeEncryptedWorkbook, "save it without a password", "the archive is encrypted")
		case inflated > uint64(l.InflatedBytes)-total:
			return nil, Flawf(schema.CodeZipBomb, HintSmaller, "the parts inflate to more than %d MiB", l.InflatedBytes>>20)
		case inflated > 1<<20 && inflated/uint64(l.Ratio) > deflated:
			return nil, Flawf(schema.CodeZipBomb, HintDamaged, "%s inflates to more than %d times its size", file.Name, l.Ratio)
		case a.parts[file.Name] != nil:
			return nil, Flawf(schema.CodeBadZip, HintDamaged, "the archive holds %s twice", file.Name)
		}
		total += file.UncompressedSize64
		a.parts[file.Name] = &Part{file, file.UncompressedSize64}
	}
	return a, nil
}

// Has reports whether there is a part of that name.
func (a *Archive) Has(name string) bool { return a.parts[name] != nil }

// Part gives a part by its name. The error for one that is missing is a [*Flaw].
func (a *Archive) Part(name string) (*Part, error) {
	p := a.parts[name]
	if p == nil {
		return nil, Flawf(schema.CodeMissingPart, HintDamaged, "the archive lacks %s", name)
	}
	return p, nil
}

// PartName brings the name of a part to the one form in which it is looked up:
// in lower case, with slashes, without one at its start.
func PartName(name string) string {
	return strings.ToLower(strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// maxSmallPart bounds the parts that describe a workbook; what they say is held
// in memory.
const maxSmallPart = 32 << 20

// Read has a part that describes the workbook read by a function, then makes sure
// that nothing follows. A [*Flaw] that either meets, or a part above 32 MiB, names
// the part; other errors are those of ctx.
func (a *Archive) Read(ctx context.Context, name string, read func(*Scanner) error) error {
	p, err := a.Part(name)
	if err != nil {
		return err
	}
	if p.size > maxSmallPart {
		return Flawf(schema.CodeZipBomb, HintDamaged, "%s is larger than %d MiB", name, maxSmallPart>>20)
	}
	f := StartFeed(ctx, p)
	defer f.Stop()
	x := NewScanner(f)
	if err = read(x); err == nil {
		err = x.Finish()
	}
	if err != nil {
		return InPart(name, err)
	}
	return nil
}

const (
	encrypted     = 1       // the bit of an entry's flags
	maxEntryBytes = 256     // of the directory, for one entry of a workbook: ample
	directoryTail = 1 << 18 // what is read to find the directory
)

// archiveReader is an archive, of which nothing lies before the first byte: a directory that is placed
// wrongly points there, and the operating system calls it a failure of its own.
type archiveReader struct{ io.ReaderAt }

func (w archiveReader) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 {
		return 0, io.EOF
	}
	return w.ReaderAt.ReadAt(b, off)
}

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

func tooManyEntries() *Flaw {
	return Flawf(schema.CodeTooManyEntries, HintDamaged, "the archive holds more files than a workbook can have")
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
		return Flawf(schema.CodeEncryptedWorkbook, "save it without a password", "the workbook is protected by a password")
	}
	if bytes.Contains(names, utf16Name("Workbook")) || bytes.Contains(names, utf16Name("Book")) {
		return Flawf(schema.CodeOldWorkbook, HintResave, "the file is an old .xls workbook")
	}
	return Flawf(schema.CodeOldWorkbook, HintResave, "the file is an old Office document, not an .xlsx workbook")
}

// utf16Name writes an ASCII name as a container's directory does.
func utf16Name(s string) []byte {
	var b []byte
	for _, c := range []byte(s) {
		b = append(b, c, 0)
	}
	return b
}
