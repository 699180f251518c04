package quota

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"time"
)

// An account in a file is one header and its records, little endian; what follows is
// left over from when there were more:
//
//	header  magic 8 · throttled 8 · span 4 · takes 4 · records 4 · CRC-32C of all the rest 4
//	record  id 8 · until 8 · span 4 · count 4 · state 4
//
// Times are Unix nanoseconds. A span, in milliseconds, is how far ahead its time may
// lie at most: what is further off was written before the clock was set back, and is
// brought near.
const (
	magic      = 0x32736c6f74736265 // "ebstols2"
	headerSize = 32
	recordSize = 28

	maxLimit = 1_000_000
	maxBytes = headerSize + 2*maxLimit*recordSize // a longer file is not ours
)

// state is what a slot is out for.
type state uint32

const (
	inFlight state = iota + 1 // its request is under way
	done                      // its answer came
	others                    // held by processes that do not share this ledger
)

// record is one slot that is out, or several that come free together.
type record struct {
	id    uint64
	until int64
	span  uint32
	count uint32
	state state
}

// encode appends the account as it stands in a file.
func (a *account) encode(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, magic)
	b = le.AppendUint64(b, uint64(a.throttled))
	b = le.AppendUint32(b, a.span)
	b = le.AppendUint32(b, a.takes)
	b = le.AppendUint32(b, uint32(len(a.records)))
	b = append(b, 0, 0, 0, 0)
	for i := range a.records {
		r := &a.records[i]
		b = le.AppendUint64(b, r.id)
		b = le.AppendUint64(b, uint64(r.until))
		b = le.AppendUint32(b, r.span)
		b = le.AppendUint32(b, r.count)
		b = le.AppendUint32(b, uint32(r.state))
	}
	le.PutUint32(b[headerSize-4:], checksum(b))
	return b
}

// decode takes the account from a file's bytes, and reports whether they are whole.
func (a *account) decode(b []byte) bool {
	le := binary.LittleEndian
	if len(b) < headerSize || le.Uint64(b) != magic {
		return false
	}
	n := int(le.Uint32(b[24:]))
	if n > (len(b)-headerSize)/recordSize {
		return false
	}
	b = b[:headerSize+n*recordSize]
	if checksum(b) != le.Uint32(b[headerSize-4:]) {
		return false
	}
	a.throttled, a.span, a.takes = int64(le.Uint64(b[8:])), le.Uint32(b[16:]), le.Uint32(b[20:])
	a.records = slices.Grow(a.records[:0], n)[:n]
	for i := range a.records {
		r := b[headerSize+i*recordSize:][:recordSize]
		a.records[i] = record{
			id: le.Uint64(r), until: int64(le.Uint64(r[8:])),
			span: le.Uint32(r[16:]), count: le.Uint32(r[20:]), state: state(le.Uint32(r[24:])),
		}
	}
	return true
}

// checksum is that of a file without the checksum in its header.
func checksum(b []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(b[:headerSize-4], table), table, b[headerSize:])
}

// near brings a time within its span from now.
func near(until, now int64, span uint32) int64 {
	return min(until, now+int64(span)*int64(time.Millisecond))
}

// spanOf returns milliseconds, as many as fit, which is seven weeks; with some to
// spare, since clocks of two processors need not agree to the last digit.
func spanOf(d int64) uint32 {
	return uint32(min(d/int64(time.Millisecond)+10, math.MaxUint32))
}
