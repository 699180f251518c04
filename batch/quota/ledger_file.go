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
	for i, r := range l.records {
		r.encode(l.raw[i*recordSize : (i+1)*recordSize])
	}
	if err := l.bump(); err != nil {
		return err
	}
	return l.disk.replaceBody(l.raw)
}

// write changes one record: header first, so that a process that dies in
// between leaves others looking for a change that is not there.
func (l *ledger) write(i int, r record) error {
	if old := l.records[i]; old.id != 0 {
		l.add(old, -1)
	}
	l.records[i] = r
	if r.id != 0 {
		l.add(r, 1)
	}
	if l.disk == nil {
		return nil
	}
	if err := l.bump(); err != nil {
		return err
	}
	b := l.raw[i*recordSize : (i+1)*recordSize]
	r.encode(b)
	if err := l.disk.writeAt(b, recordSize+int64(i)*recordSize); err != nil {
		l.read = false
		return err
	}
	return nil
}

// bump writes the header, changed.
func (l *ledger) bump() error {
	if l.disk == nil {
		return nil
	}
	l.head.generation++
	l.head.encode(l.line[:])
	if err := l.disk.writeAt(l.line[:], 0); err != nil {
		l.read = false
		return err
	}
	return nil
}
