package sheet

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"pgregory.net/rapid"
)

func TestEncodingsAreFoundOrAsked(t *testing.T) {
	const text = "Título,Straße\nTeé,x\n"
	want := reading{Rows: []string{"1@1: Título|Straße", "2@2: Teé|x"}}
	latin, err := charmap.Windows1252.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, content string
		options       Options
		want          reading
	}{
		{"UTF-8", text, Options{}, want},
		{"UTF-8 with its name", text, Options{Encoding: "UTF8"}, want},
		{"UTF-8 with a mark", utf8BOM + text, Options{}, want},
		{"UTF-16 little-endian with a mark", "\xff\xfe" + utf16Text(binary.LittleEndian, text), Options{}, want},
		{"UTF-16 big-endian with a mark", "\xfe\xff" + utf16Text(binary.BigEndian, text), Options{}, want},
		{"UTF-16 big-endian, called just UTF-16", "\xfe\xff" + utf16Text(binary.BigEndian, text), Options{Encoding: "utf-16"}, want},
		{"UTF-16 little-endian without a mark", utf16Text(binary.LittleEndian, text), Options{}, want},
		{"UTF-16 big-endian without a mark", utf16Text(binary.BigEndian, text), Options{}, want},
		{"Windows-1252 with its name", latin, Options{Encoding: "windows-1252"}, want},
		{"the mark is above the name", utf8BOM + text, Options{Encoding: "latin1"}, reading{
			Rows:  want.Rows,
			Notes: []string{"bad-encoding: f: the file's byte-order mark says utf-8, so it is not read as latin1"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, readFile(t, writeTemp(t, "f.csv", tc.content), tc.options)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func utf16Text(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func TestBadBytesAreRefusedWithTheirPlace(t *testing.T) {
	kana, err := japanese.ShiftJIS.NewEncoder().String("名前,場所\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, content, encoding, want string }{
		{"a cut character at the end", "a,b\n1,\xe2\x82", "", "bad-encoding: f:2: byte 0xE2 is not UTF-8, at byte 3 of line 2"},
		{
			"after many lines", strings.Repeat("1,é\n", 50_000) + "x\xff\n", "",
			"bad-encoding: f:50001: byte 0xFF is not UTF-8, at byte 2 of line 50001",
		},
		{
			"inside of a cell of several lines", "a\n\"x\ny\n\xff\"\n", "",
			"bad-encoding: f:4:2: byte 0xFF is not UTF-8, at byte 1 of line 4",
		},
		{
			"a byte that Shift JIS has not", kana + "1,\xff\n", "shift_jis",
			"bad-encoding: f:2: bytes that are not a character in shift_jis, at byte 3 of line 2",
		},
		{
			"half a surrogate pair", "\xff\xfe" + "a\x00\n\x00\x00\xd8b\x00", "",
			"bad-encoding: f:2: half a UTF-16 surrogate pair, at byte 1 of line 2",
		},
		{
			"an odd number of bytes", "\xff\xfe" + "a\x00\n\x00b", "",
			"bad-encoding: f:2: half a UTF-16 character at the end, at byte 1 of line 2",
		},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "", "nul-byte: f:1: a NUL byte, which no text holds, at byte 1 of line 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := readFile(t, writeTemp(t, "f.csv", tc.content), Options{Encoding: tc.encoding}); got.Error != tc.want {
				t.Errorf("got  %s\nwant %s", got.Error, tc.want)
			}
		})
	}
}

// TestDecodersAgreeWithTheStandard cuts bytes into reads of any size: what comes
// out is the longest prefix that is text, and an error just when that is not all.
func TestDecodersAgreeWithTheStandard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("a\né€\xf0\x9f\x98\x80"))), 0, 300).Draw(t, "raw")
		want := raw
		for i := 0; i < len(raw); {
			r, size := utf8.DecodeRune(raw[i:])
			if r == utf8.RuneError && size == 1 || r == 0 {
				want = raw[:i]
				break
			}
			i += size
		}
		from := newUTF8(&pieces{raw, rapid.IntRange(1, 64).Draw(t, "piece")})
		var got []byte
		buf := make([]byte, rapid.IntRange(utf8.UTFMax+1, 100).Draw(t, "buf"))
		for {
			n, err := from.Read(buf)
			got = append(got, buf[:n]...)
			if err == nil {
				continue
			}
			if _, bad := errors.AsType[*badText](err); bad != (len(want) < len(raw)) {
				t.Fatalf("error %v", err)
			}
			break
		}
		if string(got) != string(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

type pieces struct {
	left []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.left[:min(p.size, len(p.left))])
	p.left = p.left[n:]
	return n, nil
}

func TestUTF16RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ReplaceAll(rapid.String().Draw(t, "text"), "\x00", "")
		for _, d := range []struct {
			order binary.AppendByteOrder
			open  func(io.Reader) io.Reader
		}{{binary.LittleEndian, newUTF16LE}, {binary.BigEndian, newUTF16BE}} {
			got, err := io.ReadAll(d.open(iotest.OneByteReader(strings.NewReader(utf16Text(d.order, text)))))
			if err != nil || string(got) != text {
				t.Fatalf("got %q %v, want %q", got, err, text)
			}
		}
	})
}

// Where the beginning of a text is ASCII, its encoding is proved by bytes that come later. What was given out in another
// encoding by then is not taken back.
func TestEncodingOfALateByte(t *testing.T) {
	long := strings.Repeat("Jazz,2027-05-01 20:00\n", 20_000) // several blocks
	words := "Caf\xe9 G\xe9rard,f\xeate de l'\xe9t\xe9\nSoir\xe9e fran\xe7aise,th\xe9\xe2tre \xe0 No\xebl\n"
	for _, tc := range []struct{ name, text, want string }{
		{"windows-1252", long + words, ""},
		{"windows-1252 from a block on", long + strings.Repeat(" ", blockBytes-len(long)%blockBytes) + words, ""},
		{"UTF-8 before it", "Café,2027-05-01 20:00\n" + long + words, "byte 0xE9 is not UTF-8"},
		{"UTF-8", long + "Café,20:00\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f, err := Open(t.Context(), writeTemp(t, "f.csv", tc.text), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			last, cell := error(nil), ""
			for row, err := range f.Rows(t.Context(), "") {
				if last = err; err == nil && strings.Contains(row.Cell(0).Text, "Caf") {
					cell = strings.TrimSpace(row.Cell(0).Text)
				}
			}
			if tc.want != "" {
				if last == nil || !strings.Contains(last.Error(), tc.want) {
					t.Errorf("got %v", last)
				}
				return
			}
			latin := strings.HasSuffix(tc.text, words)
			if last != nil || !strings.HasPrefix(cell, "Café") {
				t.Errorf("%v, %q", last, cell)
			}
			if latin != (f.Encoding() == "windows-1252") || latin != (len(f.Notes()) == 1) {
				t.Errorf("read in %q, %v", f.Encoding(), f.Notes())
			}
			begun, err := f.Again(t.Context()) // of which one row is read
			if err != nil {
				t.Fatal(err)
			}
			for range begun.Rows(t.Context(), "") {
				break
			}
			if latin != (begun.Encoding() == "windows-1252") || latin != (len(begun.Notes()) == 1) {
				t.Errorf("at the first row %q, %v", begun.Encoding(), begun.Notes())
			}
		})
	}
}
