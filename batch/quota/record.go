package quota

import (
	"math"
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

// near brings a time within its span from now.
func near(until, now int64, span uint32) int64 {
	return min(until, now+int64(span)*int64(time.Millisecond))
}

// spanOf returns milliseconds, as many as fit, which is seven weeks; with some to
// spare, since clocks of two processors need not agree to the last digit.
func spanOf(d int64) uint32 {
	return uint32(min(d/int64(time.Millisecond)+10, math.MaxUint32))
}
