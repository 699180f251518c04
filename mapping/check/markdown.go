package check

import (
	"iter"
	"strings"
)

// images yields the addresses of a text's images in Markdown: ![alt](address
// "title") and ![alt](<address>), and by reference ![alt][name] with [name]: address
// on a line of its own. What stands in code is none.
func images(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			switch text[i] {
			case '\\':
				i += 2
			case '`':
				i += code(text[i:])
			case '!':
				address, n := image(text, i)
				if n == 0 {
					i++
					continue
				}
				if address != "" && !yield(address) {
					return
				}
				i += n
			default:
				i++
			}
		}
	}
}

// code gives the length of the code that a run of backticks begins; of the run
// alone where nothing closes it.
func code(s string) int {
	n := 0
	for n < len(s) && s[n] == '`' {
		n++
	}
	for i := n; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := i
		for i < len(s) && s[i] == '`' {
			i++
		}
		if i-run == n {
			return i
		}
	}
	return n
}

// image reads an image that begins at i. Its length is 0 where none does, its
// address empty where it refers to a name that is not defined.
func image(text string, i int) (address string, n int) {
	s := text[i:]
	if len(s) < 4 || s[1] != '[' {
		return "", 0
	}
	depth, end := 1, 2
	for ; end < len(s) && depth > 0; end++ {
		switch s[end] {
		case '\\':
			end++
		case '[':
			depth++
		case ']':
			depth--
		}
	}
	if depth > 0 || end > len(s) {
		return "", 0
	}
	label, rest := s[2:end-1], s[end:]
	switch {
	case strings.HasPrefix(rest, "("):
		address, length := destination(rest)
		if length == 0 {
			return "", 0
		}
		return address, end + length
	case strings.HasPrefix(rest, "["):
		name, _, ok := strings.Cut(rest[1:], "]")
		if !ok {
			return "", 0
		}
		if name != "" {
			label = name
		}
		return definition(text, label), end + len(name) + 2
	}
	if address = definition(text, label); address == "" {
		return "", 0
	}
	return address, end
}

// destination reads (address "title").
func destination(s string) (address string, n int) {
	inner := strings.TrimLeft(s[1:], " \t\n")
	skipped := len(s) - len(inner)
	var length int
	if strings.HasPrefix(inner, "<") {
		end := strings.IndexAny(inner, ">\n")
		if end < 0 || inner[end] != '>' {
			return "", 0
		}
		address, length = inner[1:end], end+1
	} else {
		depth := 0
		for length < len(inner) && inner[length] > ' ' {
			if inner[length] == '(' {
				depth++
			} else if inner[length] == ')' {
				if depth == 0 {
					break
				}
				depth--
			}
			length++
		}
		address = inner[:length]
	}
	closing := strings.IndexByte(inner[length:], ')')
	if closing < 0 {
		return "", 0
	}
	return address, skipped + length + closing + 1
}

// definition finds the line [name]: address.
func definition(text, name string) string {
	if name == "" {
		return ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(line, " ")
		if len(line) < len(name)+3 || line[0] != '[' || line[len(name)+1] != ']' || line[len(name)+2] != ':' ||
			!strings.EqualFold(line[1:len(name)+1], name) {
			continue
		}
		address := strings.TrimLeft(line[len(name)+3:], " \t")
		if i := strings.IndexAny(address, " \t\r"); i >= 0 {
			address = address[:i]
		}
		return strings.Trim(address, "<>")
	}
	return ""
}
