package quota

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// account is an owner's slots that are out. All times are Unix nanoseconds.
type account struct {
	throttled int64  // nobody sends before; 0 where nothing is throttled
	span      uint32 // of throttled
	takes     uint32 // slots ever taken, modulo 2³²
	records   []record
}

// tally is an account in numbers.
type tally struct {
	used      int   // slots out
	inFlight  int   // of these, under way
	others    int   // of these, held by processes that do not share the ledger
	first     int64 // when the first of them comes free; 0 with none out
	last      int64 // when the last one does
	throttled int64
}

func (a *account) tally() tally {
	t := tally{throttled: a.throttled}
	for i := range a.records {
		r := &a.records[i]
		t.used += int(r.count)
		switch r.state {
		case inFlight:
			t.inFlight += int(r.count)
		case others:
			t.others += int(r.count)
		}
		if t.first == 0 || r.until < t.first {
			t.first = r.until
		}
		t.last = max(t.last, r.until)
	}
	return t
}

// renew frees what has ended, and brings near what lies too far ahead: it reports
// whether anything did.
func (a *account) renew(now int64) (moved bool) {
	if until := near(a.throttled, now, a.span); until < a.throttled {
		a.throttled, moved = until, true
	}
	if a.throttled <= now {
		a.throttled, a.span = 0, 0
	}
	a.records = slices.DeleteFunc(a.records, func(r record) bool { return r.until <= now })
	for i := range a.records {
		r := &a.records[i]
		if until := near(r.until, now, r.span); until < r.until {
			r.until, moved = until, true
		}
	}
	return moved
}

// throttle has nobody send until then, and reports whether that is longer than before.
func (a *account) throttle(now, until int64) bool {
	if until <= a.throttled {
		return false
	}
	a.throttled, a.span = until, spanOf(until-now)
	return true
}

// Beyond this many records, which is more than the service has slots, those that come
// free at about the same time share one: an account is short whatever its limit.
const crowd = 512

// add enters slots that come free at until, or a grain later in a crowd.
func (a *account) add(now int64, r record, grain int64) {
	if r.state != inFlight && len(a.records) >= crowd {
		r.until += grain - r.until%grain
		for i := range a.records {
			if same := &a.records[i]; same.state == r.state && same.until == r.until {
				same.count += r.count
				return
			}
		}
	}
	r.span = spanOf(r.until - now)
	a.records = append(a.records, r)
}

// unite adds slots that another machine knows. Those of a number that is here are the same,
// or are among the same where a crowd of them shares a record.
func (a *account) unite(now int64, r record, grain int64) {
	i := slices.IndexFunc(a.records, func(known record) bool { return known.id == r.id })
	if i < 0 {
		a.add(now, r, grain)
		return
	}
	known := &a.records[i]
	known.count, known.until = max(known.count, r.count), max(known.until, r.until)
	known.span = max(known.span, spanOf(known.until-now))
}

// remove takes out the slot of a request that is under way. There is none where its
// lease has ended, or the file was damaged.
func (a *account) remove(id uint64) {
	i := slices.IndexFunc(a.records, func(r record) bool { return r.id == id && r.state == inFlight })
	if i >= 0 {
		a.records = slices.Delete(a.records, i, i+1)
	}
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
