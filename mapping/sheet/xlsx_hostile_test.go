package sheet

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"runtime/metrics"
	"strings"
	"testing"
	"testing/synctest"

	"eventbatch/mapping/schema"
)

// packedPart is a part as it lies in an archive.
type packedPart struct {
	zip.FileHeader
	data []byte
}

// repeated packs head, then chunk again and again, then tail, at the cost of one
// chunk: each is compressed by itself and ends on a whole byte.
func repeated(tb testing.TB, name, head, chunk string, times int, tail string) packedPart {
	tb.Helper()
	p := packedPart{FileHeader: zip.FileHeader{Name: name, Method: zip.Deflate}}
	pack := func(s string, last bool) []byte {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestSpeed)
		if err == nil {
			_, err = io.WriteString(w, s)
		}
		if err == nil && last {
			err = w.Close()
		} else if err == nil {
			err = w.Flush()
		}
		if err != nil {
			tb.Fatal(err)
		}
		p.CRC32 = crc32.Update(p.CRC32, crc32.IEEETable, []byte(s))
		p.UncompressedSize64 += uint64(len(s))
		return b.Bytes()
	}
	p.data = pack(head, false)
	packed := pack(chunk, false)
	for range times - 1 {
		p.CRC32 = crc32.Update(p.CRC32, crc32.IEEETable, []byte(chunk))
		p.UncompressedSize64 += uint64(len(chunk))
	}
	p.data = append(p.data, bytes.Repeat(packed, times)...)
	p.data = append(p.data, pack(tail, true)...)
	p.CompressedSize64 = uint64(len(p.data))
	return p
}

