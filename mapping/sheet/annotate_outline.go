package sheet

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is an element of a part that is held in memory, by where its tags stand.
type node struct {
	local string
	from  int
	open  int // behind its start tag
	close int // before its end tag; where it closes itself, to
	to    int
}

func (n node) empty() bool { return n.close == n.to }

func (n node) tag(content []byte) []byte { return content[n.from:n.open] }

// rootOf finds the root element, and the prefix of its name.
func rootOf(content []byte) (root node, prefix string) {
	m := markupOf(content)
	for m.next() {
		switch {
		case m.kind != pieceClose && m.kind != pieceOther && m.depth == 0:
			name := tagName(m.raw)
			if before, after, found := strings.Cut(name, ":"); found {
				prefix, name = before, after
			}
			root = node{local: name, from: m.at, open: m.at + len(m.raw), close: m.at + len(m.raw), to: m.at + len(m.raw)}
		case m.kind == pieceClose && m.depth == 0:
			root.close, root.to = m.at, m.at+len(m.raw)
		}
	}
	return root, prefix
}

// within lists the elements right inside another that carry the prefix.
func within(content []byte, outer node, prefix string) []node {
	if outer.empty() {
		return nil
	}
	var all []node
	m := markupOf(content[outer.open:outer.close])
	for m.next() {
		if m.depth != 0 || m.kind == pieceOther {
			continue
		}
		end := outer.open + m.at + len(m.raw)
		switch m.kind {
		case pieceOpen, pieceEmpty:
			all = append(all, node{local: localName(m.raw, prefix), from: outer.open + m.at, open: end, close: end, to: end})
		case pieceClose:
			n := &all[len(all)-1]
			n.close, n.to = outer.open+m.at, end
		}
	}
	return all
}

// child finds the first element of a name right inside the root.
func child(content []byte, local string) (n node, prefix string, ok bool) {
	root, prefix := rootOf(content)
	for _, n := range within(content, root, prefix) {
		if n.local == local {
			return n, prefix, true
		}
	}
	return node{}, prefix, false
}

// items lists the elements of a list right inside the root.
func items(content []byte, list string) []node {
	n, prefix, ok := child(content, list)
	if !ok {
		return nil
	}
	return within(content, n, prefix)
}

// appended puts an item, written without a prefix, at the end of a list right
// inside the root, and gives its index. Where the list is missing it is made, in
// its place in the order of the root's children.
func appended(content []byte, list, item string, order []string) ([]byte, int) {
	n, prefix, ok := child(content, list)
	item = prefixed(item, prefix)
	if !ok {
		root, _ := rootOf(content)
		at := place(content, root, prefix, list, order)
		count := ` count="1"`
		if list == "definedNames" || list == "authors" {
			count = "" // these lists have none
		}
		text := prefixed("<"+list+count+">", prefix) + item + prefixed("</"+list+">", prefix)
		return inserted(content, root, at, text), 0
	}
	old := within(content, n, prefix)
	tag := slices.Clone(n.tag(content))
	if _, _, counted := attrSpan(tag, "count"); counted {
		tag = withAttr(tag, "count", strconv.Itoa(len(old)+1))
	}
	if n.empty() {
		tag = []byte(strings.TrimSuffix(string(tag), "/>") + ">")
		return splice(content, n.from, n.to, string(tag)+item+"</"+tagName(tag)+">"), 0
	}
	content = splice(content, n.close, n.close, item)
	return splice(content, n.from, n.open, string(tag)), len(old)
}

// interned is appended for an item that is added once only.
func interned(content []byte, list, item string, order []string) ([]byte, int) {
	_, prefix := rootOf(content)
	want := prefixed(item, prefix)
	for i, n := range items(content, list) {
		if string(content[n.from:n.to]) == want {
			return content, i
		}
	}
	return appended(content, list, item, order)
}

// inserted puts text at a place right inside the root.
func inserted(content []byte, root node, at int, text string) []byte {
	if !root.empty() {
		return splice(content, at, at, text)
	}
	tag := strings.TrimSuffix(string(root.tag(content)), "/>") + ">"
	return splice(content, root.from, root.to, tag+text+"</"+tagName([]byte(tag))+">")
}

// place finds where a new child of the root belongs.
func place(content []byte, root node, prefix, local string, order []string) int {
	rank := slices.Index(order, local)
	for _, n := range within(content, root, prefix) {
		if slices.Index(order, n.local) > rank {
			return n.from
		}
	}
	return root.close
}

// edit is a stretch of a part that is written otherwise.
type edit struct {
	from, to int
	text     string
}

// edited carries edits out that do not touch one another, in one go.
func edited(content []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(content[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(content[at:])
	return out.Bytes()
}

// without takes an element out.
func without(content []byte, n node) []byte { return splice(content, n.from, n.to, "") }

// escapeText writes text into XML: characters that XML cannot hold are replaced,
// and what a spreadsheet would take for an escape is kept from it.
func escapeText(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r':
			if !strings.HasPrefix(s[i+1:], "\n") {
				b.WriteByte('\n')
			}
		case r < ' ' || r == 0xFFFE || r == 0xFFFF:
			b.WriteRune(utf8.RuneError)
		case r == '_' && string(unescape([]byte(s[i:min(i+7, len(s))]))) != s[i:min(i+7, len(s))]:
			b.WriteString("_x005F_")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escapeAttr writes text into an attribute.
func escapeAttr(s string) string {
	s = escapeText(s)
	return strings.NewReplacer("\n", "&#10;", "\t", "&#9;").Replace(s)
}

// inlineCell writes a cell that holds its own text.
func inlineCell(ref, style, text string) string {
	if style != "" && style != "0" {
		style = ` s="` + style + `"`
	} else {
		style = ""
	}
	if text == "" {
		return `<c r="` + ref + `"` + style + `/>`
	}
	return `<c r="` + ref + `"` + style + ` t="inlineStr"><is><t xml:space="preserve">` + escapeText(cutText(Guard(text))) + `</t></is></c>`
}

// cutText shortens a text to what a cell can hold.
func cutText(s string) string {
	units := 0
	for i, r := range s {
		if units++; r > 0xFFFF {
			units++
		}
		if units >= unitsPerCell {
			return s[:i] + "…"
		}
	}
	return s
}

// hasRoot tells whether a part has an element at all.
func hasRoot(content []byte) bool {
	root, _ := rootOf(content)
	return root.to > 0 && bytes.IndexByte(content, '<') >= 0
}
