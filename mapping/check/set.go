package check

// fingerprint is a hash of 96 bits: with ten million of them the odds of any two
// different texts sharing one are below one in 10^14.
type fingerprint struct {
	high uint64
	low  uint32
}

// slot is a fingerprint with the ordinal of the row that brought it. Ordinals
// count from 1, so a slot with none is free.
type slot struct {
	high    uint64
	low     uint32
	ordinal uint32
}

// set maps fingerprints to ordinals by open addressing. It is cut into shards that
// grow one at a time, large ones by half: a table that doubled in one piece would for a
// moment take three times the memory of its content.
type set struct {
	shards [shardCount]shard
}

const (
	shardBits  = 6
	shardCount = 1 << shardBits
	firstSlots = 32
	evenSlots  = 1024 // up to here a shard doubles
)

type shard struct {
	slots []slot
	used  int
}

// add remembers a fingerprint that is new. Of one that is known it gives the first ordinal.
func (s *set) add(p fingerprint, ordinal uint32) (first uint32, known bool) {
	sh := &s.shards[p.high>>(64-shardBits)]
	if sh.used*8 >= len(sh.slots)*7 {
		sh.grow()
	}
	at := &sh.slots[sh.find(p)]
	if at.ordinal != 0 {
		return at.ordinal, true
	}
	*at = slot{p.high, p.low, ordinal}
	sh.used++
	return ordinal, false
}

// find gives the slot that holds the fingerprint, or the free one where it belongs.
func (sh *shard) find(p fingerprint) int {
	// The shard took the highest bits; the next 32 spread evenly over any number of slots.
	i := int(uint64(uint32(p.high>>(32-shardBits))) * uint64(len(sh.slots)) >> 32)
	for {
		s := &sh.slots[i]
		if s.ordinal == 0 || s.high == p.high && s.low == p.low {
			return i
		}
		if i++; i == len(sh.slots) {
			i = 0
		}
	}
}

func (sh *shard) grow() {
	old := sh.slots
	size := len(old) + len(old)/2
	if len(old) < evenSlots {
		size = max(firstSlots, 2*len(old))
	}
	sh.slots = make([]slot, size)
	for _, s := range old {
		if s.ordinal != 0 {
			sh.slots[sh.find(fingerprint{s.high, s.low})] = s
		}
	}
}
