package quota

import (
	"bytes"
	"slices"
)

// sync reads what other processes wrote.
func (l *ledger) sync(now int64) error {
	if !l.disk.exists() {
		l.forget()
		return nil
	}
	n, err := l.disk.readAt(l.line[:], 0)
	if err != nil {
		return err
	}
	if n == 0 && !l.read { // new
		l.forget()
		l.read = true
		return l.bump()
	}
	h, ok := decodeHeader(l.line[:])
	ok = ok && n == recordSize
	if ok && l.read && h == l.head {
		return nil
	}
	return l.load(now, h, ok)
}

// load reads all records. A damaged file is made whole: the records that can
// be read are kept, and since any number may be lost, the owner is parked for
// a window.
func (l *ledger) load(now int64, h header, whole bool) error {
	body, even, err := l.disk.body(l.change)
	if err != nil {
		return err
	}
	if !l.read {
		l.forget()
	}
	if whole {
		l.head = h
	}
	l.read, whole = true, whole && even
	n := len(body) / recordSize
	l.records = slices.Grow(l.records[:min(n, len(l.records))], n)[:n]
	for i := range n {
		at := i * recordSize
		b := body[at : at+recordSize]
		if at < len(l.raw) && bytes.Equal(b, l.raw[at:at+recordSize]) {
			continue
		}
		r, ok := decodeRecord(b)
		l.records[i], whole = r, whole && ok
	}
	l.raw, l.change = body, l.raw
	moved := l.count(now)
	if !whole {
		d := l.window + l.margin
		l.head.parked, l.head.span = max(l.head.parked, now+int64(d)), max(l.head.span, spanOf(d))
	}
	if moved || !whole {
		return l.rewrite()
	}
	return nil
}

// rewrite writes all records. One that was cut short shows as damage.
func (l *ledger) rewrite() error {
	if l.disk == nil {
		return nil
	}
	l.raw = slices.Grow(l.raw[:0], len(l.records)*recordSize)[:len(l.records)*recordSize]
	l.dirty = span{}
	for i, r := range l.records {
		r.encode(l.raw[i*recordSize : (i+1)*recordSize])
	}
	if err := l.bump(); err != nil {
		return err
	}
	return l.disk.replaceBody(l.raw)
}

// set changes one record, here only.
func (l *ledger) set(i int, r record) {
	if old := l.records[i]; old.id != 0 {
		l.add(old, -1)
	}
	l.records[i] = r
	if r.id != 0 {
		l.add(r, 1)
	}
	if l.disk == nil {
		return
	}
	r.encode(l.raw[i*recordSize : (i+1)*recordSize])
	if l.dirty.from == l.dirty.to {
		l.dirty = span{i, i + 1}
		return
	}
	l.dirty = span{min(l.dirty.from, i), max(l.dirty.to, i+1)}
}

// atOnce is how much of a file is written together with its header, rather than
// in a write of its own.
const atOnce = 16 << 10

// flush writes the records that were changed: header first, so that a process
// that dies in between leaves others looking for a change that is not there.
// What lies between two of them is written too: under the lock it is as in the file.
func (l *ledger) flush() error {
	d := l.dirty
	l.dirty = span{}
	if l.disk == nil || d.from == d.to {
		return nil
	}
	if d.to*recordSize > atOnce {
		if err := l.bump(); err != nil {
			return err
		}
		return l.put(l.raw[d.from*recordSize:d.to*recordSize], int64(1+d.from)*recordSize)
	}
	l.head.generation++
	l.head.encode(l.line[:])
	l.both = append(append(l.both[:0], l.line[:]...), l.raw[:d.to*recordSize]...)
	return l.put(l.both, 0)
}

// bump writes the header, changed.
func (l *ledger) bump() error {
	if l.disk == nil {
		return nil
	}
	l.head.generation++
	l.head.encode(l.line[:])
	return l.put(l.line[:], 0)
}

// put writes; what fails leaves the file to be read anew.
func (l *ledger) put(p []byte, at int64) error {
	if err := l.disk.writeAt(p, at); err != nil {
		l.read = false
		return err
	}
	return nil
}
