package secret

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"html"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/spelling"
)

// Censor finds keys in text from outside: as they are, in hex, decimal and base64, as
// dumps and lists of bytes, escaped for an address, for HTML or for JSON, and with
// characters in between that nobody sees. It is safe for concurrent use, and the zero
// Censor knows no key.
type Censor struct {
	mu    sync.RWMutex
	known []Secret
	// Behind closures, as the keys themselves are: all forms, and those of keys that are too
	// long to be words of somebody's text.
	all, telling func() *forms
}

// tellingLength is what a key has to have to be told from a word.
const tellingLength = 12

// Add makes a key known.
func (c *Censor) Add(s Secret) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.IsZero() || slices.ContainsFunc(c.known, s.Equal) {
		return
	}
	if c.known == nil {
		all, telling := &forms{}, &forms{}
		c.all, c.telling = func() *forms { return all }, func() *forms { return telling }
	}
	c.known = append(c.known, s)
	for _, form := range formsOf(s.Reveal()) {
		c.all().add(form)
		if len(s.Reveal()) >= tellingLength {
			c.telling().add(form)
		}
	}
}

// forms are texts that are looked for all at once, however many they are.
type forms struct {
	starting map[uint64][]string // by their first eight bytes
	first    [256]bool           // the bytes that any of those begins with
	short    []string            // those that have fewer
}

func (f *forms) add(form string) {
	if len(form) < 8 {
		f.short = append(f.short, form)
		return
	}
	if f.starting == nil {
		f.starting = map[uint64][]string{}
	}
	f.first[form[0]] = true
	start := binary.BigEndian.Uint64([]byte(form))
	f.starting[start] = append(f.starting[start], form)
}

// in gives where in a text any of the forms is.
func (f *forms) in(text []byte) iter.Seq[span] {
	return func(yield func(span) bool) {
		for _, form := range f.short {
			for end := 0; ; {
				i := bytes.Index(text[end:], []byte(form))
				if i < 0 {
					break
				}
				if end += i + len(form); !yield(span{end - len(form), end}) {
					return
				}
			}
		}
		for from := range max(0, len(text)-7) {
			if !f.first[text[from]] {
				continue
			}
			for _, form := range f.starting[binary.BigEndian.Uint64(text[from:])] {
				if to := from + len(form); to <= len(text) && string(text[from:to]) == form && !yield(span{from, to}) {
					return
				}
			}
		}
	}
}

