package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"eventbatch/batch/journal"
)

// extent is what replay found of a journal.
type extent struct {
	lines   int64  // records in the longest chained prefix
	crc     uint32 // of the last of them
	size    int64  // bytes of the prefix
	vouched int64  // bytes that a later line says were synced
	tail    bool   // something follows the prefix that was never synced
}

// replay reads a journal from its start and hands each record of the longest
// chained prefix to fold. What follows the prefix is a tail that a crash tore,
// unless one of its lines says that more than the prefix had been synced: then
// the file is damaged. A journal appears with its first line (see [disk]), so
// one without any is damaged too.
func replay(path string, r io.Reader, fold func(*entry) error) (extent, error) {
	var (
		lines   = lineReader{r: r, buf: make([]byte, 32<<10)}
		ext     extent
		ends    []int64 // end of each line after the last vouched one
		vouched int64   // its number
		e       entry
	)
	for {
		line, whole, err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return ext, journal.Unusable("reading "+path, err)
		}
		if !whole || !parseLine(line, &e) || e.N != ext.lines+1 || e.p != ext.crc || e.D < vouched || e.D >= e.N {
			ext.tail = true
			return ext, tornOrDamaged(path, &lines, ext, line, whole)
		}
		if err := fold(&e); err != nil {
			if errors.Is(err, journal.ErrVersion) {
				return ext, err
			}
			return ext, &journal.DamagedError{Path: path, Line: int(e.N), Offset: ext.size, Reason: err.Error()}
		}
		ext.lines, ext.crc, ext.size = e.N, e.crc, lines.offset
		ends = append(ends, ext.size)
		if e.D > vouched {
			ext.vouched = ends[e.D-vouched-1]
			ends = ends[:copy(ends, ends[e.D-vouched:])]
			vouched = e.D
		}
	}
	if ext.lines == 0 {
		return ext, &journal.DamagedError{Path: path, Reason: "it is empty"}
	}
	return ext, nil
}

// tornOrDamaged decides about the first line that does not chain, reading on to
// the end.
func tornOrDamaged(path string, lines *lineReader, ext extent, line []byte, whole bool) error {
	damage := &journal.DamagedError{Path: path, Line: int(ext.lines) + 1, Offset: ext.size}
	if ext.lines == 0 {
		damage.Reason = "it does not begin with a record"
		return damage
	}
	var e entry
	for {
		if whole && lastRecord(line, &e) && e.D > ext.lines {
			damage.Reason = fmt.Sprintf("%d records had been written for good, %d can be read", e.D, ext.lines)
			return damage
		}
		var err error
		if line, whole, err = lines.next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return journal.Unusable("reading "+path, err)
		}
	}
}

// lastRecord reads the record that the line ends with: where a newline was damaged, one
// stands behind another.
func lastRecord(line []byte, e *entry) bool {
	const sum = 8 + 1 // hex digits and a blank
	for {
		if parseLine(line, e) {
			return true
		}
		at := bytes.Index(line[min(len(line), sum+1):], []byte(`{"n":`))
		if at < 0 {
			return false
		}
		line = line[at+1:]
	}
}

// maxLine is more than any record takes; what is longer is not one.
const maxLine = 8 << 20

// lineReader reads lines of any length, keeping those up to maxLine.
type lineReader struct {
	r          io.Reader
	buf        []byte
	start, end int   // what is read of buf
	offset     int64 // of the byte after the last line given
	done       bool
}

// next returns a line without its newline, valid until the next call. whole is
// false for a last line without newline, and for one longer than maxLine, whose
// text is not given.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	seen := 0 // bytes without a newline from start
	long := false
	for {
		if i := bytes.IndexByte(l.buf[l.start+seen:l.end], '\n'); i >= 0 {
			line = l.buf[l.start : l.start+seen+i]
			l.offset += int64(seen + i + 1)
			l.start += seen + i + 1
			if long {
				return nil, false, nil
			}
			return line, true, nil
		}
		seen = l.end - l.start
		if l.done {
			if seen == 0 && !long {
				return nil, false, io.EOF
			}
			line, l.start = l.buf[l.start:l.end], l.end
			l.offset += int64(seen)
			return line, false, nil
		}
		if seen >= maxLine {
			long = true
			l.offset += int64(seen)
			l.start, l.end, seen = 0, 0, 0
		}
		if err := l.fill(); err != nil {
			return nil, false, err
		}
	}
}

// fill reads more behind what is left, making room first.
func (l *lineReader) fill() error {
	if l.start > 0 {
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.r.Read(l.buf[l.end:])
	l.end += n
	if errors.Is(err, io.EOF) {
		l.done, err = true, nil
	}
	return err
}