// zippedRaw packs parts, of which one is replaced by or comes after the others
// as it is.
func zippedRaw(tb testing.TB, raw packedPart, parts ...string) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		if parts[i] == raw.Name {
			continue
		}
		f, err := w.Create(parts[i])
		if err == nil {
			_, err = io.WriteString(f, parts[i+1])
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	f, err := w.CreateRaw(&raw.FileHeader)
	if err == nil {
		_, err = f.Write(raw.data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// readCounting reads the only sheet of a file and gives the number of its rows, how
// much memory was allocated for all of it, which its peak cannot exceed, and the error.
func readCounting(ctx context.Context, file []byte) (rows int, allocated uint64, err error) {
	before := allocatedBytes()
	w, err := openBytes(ctx, file, Limits{})
	if err == nil {
		for batch, end := range w.batches(ctx, "Events") {
			if err = end; err == nil {
				rows += len(batch.Rows)
				batch.Release()
			}
		}
	}
	return rows, allocatedBytes() - before, err
}

func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

const sheetName, stringsName = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"

func TestXLSXRefusesHostileFilesAtLittleCost(t *testing.T) {
	head, tail, _ := strings.Cut(sheetXML(`|`), "|")
	text := strings.Repeat("s", 200)
	one := `<row r="1"><c r="A1"><v>1</v></c></row>`
	for name, tc := range map[string]struct {
		file func() []byte
		code schema.Code
		mib  uint64 // of memory at most; 0 where it is a pool's, which the race detector empties at random
	}{
		"a bomb of 2 GB": {func() []byte {
			return zippedRaw(t, repeated(t, sheetName, head, strings.Repeat(" ", 1<<20), 2000, tail), bookParts("")...)
		}, schema.CodeZipBomb, 1},
		"a bomb that declares less": {func() []byte {
			p := repeated(t, sheetName, head, strings.Repeat(" ", 1<<20), 100, tail)
			p.UncompressedSize64 = 1000
			return zippedRaw(t, p, bookParts("")...)
		}, schema.CodeZipBomb, 2},
		"a bomb below the limits": {func() []byte {
			return zippedRaw(t, repeated(t, sheetName, head, strings.Repeat("<row/>", 1<<16), 300, tail), bookParts("")...)
		}, schema.CodeTooManyRows, 4},
		"a bomb of styles": {func() []byte {
			return zippedRaw(
				t,
				repeated(
					t, "xl/styles.xml", `<styleSheet `+xmlMain+`><cellXfs>`, strings.Repeat("<xf/>", 1<<16), 90,
					`</cellXfs></styleSheet>`,
				),
				bookParts("")...,
			)
		}, schema.CodeBadStyle, 8},
		"600 MB of shared strings": {func() []byte {
			return zippedRaw(
				t, repeated(t, stringsName, `<sst `+xmlMain+`>`, strings.Repeat("<si><t>"+text+"</t></si>", 5000), 600, `</sst>`),
				bookParts(sheetXML(one))...,
			)
		}, schema.CodeZipBomb, 1},
		"400 MB of shared strings": {func() []byte {
			return zippedRaw(
				t, repeated(t, stringsName, `<sst `+xmlMain+`>`, strings.Repeat("<si><t>"+text+"</t></si>", 5000), 400, `</sst>`),
				bookParts(sheetXML(one))...,
			)
		}, schema.CodeZipBomb, 280},
		"400,000 entries": {func() []byte { return manyEntries(400_000) }, schema.CodeTooManyEntries, 32},
		"11,000 entries":  {func() []byte { return manyEntries(11_000) }, schema.CodeTooManyEntries, 8},
		"elements nested without end": {func() []byte {
			return zippedRaw(t, repeated(t, sheetName, head, strings.Repeat("<a>", 1<<18), 300, tail), bookParts("")...)
		}, schema.CodeBadXML, 2},
		"a cell without end": {func() []byte {
			return zippedRaw(t, repeated(t, sheetName, head+`<row><c t="str"><v>`, text, 1<<20, tail), bookParts("")...)
		}, schema.CodeBadXML, 32},
		"a cell in pieces without end": {func() []byte {
			return zippedRaw(t, repeated(t, sheetName, head+`<row><c t="str"><v>`, text+"<!-- -->", 1<<20, tail), bookParts("")...)
		}, schema.CodeTooLongCell, 8},
		"rows far wider than full": {func() []byte {
			var wide strings.Builder
			for i := range 17_000 {
				fmt.Fprintf(&wide, `<row><c r="XFD%d"><v>1</v></c></row>`, i+1)
			}
			return zipped(t, bookParts(sheetXML(wide.String()))...)
		}, schema.CodeTooManyColumns, 0},
		"a document type": {func() []byte {
			return zipped(
				t,
				bookParts(xmlHead+`<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>`+
					strings.TrimPrefix(sheetXML(one), xmlHead))...,
			)
		}, schema.CodeDoctype, 2},
		"a document type in the workbook part": {func() []byte {
			return zipped(t, bookParts(sheetXML(one), "xl/workbook.xml", `<!DOCTYPE x>`+bookParts("")[5])...)
		}, schema.CodeDoctype, 2},
		"a wrong checksum": {func() []byte {
			p := repeated(t, sheetName, head, one, 1, tail)
			p.CRC32++
			return zippedRaw(t, p, bookParts("")...)
		}, schema.CodeBadCRC, 2},
		"no checksum": {func() []byte {
			p := repeated(t, sheetName, head, one, 1, tail)
			p.CRC32 = 0
			return zippedRaw(t, p, bookParts("")...)
		}, schema.CodeBadCRC, 2},
		"a stream shorter than declared": {func() []byte {
			p := repeated(t, sheetName, head, one, 1, tail)
			p.UncompressedSize64++
			return zippedRaw(t, p, bookParts("")...)
		}, schema.CodeBadZip, 2},
		"a stream cut": {func() []byte {
			p := repeated(t, sheetName, head, one, 1, tail)
			p.CompressedSize64 -= 10
			return zippedRaw(t, p, bookParts("")...)
		}, schema.CodeBadZip, 2},
		"an unknown compression": {func() []byte {
			p := repeated(t, sheetName, head, one, 1, tail)
			p.Method = 14
			return zippedRaw(t, p, bookParts("")...)
		}, schema.CodeUnsupportedFeature, 2},
		"an encrypted entry": {func() []byte {
			p := repeated(t, sheetName, head, one, 1, tail)
			p.Flags = 1 // encrypted
			return zippedRaw(t, p, bookParts("")...)
		}, schema.CodeEncryptedWorkbook, 1},
	} {
		t.Run(name, func(t *testing.T) {
			_, allocated, err := readCounting(t.Context(), tc.file())
			if e, ok := errors.AsType[*Error](err); !ok || e.Code != tc.code || e.Hint == "" {
				t.Errorf("got %v, want %s", err, tc.code)
			}
			if tc.mib > 0 && allocated > tc.mib<<20 {
				t.Errorf("took %d MiB of memory, want at most %d", allocated>>20, tc.mib)
			}
		})
	}
}

func TestXLSXCountsWhatEmptyStringsTake(t *testing.T) {
	file := zippedRaw(
		t, repeated(t, stringsName, `<sst `+xmlMain+`>`, strings.Repeat("<si/>", 50_000), 100, `</sst>`), bookParts(sheetXML(``))...,
	)
	before := allocatedBytes()
	w, err := openBytes(t.Context(), file, Limits{StringBytes: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	_, err = readAll(t.Context(), w, "Events")
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != schema.CodeZipBomb {
		t.Errorf("%v", err)
	}
	if took := (allocatedBytes() - before) >> 20; took > 40 {
		t.Errorf("took %d MiB of memory", took)
	}
}

// manyEntries makes an archive whose directory lists one entry many times over
// and says so only as far as 16 bits go.
func manyEntries(n int) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if _, err := w.CreateRaw(&zip.FileHeader{Name: "x"}); err != nil {
		panic(err) // a buffer takes everything
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	one := b.Bytes()
	from, end := bytes.Index(one, []byte("PK\x01\x02")), bytes.Index(one, []byte("PK\x05\x06"))
	file := append(bytes.Clone(one[:from]), bytes.Repeat(one[from:end], n)...)
	tail := bytes.Clone(one[end:])
	binary.LittleEndian.PutUint16(tail[8:], uint16(n))
	binary.LittleEndian.PutUint16(tail[10:], uint16(n))
	binary.LittleEndian.PutUint32(tail[12:], uint32(n*(end-from)))
	return append(file, tail...)
}

func TestXLSXMillionBlankRowsCostNothing(t *testing.T) {
	head, tail, _ := strings.Cut(sheetXML(`|`), "|")
	blank := strings.Repeat(`<row s="1" customFormat="1"><c s="1"/><c s="2"/><c s="1"/></row>`, 1<<10)
	file := zippedRaw(
		t,
		repeated(
			t, sheetName, head+`<row r="1"><c r="A1"><v>1</v></c></row>`, blank, 1023,
			`<row r="1048576"><c r="B1048576"><v>2</v></c></row>`+tail,
		),
		bookParts("")...,
	)
	before := allocatedBytes()
	w, err := openBytes(t.Context(), file, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readAll(t.Context(), w, "Events")
	if want := "1: A=number:1\n1048576: B=number:2\n"; err != nil || dump(rows) != want {
		t.Errorf("%v, %s", err, dump(rows))
	}
	if took := (allocatedBytes() - before) >> 20; took > 4 {
		t.Errorf("took %d MiB of memory", took)
	}
}

func TestXLSXReadingCanBeLeftAtAnyTime(t *testing.T) {
	var rows strings.Builder
	for range 50_000 {
		rows.WriteString(`<row><c t="s"><v>1</v></c><c><v>1</v></c></row>`)
	}
	file := zipped(t, bookParts(sheetXML(rows.String()))...)
	synctest.Test(t, func(t *testing.T) { // ends only when every goroutine has
		w, err := openBytes(t.Context(), file, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for batch, err := range w.batches(t.Context(), "Events") {
			if err != nil || len(batch.Rows) == 0 {
				t.Fatal(err)
			}
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		for batch, end := range w.batches(ctx, "Events") {
			if err = end; err == nil {
				n += len(batch.Rows)
				cancel()
			}
		}
		if !errors.Is(err, context.Canceled) || n == 50_000 {
			t.Errorf("after the end of the context: %v, %d rows", err, n)
		}
		if all, err := readAll(t.Context(), w, "Events"); err != nil || len(all) != 50_000 {
			t.Errorf("read again: %v, %d rows", err, len(all))
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openBytes(ctx, file, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("opening under an ended context: %v", err)
	}
}
