package files

import (
	"encoding/json"
	"strconv"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// chain is a line's place in the journal.
type chain struct {
	n int64  // from 1, without gaps
	p uint32 // CRC of the line before
	d int64  // known to be synced
}

// entry is a record as a line has it.
type entry struct {
	N         int64                `json:"n"`
	P         string               `json:"p"`
	D         int64                `json:"d"`
	T         journal.Type         `json:"t"`
	At        int64                `json:"at,omitempty"`
	Op        *int                 `json:"op,omitempty"`
	Ops       []int                `json:"ops,omitempty"`
	Kind      string               `json:"kind,omitempty"` // the operation, in journals of earlier versions: create, update or cancel
	Operation string               `json:"operation,omitempty"`
	Attempt   int                  `json:"attempt,omitempty"`
	Event     string               `json:"event,omitempty"`
	Key       string               `json:"key,omitempty"`
	Hash      string               `json:"hash,omitempty"`
	Code      string               `json:"code,omitempty"`
	Status    int                  `json:"status,omitempty"`
	Error     string               `json:"error,omitempty"`
	Fields    []journal.FieldError `json:"fields,omitempty"`
	Sent      int                  `json:"sent,omitempty"`
	Reads     int                  `json:"reads,omitempty"`
	Throttled int                  `json:"throttled,omitempty"`
	Version   int                  `json:"version,omitempty"`   // of an open: of the journal's form
	Run       string               `json:"run,omitempty"`       // of an open
	Plan      string               `json:"plan,omitempty"`      // of an open: the plan's seal
	BaseURL   string               `json:"base_url,omitempty"`  // of an open
	Calendars map[string]string    `json:"calendars,omitempty"` // of an open: key fingerprints
	PID       int                  `json:"pid,omitempty"`       // of an attach
	Turn      int                  `json:"turn,omitempty"`      // of an attach, and of a doubt before it: which one it is of the workspace
	Home      *plan.Home           `json:"home,omitempty"`      // of an attach: where the run was then
	By        string               `json:"by,omitempty"`        // of an attach: the program's version

	p, crc uint32 // of a line that was read: P as a number, and its own
}

// encode returns the entry of a checked record, without its chain.
func encode(r *journal.Record) entry {
	e := entry{
		T: r.Type, Ops: r.Ops, Operation: r.Operation, Attempt: r.Attempt,
		Event: r.EventID, Key: r.Key, Hash: r.Hash, Code: r.Code, Status: r.Status, Error: r.Error, Fields: r.Fields,
		Sent: r.Requests.Sent, Reads: r.Requests.Reads, Throttled: r.Requests.Throttled, Turn: r.Turn,
	}
	if !r.At.IsZero() {
		e.At = r.At.UnixMilli()
	}
	if r.Type != journal.End && len(r.Ops) == 0 {
		e.Op = &r.Op
	}
	return e
}

// each returns the ops of an entry.
func (e *entry) each() []int {
	switch {
	case len(e.Ops) > 0:
		return e.Ops
	case e.Op != nil:
		return []int{*e.Op}
	}
	return nil
}

// appendLine appends a line, and returns its CRC.
func appendLine(dst []byte, c chain, e entry) ([]byte, uint32, error) {
	e.N, e.P, e.D = c.n, hex8(c.p), c.d
	text, err := json.Marshal(e)
	if err != nil {
		return dst, 0, err
	}
	crc := journal.Sum(text)
	dst = append(appendHex(dst, crc), ' ')
	return append(append(dst, text...), '\n'), crc, nil
}

func appendHex(dst []byte, v uint32) []byte {
	const width = 8
	digits := strconv.AppendUint(nil, uint64(v)|1<<32, 16) // a 1 and eight digits
	return append(dst, digits[len(digits)-width:]...)
}

func hex8(v uint32) string { return string(appendHex(nil, v)) }