// formsOf gives the ways to write a key that need no decoding to be found. Of
// base64 it is what comes of the key alone, wherever in a longer text it begins.
func formsOf(key string) []string {
	forms := []string{key, strings.ToUpper(key), strings.ToLower(key)}
	if len(key) < tellingLength/2 {
		return forms // the others would be found where they are not
	}
	numbers := strings.Trim(fmt.Sprint([]byte(key)), "[]")
	forms = append(forms, numbers, strings.ReplaceAll(numbers, " ", ","), strings.ReplaceAll(numbers, " ", ", "))
	for _, digits := range []string{fmt.Sprintf("% x", key), fmt.Sprintf("% X", key)} {
		for _, between := range []string{"", " ", ":"} {
			forms = append(forms, strings.ReplaceAll(digits, " ", between))
		}
	}
	for begin := range 3 {
		text := append(make([]byte, begin), key...)
		text = text[:len(text)-len(text)%3]
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			forms = append(forms, encoding.EncodeToString(text)[(begin*8+5)/6:])
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// Holds reports whether text holds a key that is long enough to be told from a
// word. JSON may be given as it is.
func (c *Censor) Holds(text []byte) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.known == nil {
		return false
	}
	for v := range views(text, false) {
		for range c.telling().in(v.text) {
			return true
		}
	}
	return false
}

// Redact puts [Redacted] in the place of each key.
func (c *Censor) Redact(text string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.known == nil {
		return text
	}
	var found []span
	for v := range views([]byte(text), true) {
		for s := range c.all().in(v.text) {
			found = append(found, v.original(s.from, s.to))
		}
	}
	if len(found) == 0 {
		return text
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	var b strings.Builder
	end := 0
	for _, s := range found {
		if s.from >= end {
			b.WriteString(text[end:s.from])
			b.WriteString(Redacted)
		}
		end = max(end, s.to)
	}
	b.WriteString(text[end:])
	return b.String()
}

// span is a part of a text.
type span struct{ from, to int }

// view is a text without what nobody sees, and perhaps without its escapes.
type view struct {
	text []byte
	from []span // where each byte comes from; nil where that is not asked for
}

func (v *view) original(from, to int) span { return span{v.from[from].from, v.from[to-1].to} }

func (v *view) add(text []byte, from span, traced bool) {
	v.text = append(v.text, text...)
	for range text {
		if traced {
			v.from = append(v.from, from)
		}
	}
}

// maxEscapes is how often a text is taken to have been escaped.
const maxEscapes = 3

// views gives a text as a person sees it, then with its escapes undone, one layer
// after another.
func views(text []byte, traced bool) iter.Seq[*view] {
	return func(yield func(*view) bool) {
		v := &view{text: text}
		if traced {
			v.from = make([]span, len(text))
			for i := range text {
				v.from[i] = span{i, i + 1}
			}
		}
		v = v.visible(traced)
		for range maxEscapes {
			if !yield(v) {
				return
			}
			less := v.unescaped(traced)
			if less == nil {
				return
			}
			v = less.visible(traced)
		}
		yield(v)
	}
}

// visible leaves out what nobody sees.
func (v *view) visible(traced bool) *view {
	plain := func(b byte) bool { return b >= ' ' && b <= '~' || b == '\n' || b == '\t' || b == '\r' }
	if !slices.ContainsFunc(v.text, func(b byte) bool { return !plain(b) }) {
		return v
	}
	out := &view{text: make([]byte, 0, len(v.text))}
	kept := 0 // up to where it is in out, or left out
	for i := 0; i < len(v.text); {
		r, size := rune(v.text[i]), 1
		if !plain(v.text[i]) {
			r, size = utf8.DecodeRune(v.text[i:])
		}
		if spelling.Hidden(r) {
			out.take(v, kept, i, traced)
			kept = i + size
		}
		i += size
	}
	out.take(v, kept, len(v.text), traced)
	return out
}

// take adds a part of another view.
func (v *view) take(other *view, from, to int, traced bool) {
	v.text = append(v.text, other.text[from:to]...)
	if traced {
		v.from = append(v.from, other.from[from:to]...)
	}
}

// unescaped undoes %63, &#99; &amp; and \u0063 \x63 \/. It is nil where there is
// nothing to undo.
func (v *view) unescaped(traced bool) *view {
	var out *view
	kept := 0 // up to where it is in out
	for i := 0; i < len(v.text); {
		if c := v.text[i]; c != '\\' && c != '%' && c != '&' {
			i++
			continue
		}
		meant, size := unescape(v.text[i:])
		if size == 0 {
			i++
			continue
		}
		if out == nil {
			out = &view{text: make([]byte, 0, len(v.text))}
		}
		out.take(v, kept, i, traced)
		var from span
		if traced {
			from = v.original(i, i+size)
		}
		out.add(meant, from, traced)
		i += size
		kept = i
	}
	if out != nil {
		out.take(v, kept, len(v.text), traced)
	}
	return out
}

// maxEntity is longer than the name of any character of HTML.
const maxEntity = 40

// unescape reads an escape at the beginning of a text; size is 0 where there is none.
func unescape(text []byte) (meant []byte, size int) {
	code := func(from, digits int) (rune, bool) {
		if len(text) < from+digits {
			return 0, false
		}
		var code [2]byte
		_, err := hex.Decode(code[2-digits/2:], text[from:from+digits])
		return rune(code[0])<<8 | rune(code[1]), err == nil
	}
	switch {
	case len(text) < 2:
	case text[0] == '%':
		if r, ok := code(1, 2); ok {
			return []byte{byte(r)}, 3
		}
	case text[0] == '&':
		if end := bytes.IndexByte(text[:min(len(text), maxEntity)], ';'); end > 0 {
			entity := string(text[:end+1])
			if meant := html.UnescapeString(entity); meant != entity {
				return []byte(meant), end + 1
			}
		}
	case text[0] != '\\':
	case text[1] == 'u':
		if r, ok := code(2, 4); ok {
			return utf8.AppendRune(nil, r), 6
		}
	case text[1] == 'x':
		if r, ok := code(2, 2); ok {
			return utf8.AppendRune(nil, r), 4
		}
	case unicode.IsPunct(rune(text[1])) || unicode.IsSymbol(rune(text[1])):
		return text[1:2], 2
	}
	return nil, 0
}
