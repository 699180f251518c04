package quota

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"time"
)

// A ledger file is one header, then records, all of 32 bytes, little endian,
// each ending in the CRC-32C of the rest:
//
//	header  magic 8 · parked 8 · span 4 · takes 4 · generation 4 · crc 4
//	record  id 8    · until 8  · span 4 · count 4 · state 4      · crc 4
//
// A record of zeros is free. Times are Unix nanoseconds. A span, in
// milliseconds, is how far ahead its time may lie at most: what is further off
// was written before the clock was set back, and is brought near.
const (
	recordSize = 32
	magic      = 0x31736c6f74736265 // "ebstols1"

	maxLimit   = 1_000_000
	maxRecords = 2 * maxLimit // a longer file is not ours
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is what holds for the whole ledger.
type header struct {
	parked     int64
	span       uint32
	takes      uint32 // slots ever taken, modulo 2³²
	generation uint32 // changes with every write, so that an unchanged ledger need not be read
}

func (h header) encode(b []byte) {
	binary.LittleEndian.PutUint64(b, magic)
	binary.LittleEndian.PutUint64(b[8:], uint64(h.parked))
	binary.LittleEndian.PutUint32(b[16:], h.span)
	binary.LittleEndian.PutUint32(b[20:], h.takes)
	binary.LittleEndian.PutUint32(b[24:], h.generation)
	seal(b)
}

func decodeHeader(b []byte) (h header, ok bool) {
	if !sealed(b) || binary.LittleEndian.Uint64(b) != magic {
		return h, false
	}
	return header{
		parked:     int64(binary.LittleEndian.Uint64(b[8:])),
		span:       binary.LittleEndian.Uint32(b[16:]),
		takes:      binary.LittleEndian.Uint32(b[20:]),
		generation: binary.LittleEndian.Uint32(b[24:]),
	}, true
}

// state is what a slot is out for.
type state uint32

const (
	flying state = iota + 1 // its request is under way
	spent                   // its answer came
	others                  // taken by somebody whom this ledger does not know
)

// record is one slot that is out, or several of others. Its id is 0 when free.
type record struct {
	id    uint64
	until int64
	span  uint32
	count uint32
	state state
}

func (r record) encode(b []byte) {
	if r.id == 0 {
		clear(b[:recordSize])
		return
	}
	binary.LittleEndian.PutUint64(b, r.id)
	binary.LittleEndian.PutUint64(b[8:], uint64(r.until))
	binary.LittleEndian.PutUint32(b[16:], r.span)
	binary.LittleEndian.PutUint32(b[20:], r.count)
	binary.LittleEndian.PutUint32(b[24:], uint32(r.state))
	seal(b)
}

func decodeRecord(b []byte) (r record, ok bool) {
	if [recordSize]byte(b) == ([recordSize]byte{}) {
		return r, true
	}
	r = record{
		id:    binary.LittleEndian.Uint64(b),
		until: int64(binary.LittleEndian.Uint64(b[8:])),
		span:  binary.LittleEndian.Uint32(b[16:]),
		count: binary.LittleEndian.Uint32(b[20:]),
		state: state(binary.LittleEndian.Uint32(b[24:])),
	}
	ok = sealed(b) && r.id != 0 && r.count >= 1 && r.count <= maxLimit && r.state >= flying && r.state <= others
	if !ok {
		return record{}, false
	}
	return r, true
}

func seal(b []byte) {
	binary.LittleEndian.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli))
}

func sealed(b []byte) bool {
	return binary.LittleEndian.Uint32(b[28:]) == crc32.Checksum(b[:28], castagnoli)
}

// near brings a time within its span from now.
func near(until, now int64, span uint32) int64 {
	return min(until, now+int64(span)*int64(time.Millisecond))
}

// spanOf gives milliseconds, as many as fit, which is seven weeks; with some to
// spare, since clocks of two processors need not agree to the last digit.
func spanOf(d time.Duration) uint32 {
	return uint32(min(d/time.Millisecond+10, math.MaxUint32))
}
