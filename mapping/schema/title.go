package schema

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// Title returns the name of the field as a heading has it: Start, Seats.
func (f *Field) Title() string {
	if f.Label != "" {
		return f.Label
	}
	words := strings.NewReplacer(".", ": ", "_", " ").Replace(strings.TrimSuffix(f.Path, "_md"))
	return strings.ToUpper(words[:1]) + words[1:]
}

// Titled returns a text with the titles of fields in the place of their paths. A path that
// is a word of the language is left alone.
func Titled(text string) string {
	return pathLike.ReplaceAllStringFunc(text, func(path string) string { return cmp.Or(titles()[path], path) })
}

var pathLike = regexp.MustCompile(`\b(?:[a-z]+(?:[._][a-z]+)+|timezone)\b`)

var titles = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for i := range Fields {
		all[Fields[i].Path] = Fields[i].Title()
	}
	return all
})
