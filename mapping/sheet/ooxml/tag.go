package ooxml

import (
	"bytes"
	"strings"
)

// TagName gives the name in a tag, as written.
func TagName(tag []byte) string {
	from := min(1, len(tag))
	if len(tag) > 1 && tag[1] == '/' {
		from = 2
	}
	to := from
	for to < len(tag) && class[tag[to]]&inName != 0 {
		to++
	}
	return string(tag[from:to])
}

// LocalName gives the name in a tag without that prefix; empty where it has another.
func LocalName(tag []byte, prefix string) string {
	before, after, found := strings.Cut(TagName(tag), ":")
	if !found {
		before, after = "", before
	}
	if before != prefix {
		return ""
	}
	return after
}

// attrSpan finds the value of an attribute, written with exactly that name.
func attrSpan(tag []byte, name string) (from, to int, ok bool) {
	for i := len(TagName(tag)) + 1; i < len(tag); {
		for i < len(tag) && class[tag[i]]&space != 0 {
			i++
		}
		begin := i
		for i < len(tag) && class[tag[i]]&inName != 0 {
			i++
		}
		if i == begin {
			return 0, 0, false
		}
		key := string(tag[begin:i])
		for i < len(tag) && tag[i] != '"' && tag[i] != '\'' {
			i++
		}
		if i == len(tag) {
			return 0, 0, false
		}
		end := bytes.IndexByte(tag[i+1:], tag[i])
		if end < 0 {
			return 0, 0, false
		}
		if key == name {
			return i + 1, i + 1 + end, true
		}
		i += end + 2
	}
	return 0, 0, false
}

// AttrOf gives the value of an attribute, written with exactly that name, its
// references resolved; empty where there is none.
func AttrOf(tag []byte, name string) string {
	from, to, ok := attrSpan(tag, name)
	if !ok {
		return ""
	}
	return Resolved(tag[from:to])
}

// WithAttr gives a copy of the tag with that value of an attribute.
func WithAttr(tag []byte, name, value string) []byte {
	if from, to, ok := attrSpan(tag, name); ok {
		return Splice(tag, from, to, EscapeAttr(value))
	}
	at := len(tag) - 1
	if at > 0 && tag[at-1] == '/' {
		at--
	}
	return Splice(tag, at, at, " "+name+`="`+EscapeAttr(value)+`"`)
}

// Splice gives a copy of content with text in the place of a stretch of it.
func Splice(content []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(content)-(to-from)+len(text))
	out = append(out, content[:from]...)
	out = append(out, text...)
	return append(out, content[to:]...)
}

// Resolved gives a well-formed text with its references resolved.
func Resolved(text []byte) string {
	if bytes.IndexByte(text, '&') < 0 {
		return string(text)
	}
	x := &Scanner{}
	return string(x.decode(text))
}

// Prefixed gives the names of the elements in a text a prefix, which may be empty. The
// text has no < but those of its tags.
func Prefixed(xml, prefix string) string {
	if prefix == "" {
		return xml
	}
	xml = strings.ReplaceAll(xml, "<", "<"+prefix+":")
	return strings.ReplaceAll(xml, "<"+prefix+":/", "</"+prefix+":")
}

// unprefixed takes back what [Prefixed] did.
func unprefixed(xml, prefix string) string {
	if prefix == "" {
		return xml
	}
	return strings.NewReplacer("<"+prefix+":", "<", "</"+prefix+":", "</").Replace(xml)
}

// RelatedID gives the attribute of a tag that is the id of a link, whatever its prefix.
func RelatedID(tag []byte) string {
	at := bytes.Index(tag, []byte(":id="))
	if at < 0 {
		return ""
	}
	from := at
	for from > 0 && class[tag[from-1]]&inName != 0 {
		from--
	}
	return AttrOf(tag, string(tag[from:at+3]))
}
