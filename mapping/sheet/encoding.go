package sheet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/codepage"
)

const utf8BOM = "\xef\xbb\xbf"

// badText is where a text file stops to be text. It comes after all the good
// bytes before it, so that whoever counted their lines can name the line.
type badText struct {
	code          schema.Code
	message, hint string
}

func (e *badText) Error() string { return e.message }

var errNUL = &badText{
	schema.CodeNULByte, "a NUL byte, which no text holds",
	"the file may be binary, or UTF-16 without a byte-order mark: say --encoding utf-16le; or save it again as CSV UTF-8",
}

// utf8Reader passes UTF-8 through and stops at the first byte that is none.
// A Read gives whole runes only.
type utf8Reader struct {
	from     io.Reader
	encoding string // that from decodes; empty for plain UTF-8
	strict   bool   // U+FFFD is what from makes of a byte it cannot decode, and a control character of one without a meaning
	hint     string // what to do about bytes that are no UTF-8
	// turn is asked at the first byte that is no UTF-8 how the text is read where all that was given out is ASCII; a nil
	// decoder means that nobody can tell, and the hint what to do. It may be nil.
	turn    func() (decoder func(io.Reader) io.Reader, hint string)
	turned  io.Reader // what gives the rest
	wide    bool      // characters beyond ASCII were given out
	carry   [utf8.UTFMax]byte
	carried int
	err     error
}

func newUTF8(r io.Reader) io.Reader { return &utf8Reader{from: r} }

func (u *utf8Reader) Read(p []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	if u.turned != nil {
		return u.turned.Read(p)
	}
	if len(p) <= utf8.UTFMax {
		return 0, io.ErrShortBuffer
	}
	n := copy(p, u.carry[:u.carried])
	m, err := u.from.Read(p[n:])
	n += m
	u.carried, u.err = 0, err
	plain := codepage.ASCII(p[:n])
	good := n
	if plain < n {
		good = validPrefix(p[:n])
	}
	if good < n && (utf8.FullRune(p[good:n]) || err == io.EOF) && u.turns(p[plain:n]) {
		if plain == 0 {
			return u.turned.Read(p)
		}
		good, n = plain, plain
	}
	u.wide = u.wide || plain < good
	if good < n {
		switch rest := p[good:n]; {
		case utf8.FullRune(rest) || err == io.EOF:
			u.err = &badText{
				schema.CodeBadEncoding, fmt.Sprintf("byte 0x%02X is not UTF-8", rest[0]), cmp.Or(u.hint, hintOf(codepage.Guess{})),
			}
		default:
			u.carried = copy(u.carry[:], rest)
		}
	}
	if u.strict {
		if i := noCharacter(p[:good]); i >= 0 {
			good, u.err = i, &badText{
				schema.CodeBadEncoding, "bytes that are not a character in " + u.encoding,
				"find out the file's encoding and say --encoding",
			}
		}
	}
	if i := bytes.IndexByte(p[:good], 0); i >= 0 {
		good, u.err = i, errNUL
	}
	if good > 0 && u.err != nil {
		return good, nil // the error comes with the next call
	}
	return good, u.err
}

// turns reports whether the rest, which begins with what was read last, is read in another encoding.
func (u *utf8Reader) turns(rest []byte) bool {
	if u.turn == nil || u.wide {
		return false
	}
	decoder, hint := u.turn()
	if u.hint = hint; decoder == nil {
		return false
	}
	u.turned, u.err = decoder(io.MultiReader(bytes.NewReader(bytes.Clone(rest)), u.from)), nil
	return true
}

// noCharacter returns where U+FFFD stands, or a control character that no text has; -1 where
// there is none.
func noCharacter(text []byte) int {
	i := bytes.Index(text, []byte("\uFFFD"))
	for at := indexFrom(text, 0, 0xC2); at+1 < len(text) && (i < 0 || at < i); at = indexFrom(text, at+1, 0xC2) {
		if text[at+1] < 0xA0 {
			return at
		}
	}
	return i
}

// validPrefix is the length of the longest prefix that is UTF-8.
func validPrefix(p []byte) int {
	if utf8.Valid(p) {
		return len(p)
	}
	// Halving finds the bad byte with few passes of the fast check.
	good := 0
	for step := len(p); step > 64; {
		step /= 2
		end := min(good+step, len(p))
		for end > good && end < len(p) && !utf8.RuneStart(p[end]) {
			end--
		}
		if utf8.Valid(p[good:end]) {
			good = end
		}
	}
	for good < len(p) {
		r, size := utf8.DecodeRune(p[good:])
		if r == utf8.RuneError && size <= 1 {
			return good
		}
		good += size
	}
	return good
}

// utf16Reader turns UTF-16 into UTF-8.
type utf16Reader struct {
	from  io.Reader
	order binary.ByteOrder
	raw   []byte
	held  int // bytes of raw that are read but not decoded: half a character
	buf   []byte
	out   []byte // the part of buf that is not given out yet
	err   error
}

func newUTF16LE(r io.Reader) io.Reader { return newUTF16(r, binary.LittleEndian) }
func newUTF16BE(r io.Reader) io.Reader { return newUTF16(r, binary.BigEndian) }

func newUTF16(r io.Reader, order binary.ByteOrder) io.Reader {
	return &utf16Reader{from: r, order: order, raw: make([]byte, 16<<10)}
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.out) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		n, err := u.from.Read(u.raw[u.held:])
		u.err = err
		u.decode(u.held + n)
	}
	n := copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// decode turns the first n bytes of raw into out.
func (u *utf16Reader) decode(n int) {
	in, out := u.raw[:n], slices.Grow(u.buf[:0], n*2)
	for len(in) >= 2 {
		r, size := rune(u.order.Uint16(in)), 2
		if utf16.IsSurrogate(r) {
			if len(in) < 4 && u.err == nil {
				break
			}
			second := rune(0)
			if len(in) >= 4 {
				second, size = rune(u.order.Uint16(in[2:])), 4
			}
			if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
				u.err, in = &badText{schema.CodeBadEncoding, "half a UTF-16 surrogate pair", "the file is damaged, or not UTF-16"}, nil
				break
			}
		}
		if r == 0 {
			u.err, in = errNUL, nil
			break
		}
		out, in = utf8.AppendRune(out, r), in[size:]
	}
	if len(in) > 0 && u.err == io.EOF {
		u.err, in = &badText{schema.CodeBadEncoding, "half a UTF-16 character at the end", "the file is cut, or not UTF-16"}, nil
	}
	u.buf, u.out, u.held = out, out, copy(u.raw, in)
}

// unixLines drops the carriage returns that come right before a line feed.
func unixLines(s string) string {
	if !strings.Contains(s, "\r\n") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for {
		line, rest, found := strings.Cut(s, "\n")
		if !found {
			b.WriteString(line)
			return b.String()
		}
		b.WriteString(strings.TrimRight(line, "\r"))
		b.WriteByte('\n')
		s = rest
	}
}
