package codepage

import (
	"bytes"
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Guess is what the bytes of a text say of its encoding.
type Guess struct {
	UTF8 bool // all of it is UTF-8
	Wide bool // characters beyond ASCII are in it as UTF-8
	// Name is the encoding that the text is in for certain; empty where nobody can tell.
	Name   string
	Sample string // a cell of it, as it reads in that encoding
	// Readings are what a text may be that is no UTF-8, the likeliest first.
	Readings []Reading
}

// Reading is how a cell of the text reads in an encoding.
type Reading struct{ Name, Sample string }

const (
	blockBytes = 64 << 10
	mostWords  = 4096 // that are weighed; each other one has to be in its place all the same
	mostSample = 60   // bytes of a cell that is shown
	// certain is by how much the logarithm of an encoding's likelihood has to be above that of
	// any other, which is that of one in two thousand. A single word does not reach it.
	certain = 7.6
)

// Find reads a text to its end. The error is that of the reader.
func Find(r io.Reader) (Guess, error) {
	s := search{words: map[string]bool{}, guess: Guess{UTF8: true}}
	block := make([]byte, blockBytes)
	for kept := 0; ; {
		n, err := io.ReadFull(r, block[kept:])
		n += kept
		last := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !last {
			return Guess{}, err
		}
		text := block[:n]
		if !last {
			text = block[:whole(block)]
		}
		s.block(text)
		if last {
			return s.end(), nil
		}
		kept = copy(block, block[len(text):n])
	}
}

// whole returns how much of a text can be judged without what comes behind it.
func whole(text []byte) int {
	for _, ends := range []string{"\n", "\t;, "} {
		if i := bytes.LastIndexAny(text, ends); i >= 0 {
			return i + 1
		}
	}
	for n := 1; n < utf8.UTFMax; n++ { // the beginning of a character at the end
		if rest := text[len(text)-n:]; utf8.RuneStart(rest[0]) && !utf8.FullRune(rest) {
			return len(text) - n
		}
	}
	return len(text)
}

// search collects the words of a text that have bytes beyond ASCII.
type search struct {
	guess  Guess
	words  map[string]bool
	amiss  bool   // some byte is not where it belongs in windows-1252
	sample []byte // the cell with the most of them so far
	most   int
}

// block takes in a part of the text.
func (s *search) block(text []byte) {
	if ASCII(text) == len(text) {
		return
	}
	if utf8.Valid(text) {
		s.guess.Wide = true
		return
	}
	s.guess.UTF8 = false
	for len(text) > 0 {
		i := bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
		if i < 0 {
			return
		}
		begin, end := i, i
		for begin > 0 && within(text[begin-1]) {
			begin--
		}
		for end < len(text) && within(text[end]) {
			end++
		}
		s.word(text[begin:end])
		s.show(text, i)
		text = text[end:]
	}
}

// within reports whether a byte is of the word at hand, or of one that may be.
func within(b byte) bool {
	return b >= utf8.RuneSelf || b == '.' || b == '\'' || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))
}

// ASCII returns how much of a text is ASCII before the first byte that is not. It looks at 32 bytes at a time: nearly all
// texts are ASCII, and have to cost nothing.
func ASCII(text []byte) (n int) {
	in := binary.LittleEndian
	for ; len(text)-n >= 32; n += 32 {
		rest := text[n : n+32]
		if (in.Uint64(rest)|in.Uint64(rest[8:])|in.Uint64(rest[16:])|in.Uint64(rest[24:]))&0x8080808080808080 != 0 {
			break
		}
	}
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// word takes in a word.
func (s *search) word(word []byte) {
	if utf8.Valid(word) {
		s.guess.Wide = true
	}
	if s.words[string(word)] {
		return
	}
	if len(s.words) < mostWords {
		s.words[string(word)] = true
	}
	s.amiss = s.amiss || !pages()[0].belongs(word)
}

// show keeps the cell around a byte, where it says more than the last.
func (s *search) show(text []byte, at int) {
	const ends = "\n\r\t;,|\"<>"
	begin := bytes.LastIndexAny(text[:at], ends) + 1
	end := len(text)
	if i := bytes.IndexAny(text[at:], ends); i >= 0 {
		end = at + i
	}
	begin = max(begin, at-mostSample/2)
	end = min(end, begin+mostSample)
	cell := text[begin:end]
	if high := len(cell) - asciiBytes(cell); high > s.most && s.most < 5 {
		s.sample, s.most = bytes.Clone(bytes.TrimSpace(cell)), high
	}
}

func asciiBytes(text []byte) (n int) {
	for _, b := range text {
		if b < utf8.RuneSelf {
			n++
		}
	}
	return n
}

// end weighs what was found.
func (s *search) end() Guess {
	g := s.guess
	if g.UTF8 {
		return g
	}
	type weighed struct {
		page  *page
		score float64
	}
	var all []weighed
	by := chance * float64(s.count())
	for _, p := range pages() {
		if score := p.score(s.words); score > by || p == pages()[0] {
			all = append(all, weighed{p, score})
		}
	}
	slices.SortStableFunc(all, func(a, b weighed) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	const shown = 3
	for _, w := range all {
		reading := Reading{w.page.name, w.page.read(s.sample)}
		if same := slices.ContainsFunc(g.Readings, func(r Reading) bool { return r.Sample == reading.Sample }); !same &&
			len(g.Readings) < shown && !strings.ContainsFunc(reading.Sample, unicode.IsControl) {
			g.Readings = append(g.Readings, reading)
		}
	}
	mine := pages()[0].score(s.words)
	if s.amiss || g.Wide || mine < by+certain {
		return g
	}
	for _, w := range all {
		if w.page != pages()[0] && mine < w.score+certain && w.page.differs(s.words) {
			return g
		}
	}
	g.Name, g.Sample = pages()[0].name, pages()[0].read(s.sample)
	return g
}

// count returns how many bytes beyond ASCII the words have.
func (s *search) count() (n int) {
	for word := range s.words {
		n += len(word) - asciiBytes([]byte(word))
	}
	return n
}

// read reads bytes in the encoding.
func (p *page) read(text []byte) string { return string(p.decode(text)) }

func (p *page) decode(text []byte) []rune {
	runes := make([]rune, len(text))
	for i, b := range text {
		runes[i] = p.runes[b]
	}
	return runes
}

// differs reports whether the words read otherwise than in windows-1252.
func (p *page) differs(words map[string]bool) bool {
	for word := range words {
		for i := range len(word) {
			if p.runes[word[i]] != pages()[0].runes[word[i]] {
				return true
			}
		}
	}
	return false
}

// belongs reports whether every byte of a word is where it belongs.
func (p *page) belongs(word []byte) bool {
	runes := p.decode(word)
	for i, r := range runes {
		if r >= utf8.RuneSelf && !letter(r) && sign(neighbour(runes, i-1), r, neighbour(runes, i+1)) < odd {
			return false
		}
	}
	return written(runes)
}

func neighbour(runes []rune, i int) rune {
	if i < 0 || i >= len(runes) {
		return 0
	}
	return runes[i]
}

// score returns how likely the words are in the encoding: in the language that has them best.
func (p *page) score(words map[string]bool) float64 {
	signs := 0.0
	letters := map[rune]int{}
	for _, word := range slices.Sorted(maps.Keys(words)) { // sums of fractions depend on their order
		runes := p.decode([]byte(word))
		well := written(runes)
		if p.alien {
			well = !slices.ContainsFunc(runes, latin)
		}
		for i, r := range runes {
			switch {
			case r < utf8.RuneSelf:
			case letter(r):
				letters[r]++
				if !well {
					signs += odd
				}
			case r == '’' && apostrophe(runes[start(runes, i):stop(runes, i)], i-start(runes, i)):
				signs += typical / 3
			default:
				signs += sign(neighbour(runes, i-1), r, neighbour(runes, i+1))
			}
		}
	}
	best := 0.0
	in := slices.Sorted(maps.Keys(letters))
	for i, l := range p.languages {
		sum := 0.0
		for _, r := range in {
			sum += float64(letters[r]) * l.of(r)
		}
		if i == 0 || sum > best {
			best = sum
		}
	}
	return best + signs
}

// latin reports whether a character is a letter of ASCII.
func latin(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }

// start and stop return where the word of letters around a place begins and ends.
func start(runes []rune, i int) int {
	for i > 0 && letter(runes[i-1]) {
		i--
	}
	return i
}

func stop(runes []rune, i int) int {
	for i++; i < len(runes) && letter(runes[i]); {
		i++
	}
	return i
}
