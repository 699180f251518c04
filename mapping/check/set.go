package check

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
	shards  [shardCount]shard
	fetched uint32 // keeps what fetch does from being left out as idle
}

const (
	shardBits  = 6
	shardCount = 1 << shardBits
	firstSlots = 32
	evenSlots  = 1024 // up to here a shard doubles
	// mostExpected bounds what an estimate can cost, to some 22 MB.
	mostExpected = 1 << 20
)

type shard struct {
	slots []slot
	used  int
}

// expect makes room for n fingerprints more, with a quarter of the slots left free,
// which keeps searches short.
func (s *set) expect(n int) {
	share := min(n, mostExpected) / shardCount
	for i := range s.shards {
		if sh := &s.shards[i]; share >= firstSlots {
			sh.resize(max(len(sh.slots), (sh.used+share)*4/3))
		}
	}
}

// fetch looks at the slots that fingerprints start at. Nearly each is a miss of
// the cache: here they overlap, as one search after the other could not.
func (s *set) fetch(claims []claim) {
	seen := uint32(0)
	for i := range claims {
		p := claims[i].print
		if sh := s.shard(p); len(sh.slots) > 0 {
			seen ^= sh.slots[sh.start(p)].ordinal
		}
	}
	s.fetched = seen
}

func (s *set) shard(p fingerprint) *shard { return &s.shards[p.high>>(64-shardBits)] }

// add remembers a fingerprint that is new. Of one that is known it gives the first ordinal.
func (s *set) add(p fingerprint, ordinal uint32) (first uint32, known bool) {
	sh := s.shard(p)
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
	i := sh.start(p)
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

// start is where the search for a fingerprint starts. The shard took the highest
// bits; the next 32 spread evenly over any number of slots.
func (sh *shard) start(p fingerprint) int {
	return int(uint64(uint32(p.high>>(32-shardBits))) * uint64(len(sh.slots)) >> 32)
}

func (sh *shard) grow() {
	size := len(sh.slots) + len(sh.slots)/2
	if len(sh.slots) < evenSlots {
		size = max(firstSlots, 2*len(sh.slots))
	}
	sh.resize(size)
}

func (sh *shard) resize(size int) {
	old := sh.slots
	if size == len(old) {
		return
	}
	sh.slots = make([]slot, size)
	clear(sh.slots) // new memory that is read before it is written costs a second page fault
	for _, s := range old {
		if s.ordinal != 0 {
			sh.slots[sh.find(fingerprint{s.high, s.low})] = s
		}
	}
}
