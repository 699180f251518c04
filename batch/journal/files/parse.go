package files

import (
	"time"

	"eventbatch/batch/journal"
)

// parseLine parses a line without its newline. ok is false where the CRC does
// not fit or the text is not a record.
func parseLine(line []byte, e *entry) (ok bool) {
	if len(line) < 10 || line[8] != ' ' {
		return false
	}
	crc, ok := parseHex(line[:8])
	if !ok || crc != journal.Sum(line[9:]) {
		return false
	}
	*e = entry{crc: crc}
	if err := journal.ParseRecord(line[9:], e); err != nil {
		return false
	}
	e.p, ok = parseHex([]byte(e.P))
	if e.Operation == "" && e.Kind != "" {
		e.Operation = journal.OperationOf(e.Kind)
	}
	return ok
}

// record returns the record of a line; ok is false where it names no op, and has to.
func (e *entry) record() (r journal.Record, ok bool) {
	r = journal.Record{
		Type: e.T, Ops: e.Ops, Operation: e.Operation, Attempt: e.Attempt, EventID: e.Event, Key: e.Key, Hash: e.Hash,
		Code: e.Code, Status: e.Status, Error: e.Error, Fields: e.Fields, Turn: e.Turn, Home: e.Home,
		Requests: journal.Made{Sent: e.Sent, Reads: e.Reads, Throttled: e.Throttled},
	}
	if e.At > 0 {
		r.At = time.UnixMilli(e.At)
	}
	if e.Op != nil {
		r.Op = *e.Op
	}
	of := e.T == journal.Open || e.T == journal.Attach || e.T == journal.End
	return r, of || e.Op != nil || len(e.Ops) > 0
}

// parseHex parses eight lower-case hex digits.
func parseHex(s []byte) (uint32, bool) {
	var v uint32
	for _, c := range s {
		switch {
		case '0' <= c && c <= '9':
			v = v<<4 | uint32(c-'0')
		case 'a' <= c && c <= 'f':
			v = v<<4 | uint32(c-'a'+10)
		default:
			return 0, false
		}
	}
	return v, len(s) == 8
}
