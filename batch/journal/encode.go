package journal

import (
	"encoding/json"
	"hash/crc32"
	"strconv"
	"unicode/utf8"

	"eventbatch/batch/plan"
)

// A line of the journal is eight hex digits of the CRC-32C of what follows, a
// space, and a JSON object: n is the number of the line from 1, p the CRC of the
// line before, d the highest n known to be on disk when the line was written, t
// the type, at the time in Unix milliseconds. The type's own fields follow in
// the order of wire.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chain is a line's place in the journal.
type chain struct {
	n int64  // from 1, without gaps
	p uint32 // CRC of the line before
	d int64  // known to be synced
}

// wire is a line's JSON as encoding/json sees it: the oracle of the encoder and
// parser written by hand, and what takes over from them for the unusual.
type wire struct {
	N         int64             `json:"n"`
	P         string            `json:"p"`
	D         int64             `json:"d"`
	T         Type              `json:"t"`
	At        int64             `json:"at,omitempty"`
	Op        int               `json:"op,omitempty"`
	Kind      string            `json:"kind,omitempty"`
	Attempt   int               `json:"attempt,omitempty"`
	Event     string            `json:"event,omitempty"`
	Key       string            `json:"key,omitempty"`
	Hash      string            `json:"hash,omitempty"`
	Code      string            `json:"code,omitempty"`
	Status    int               `json:"status,omitempty"`
	Error     string            `json:"error,omitempty"`
	Fields    []FieldError      `json:"fields,omitempty"`
	Sent      int               `json:"sent,omitempty"`
	Reads     int               `json:"reads,omitempty"`
	Throttled int               `json:"throttled,omitempty"`
	Version   int               `json:"version,omitempty"`   // of an open: of the journal's form
	Run       string            `json:"run,omitempty"`       // of an open
	Plan      string            `json:"plan,omitempty"`      // of an open: the plan's seal
	BaseURL   string            `json:"base_url,omitempty"`  // of an open
	Calendars map[string]string `json:"calendars,omitempty"` // of an open: key fingerprints
	PID       int               `json:"pid,omitempty"`       // of an attach
	Turn      int               `json:"turn,omitempty"`      // of an attach: which one it is of the workspace
	Home      *plan.Home        `json:"home,omitempty"`      // of an attach: where the run was then
	By        string            `json:"by,omitempty"`        // of an attach: the program's version
}

// appendRecord appends the line of a checked record, and gives its CRC.
func appendRecord(dst []byte, c chain, r *Record) ([]byte, uint32) {
	start := len(dst)
	dst = append(dst, "00000000 "...)
	dst = append(dst, `{"n":`...)
	dst = strconv.AppendInt(dst, c.n, 10)
	dst = append(dst, `,"p":"`...)
	dst = appendHex(dst, c.p)
	dst = append(dst, `","d":`...)
	dst = strconv.AppendInt(dst, c.d, 10)
	dst = append(dst, `,"t":"`...)
	dst = append(dst, r.Type...)
	dst = append(dst, '"')
	dst = appendInt(dst, `,"at":`, r.At.UnixMilli())
	if r.Type != End {
		dst = append(dst, `,"op":`...)
		dst = strconv.AppendInt(dst, int64(r.Op), 10)
	}
	dst = appendText(dst, `,"kind":`, string(r.Kind))
	dst = appendInt(dst, `,"attempt":`, int64(r.Attempt))
	dst = appendText(dst, `,"event":`, r.EventID)
	dst = appendText(dst, `,"key":`, r.Key)
	dst = appendText(dst, `,"hash":`, r.Hash)
	dst = appendText(dst, `,"code":`, r.Code)
	dst = appendInt(dst, `,"status":`, int64(r.Status))
	dst = appendText(dst, `,"error":`, r.Error)
	if len(r.Fields) > 0 {
		dst = append(dst, `,"fields":[`...)
		for i, f := range r.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"path":`...)
			dst = appendQuoted(dst, f.Path)
			dst = append(dst, `,"reason":`...)
			dst = appendQuoted(dst, f.Reason)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	dst = appendInt(dst, `,"sent":`, int64(r.Requests.Sent))
	dst = appendInt(dst, `,"reads":`, int64(r.Requests.Reads))
	dst = appendInt(dst, `,"throttled":`, int64(r.Requests.Throttled))
	dst = append(dst, '}')
	return seal(dst, start)
}

// appendWire appends the line of an open or attach.
func appendWire(dst []byte, c chain, w wire) ([]byte, uint32, error) {
	w.N, w.P, w.D = c.n, string(appendHex(nil, c.p)), c.d
	text, err := json.Marshal(w)
	if err != nil {
		return dst, 0, err
	}
	start := len(dst)
	dst = append(dst, "00000000 "...)
	dst, crc := seal(append(dst, text...), start)
	return dst, crc, nil
}

// seal puts the CRC at the start of the line that begins at start, and ends it.
func seal(dst []byte, start int) ([]byte, uint32) {
	crc := crc32.Checksum(dst[start+9:], castagnoli)
	appendHex(dst[:start], crc)
	return append(dst, '\n'), crc
}

func appendHex(dst []byte, v uint32) []byte {
	const digits = "0123456789abcdef"
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, digits[v>>shift&15])
	}
	return dst
}

// appendInt and appendText leave out what is zero, as omitempty does.
func appendInt(dst []byte, name string, v int64) []byte {
	if v == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, name...), v, 10)
}

func appendText(dst []byte, name, v string) []byte {
	if v == "" {
		return dst
	}
	return appendQuoted(append(dst, name...), v)
}

// appendQuoted appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		dst = append(dst, s[done:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			const digits = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, "\uFFFD"...)
		}
		i++
		done = i
	}
	return append(append(dst, s[done:]...), '"')
}
