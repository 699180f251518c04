package match

import (
	"strings"
	"sync"
)

// list is the words for one purpose, all of them folded.
type list struct {
	words  []string // in their order
	set    map[string]bool
	begins map[string]int // the most words that one of them has which begins so
}

// eventLists are the lists of words for events, each made when it is first asked for.
var eventLists = sync.OnceValue(func() map[string]func() *list {
	all := map[string]func() *list{}
	for _, s := range eventWords() {
		if s.kind == "list" {
			all[s.of] = sync.OnceValue(s.list)
		}
	}
	return all
})

func (s *section) list() *list {
	words := s.folded()
	l := &list{words, make(map[string]bool, len(words)), map[string]int{}}
	for _, word := range words {
		l.set[word] = true
		first, _, _ := strings.Cut(word, " ")
		l.begins[first] = max(l.begins[first], 1+strings.Count(word, " "))
	}
	return l
}

// listOf returns a list that the file has.
func listOf(name string) *list { return eventLists()[name]() }

// has reports whether a text is one of the words.
func (l *list) has(text string) bool { return l.set[fold(text)] }

// in reports whether a text is one of a list of words.
func in(list, text string) bool { return listOf(list).has(text) }

// mentions reports whether one of the words of lists, or several beside each other, stand in a folded text.
func mentions(text string, lists ...string) bool {
	for _, name := range lists {
		if listOf(name).within(text) {
			return true
		}
	}
	return false
}

// within reports whether one of the words stands in a folded text. Few texts have a word that begins one.
func (l *list) within(text string) bool {
	for word := range strings.FieldsFuncSeq(text, notLetter) {
		if l.begins[word] > 0 {
			said := strings.FieldsFunc(text, notLetter)
			for i := range said {
				for n := range min(l.begins[said[i]], len(said)-i) {
					if l.set[strings.Join(said[i:i+n+1], " ")] {
						return true
					}
				}
			}
			return false
		}
	}
	return false
}

// cutWords cuts the longest of the words of lists off the beginning, and reports whether there is one.
func cutWords(said []string, lists ...string) (behind []string, found bool) {
	most := 0
	for _, name := range lists {
		if l := listOf(name); len(said) > 0 {
			for n := min(l.begins[said[0]], len(said)); n > most; n-- {
				if l.set[strings.Join(said[:n], " ")] {
					most = n
				}
			}
		}
	}
	return said[most:], most > 0
}
