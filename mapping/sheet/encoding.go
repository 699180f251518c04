package sheet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"eventbatch/mapping/schema"
)

const utf8BOM = "\xef\xbb\xbf"

// charset is how the bytes of a text file become UTF-8.
type charset struct {
	mark    int // length of the byte-order mark
	decoder func(io.Reader) io.Reader
	note    *schema.Problem
}

// findCharset decides on the encoding: the byte-order mark, else what the user
// says, else UTF-16 where every second byte is NUL, else UTF-8.
func findCharset(in *input, asked string) (charset, error) {
	head := in.head
	marked, mark, decode := "", 0, (func(io.Reader) io.Reader)(nil)
	switch {
	case bytes.HasPrefix(head, []byte(utf8BOM)):
		marked, mark, decode = "utf-8", 3, newUTF8
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		marked, mark, decode = "utf-16le", 2, newUTF16LE
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		marked, mark, decode = "utf-16be", 2, newUTF16BE
	}
	if asked == "" {
		if decode == nil {
			decode = guessCharset(head)
		}
		return charset{mark: mark, decoder: decode}, nil
	}
	enc, err := htmlindex.Get(asked)
	if err != nil || enc == encoding.Replacement {
		return charset{}, in.refuse(schema.CodeBadEncoding, "names are those of the web, for example windows-1252, iso-8859-2, "+
			"shift_jis, gb18030",
			"no encoding %q", asked)
	}
	name, err := htmlindex.Name(enc)
	if err != nil {
		name = asked
	}
	if decode != nil {
		c := charset{mark: mark, decoder: decode}
		if name != marked && !(name == "utf-16le" && marked == "utf-16be") { // "utf-16" alone is named utf-16le
			c.note = &in.refuse(schema.CodeBadEncoding, "leave --encoding away",
				"the file's byte-order mark says %s, so it is not read as %s", marked, asked).Problem
			c.note.Severity = schema.Warning
		}
		return c, nil
	}
	switch name {
	case "utf-8":
		decode = newUTF8
	case "utf-16le":
		decode = newUTF16LE
	case "utf-16be":
		decode = newUTF16BE
	default:
		decode = func(r io.Reader) io.Reader {
			return &utf8Reader{from: enc.NewDecoder().Reader(r), encoding: name, strict: true}
		}
	}
	return charset{decoder: decode}, nil
}

// guessCharset tells UTF-16 without a mark by the NUL bytes of its Latin letters.
func guessCharset(head []byte) func(io.Reader) io.Reader {
	var nul [2]int
	for i, c := range head {
		if c == 0 {
			nul[i&1]++
		}
	}
	switch half := len(head) / 2; {
	case half >= 4 && nul[1] > half/2 && nul[0] < half/8:
		return newUTF16LE
	case half >= 4 && nul[0] > half/2 && nul[1] < half/8:
		return newUTF16BE
	}
	return newUTF8
}

// open begins to decode a pass of the input.
func (c charset) open(r io.Reader) (io.Reader, error) {
	if c.mark > 0 {
		if _, err := io.CopyN(io.Discard, r, int64(c.mark)); err != nil {
			return nil, err
		}
	}
	return c.decoder(r), nil
}

// text begins a pass over the input's decoded text, which ends with end.
func (in *input) text(chars charset) (text io.Reader, end func(), err error) {
	p := in.pass()
	if text, err = chars.open(p); err != nil {
		p.end()
		if err == io.EOF {
			err = in.refuse(schema.CodeUnreadableFile, "", "the file became shorter while it was being read")
		}
		return nil, nil, err
	}
	return text, p.end, nil
}

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
	strict   bool   // U+FFFD is what from makes of a byte it cannot decode
	carry    [utf8.UTFMax]byte
	carried  int
	err      error
}

func newUTF8(r io.Reader) io.Reader { return &utf8Reader{from: r} }

func (u *utf8Reader) Read(p []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	if len(p) <= utf8.UTFMax {
		return 0, io.ErrShortBuffer
	}
	n := copy(p, u.carry[:u.carried])
	m, err := u.from.Read(p[n:])
	n += m
	u.carried, u.err = 0, err
	good := validPrefix(p[:n])
	if good < n {
		switch rest := p[good:n]; {
		case utf8.FullRune(rest) || err == io.EOF:
			u.err = &badText{
				schema.CodeBadEncoding, fmt.Sprintf("byte 0x%02X is not UTF-8", rest[0]),
				"say --encoding with the file's own encoding, often windows-1252; or save it again as CSV UTF-8",
			}
		default:
			u.carried = copy(u.carry[:], rest)
		}
	}
	if u.strict {
		if i := bytes.Index(p[:good], []byte("\uFFFD")); i >= 0 {
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

// encode begins to write text in the charset.
func (c charset) encode(w io.Writer) (io.WriteCloser, error) {
	var enc encoding.Encoding
	switch r := c.decoder(bytes.NewReader(nil)).(type) {
	case *utf16Reader:
		order := unicode.LittleEndian
		if r.order.String() == "BigEndian" {
			order = unicode.BigEndian
		}
		enc = unicode.UTF16(order, unicode.IgnoreBOM)
	case *utf8Reader:
		if r.encoding == "" {
			return plainWriter{w}, nil
		}
		var err error
		if enc, err = htmlindex.Get(r.encoding); err != nil {
			return nil, fmt.Errorf("writing in the encoding %s: %w", r.encoding, err)
		}
	}
	return transform.NewWriter(w, enc.NewEncoder()), nil
}

// plainWriter writes UTF-8 as it is.
type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }
