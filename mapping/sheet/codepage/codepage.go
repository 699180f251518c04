// Package codepage tells in which encoding a text is that has no mark and is no UTF-8.
//
// Bytes beyond ASCII are judged by the words in which they stand. Read in an encoding, each has to
// be a letter of a language that is written in it, as often as that language has it, or a sign
// where such a sign belongs: a dash beside a blank, an apostrophe behind a letter. What [Find]
// names is certain: every byte is where it belongs, and neither another encoding that would read
// the text as something else nor chance explains it nearly as well.
package codepage

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Windows is the encoding in which Excel saves a CSV file on a Windows of Western Europe or
// America, and ANSI what Excel calls the encoding of whatever Windows it runs on.
const (
	Windows = "windows-1252"
	ANSI    = "ansi"
)

// dos are encodings that Excel writes and the web has no names for.
var dos = map[string]*charmap.Charmap{"ibm850": charmap.CodePage850, "ibm852": charmap.CodePage852}

// Named returns an encoding with its proper name: one of the web, or what Excel calls it.
func Named(name string) (encoding.Encoding, string, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	if page := dos[lower]; page != nil {
		return page, lower, nil
	}
	if lower == ANSI {
		lower = Windows
	}
	enc, err := htmlindex.Get(lower)
	if err != nil || enc == encoding.Replacement {
		return nil, "", fmt.Errorf("no encoding %q", name)
	}
	proper, err := htmlindex.Name(enc)
	if err != nil {
		proper = lower
	}
	return enc, proper, nil
}

// page is an encoding of a byte a character, with the languages that are written in it.
type page struct {
	name      string
	runes     [256]rune
	languages []language
	alien     bool // these have no letters of ASCII
}

// language is by letter how often it comes, as the logarithm of its part of all.
type language map[rune]float64

//go:embed letters.txt
var letters string

var pages = sync.OnceValue(func() []*page { return parse(letters) })

// parse reads the table of letters.
func parse(text string) []*page {
	var all, group []*page
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			group = nil
			for name := range strings.FieldsSeq(strings.Trim(line, "[]")) {
				i := slices.IndexFunc(all, func(p *page) bool { return p.name == name })
				if i < 0 {
					i, all = len(all), append(all, newPage(name))
				}
				group = append(group, all[i])
			}
		default:
			l := language{}
			for _, word := range strings.Fields(line)[1:] {
				r, size := utf8.DecodeRuneInString(word)
				n, err := strconv.Atoi(word[size:])
				if err != nil {
					panic("codepage: " + line)
				}
				l[r] = float64(n) / 1000
			}
			for _, p := range group {
				p.languages = append(p.languages, l)
				for r := range l {
					p.alien = !unicode.Is(unicode.Latin, r)
				}
			}
		}
	}
	for _, p := range all {
		p.smooth()
	}
	return all
}

func newPage(name string) *page {
	enc, _, err := Named(name)
	table, single := enc.(*charmap.Charmap)
	if err != nil || !single {
		panic("codepage: " + name)
	}
	p := &page{name: name}
	for b := range p.runes {
		p.runes[b] = table.DecodeByte(byte(b))
	}
	return p
}

// smooth gives each language a tenth of what the others of its encoding have: names of
// people and places come from everywhere.
func (p *page) smooth() {
	const own, least = 0.9, 0.0005
	average := language{}
	for _, l := range p.languages {
		for r, part := range l {
			average[r] += part / float64(len(p.languages))
		}
	}
	smooth := make([]language, len(p.languages))
	for i, l := range p.languages {
		smooth[i] = language{}
		for r, part := range average {
			smooth[i][r] = math.Log(max(own*l[r]+(1-own)*part, least))
		}
	}
	p.languages = smooth
}

// of returns the logarithm of a letter's part.
func (l language) of(r rune) float64 {
	const least = -9
	for _, r := range []rune{unicode.ToLower(r), r} {
		if part, has := l[r]; has {
			return part
		}
	}
	return least
}
