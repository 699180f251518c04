package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/codepage"
)

// charset is how the bytes of a text file become UTF-8.
type charset struct {
	mark    int    // length of the byte-order mark
	name    string // of the encoding; empty where it is one of Unicode
	decoder func(io.Reader) io.Reader
	note    *schema.Problem
	later   bool // whether the text is UTF-8 is known once it was read: see unproven
}

// findCharset decides on the encoding: the byte-order mark, else UTF-16 where every second byte
// is NUL, else UTF-8 where the text is that; else what the user says, else what its bytes prove, now or later.
func findCharset(in *input, asked string, prove func(*input) (charset, error)) (charset, error) {
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
		if decode != nil {
			return charset{mark: mark, decoder: decode}, nil
		}
		return prove(in)
	}
	enc, name, err := codepage.Named(asked)
	if err != nil {
		return charset{}, in.refuse(schema.CodeBadEncoding, "names are those of the web, for example windows-1252, iso-8859-2, "+
			"shift_jis, gb18030", "%w", err)
	}
	if decode != nil {
		c := charset{mark: mark, decoder: decode}
		if name != marked && !(name == "utf-16le" && marked == "utf-16be") { // "utf-16" alone is named utf-16le
			c.note = in.remark("leave --encoding away", "the file's byte-order mark says %s, so it is not read as %s", marked, asked)
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
		if _, single := enc.(*charmap.Charmap); single {
			if c, err := in.contradicted(asked, name); c.decoder != nil || err != nil {
				return c, err
			}
		}
		return charset{name: name, decoder: strictly(enc, name)}, nil
	}
	return charset{decoder: decode}, nil
}

// ParseEncoding returns the proper name of an encoding that a person names: as the web does, or
// as Excel does, whose "ansi" is windows-1252.
func ParseEncoding(text string) (string, error) {
	_, name, err := codepage.Named(text)
	return name, err
}

// contradicted returns how a text is read that cannot be in an encoding of a byte a character: it
// is UTF-8, or what Excel would call ANSI elsewhere.
func (in *input) contradicted(asked, name string) (charset, error) {
	guess, err := in.guess()
	switch {
	case err != nil:
	case guess.UTF8 && guess.Wide:
		note := in.remark("leave the encoding away", "the text is UTF-8, so it is not read as %s", asked)
		return charset{decoder: newUTF8, note: note}, nil
	case !guess.UTF8 && strings.EqualFold(asked, codepage.ANSI) && (len(guess.Readings) == 0 || guess.Readings[0].Name != name):
		err = in.refuse(schema.CodeBadEncoding, hintOf(guess),
			"the text does not read well as %s, which is ansi in the west of Europe", name)
	}
	return charset{}, err
}

// unproven returns how a text is read that has no mark, without looking at all of it before: it is UTF-8 up to the byte that
// is none, and where all before that is ASCII the rest is what the bytes prove.
func unproven(in *input) (charset, error) {
	turn := func() (decoder func(io.Reader) io.Reader, hint string) {
		c, err := proven(in)
		if err != nil || c.name == "" {
			guess, _ := in.guess() // an error of reading is met again
			return nil, hintOf(guess)
		}
		return c.decoder, ""
	}
	return charset{later: true, decoder: func(r io.Reader) io.Reader { return &utf8Reader{from: r, turn: turn} }}, nil
}

// proven returns how a text is read that has no mark.
func proven(in *input) (charset, error) {
	guess, err := in.guess()
	switch {
	case err != nil:
		return charset{}, err
	case guess.Name == "":
		return charset{decoder: func(r io.Reader) io.Reader { return &utf8Reader{from: r, hint: hintOf(guess)} }}, nil
	}
	enc, name, err := codepage.Named(guess.Name)
	if err != nil {
		return charset{}, err
	}
	c := charset{name: name, decoder: strictly(enc, name)}
	c.note = in.remark("where that reads well, say --encoding "+name+", or encoding: "+name+" in the mapping",
		"saved by Excel on Windows; read as %s: %q", name, guess.Sample)
	c.note.Code = schema.CodeEncodingFound
	return c, nil
}

// hintOf says what may be done with a text that is no UTF-8.
func hintOf(guess codepage.Guess) string {
	const again = "or save it again as CSV UTF-8"
	if len(guess.Readings) == 0 || guess.Wide {
		return "say --encoding with the file's own encoding, often windows-1252; " + again
	}
	var all []string
	for _, r := range guess.Readings {
		all = append(all, fmt.Sprintf("--encoding %s if %q is right", r.Name, r.Sample))
	}
	return "say " + strings.Join(all, ", ") + "; " + again
}

// guess looks at all bytes of the text, once.
func (in *input) guess() (codepage.Guess, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.guessed == nil {
		guess, err := codepage.Find(io.NewSectionReader(in.at, 0, math.MaxInt64))
		if err != nil {
			return guess, in.failed(err)
		}
		in.guessed = &guess
	}
	return *in.guessed, nil
}

// isUTF8 notes that a text was read to its end as what it was taken for.
func (in *input) isUTF8(wide bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.guessed == nil {
		in.guessed = &codepage.Guess{UTF8: true, Wide: wide}
	}
}

// remark returns what is odd of the encoding.
func (in *input) remark(hint, format string, args ...any) *schema.Problem {
	p := in.refuse(schema.CodeBadEncoding, hint, format, args...).Problem
	p.Severity = schema.Warning
	return &p
}

// strictly returns a decoder that stops at bytes that are no characters.
func strictly(enc encoding.Encoding, name string) func(io.Reader) io.Reader {
	return func(r io.Reader) io.Reader {
		return &utf8Reader{from: enc.NewDecoder().Reader(r), encoding: name, strict: true}
	}
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
	return nil
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
		if enc, _, err = codepage.Named(r.encoding); err != nil {
			return nil, fmt.Errorf("writing in the encoding %s: %w", r.encoding, err)
		}
	}
	return transform.NewWriter(w, enc.NewEncoder()), nil
}

// plainWriter writes UTF-8 as it is.
type plainWriter struct{ io.Writer }

func (plainWriter) Close() error { return nil }

// whole reads a text whole, as UTF-8.
func (in *input) whole(chars charset, l Limits) ([]byte, error) {
	text, end, err := in.text(chars)
	if err != nil {
		return nil, err
	}
	defer end()
	most := min(l.FileBytes, mostDocument)
	raw, err := io.ReadAll(io.LimitReader(&roomyReader{from: text}, most+1))
	if bad, ok := errors.AsType[*badText](err); ok {
		line := 1 + bytes.Count(raw, []byte("\n"))
		return nil, refuse(bad.code, schema.Place{File: in.name, Line: line, Column: -1}, bad.hint, "%s, in line %d", bad.message, line)
	}
	if err == nil && int64(len(raw)) > most {
		err = in.refuse(schema.CodeTooManyRows, "write the rows as NDJSON, an object a line", "more than %d bytes", most)
	}
	return raw, err
}
