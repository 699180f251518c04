package ooxml

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"eventbatch/mapping/schema"
)

// asUTF8 gives a part that begins as XML in UTF-16 does, with a byte-order mark or
// without one, as UTF-8, and without its declaration, which tells the encoding. Any
// other part comes as it is.
func asUTF8(in io.Reader) io.Reader {
	head := make([]byte, 2)
	n, _ := readFull(in, head) // an error comes again with the next reading
	rest := io.MultiReader(bytes.NewReader(head[:n]), in)
	var order binary.ByteOrder
	switch string(head[:n]) {
	case "\xFF\xFE", "<\x00":
		order = binary.LittleEndian
	case "\xFE\xFF", "\x00<":
		order = binary.BigEndian
	default:
		return rest
	}
	const declaration = 256 // bytes, ample
	text := bufio.NewReader(&utf16Reader{in: bufio.NewReader(rest), order: order})
	for _, skipped := range []struct{ from, to string }{{"\uFEFF", "\uFEFF"}, {"<?xml", "?>"}} {
		begin, _ := text.Peek(declaration) // what is shorter is looked at as well
		if end := bytes.Index(begin, []byte(skipped.to)); end >= 0 && bytes.HasPrefix(begin, []byte(skipped.from)) {
			_, _ = text.Discard(end + len(skipped.to)) // they have been peeked at
		}
	}
	return text
}

// utf16Reader gives UTF-16 as UTF-8. It is asked for no less than one character.
type utf16Reader struct {
	in    *bufio.Reader
	order binary.ByteOrder
}

func (u *utf16Reader) Read(b []byte) (n int, err error) {
	for err == nil && n+utf8.UTFMax <= len(b) {
		var r rune
		if r, err = u.unit(); utf16.IsSurrogate(r) && err == nil {
			var low rune
			if low, err = u.unit(); err == nil {
				r = utf16.DecodeRune(r, low)
			}
			if r == utf8.RuneError || err == io.EOF {
				err = Flawf(schema.CodeBadEncoding, HintDamaged, "the XML has half a UTF-16 surrogate pair")
			}
		}
		if err == nil {
			n += utf8.EncodeRune(b[n:], r)
		}
	}
	return n, err
}

// unit reads one code unit; io.EOF where there is no more.
func (u *utf16Reader) unit() (rune, error) {
	var b [2]byte
	n, err := readFull(u.in, b[:])
	if n == 1 && err == io.EOF {
		err = &Flaw{schema.CodeCutXML, "the XML ends with half a UTF-16 character", HintDamaged, io.ErrUnexpectedEOF}
	}
	if n < len(b) {
		return 0, err
	}
	return rune(u.order.Uint16(b[:])), nil
}

// readFull fills b unless the stream ends or fails before.
func readFull(r io.Reader, b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var m int
		m, err = r.Read(b[n:])
		n += m
	}
	return n, err
}
