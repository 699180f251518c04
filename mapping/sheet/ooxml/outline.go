package ooxml

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Prolog is what a part that is made begins with.
const Prolog = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

// Node is an element of a part that is held in memory, by where its tags stand. After
// a change of the part the nodes behind it are to be found anew.
type Node struct {
	Local string // its name without a prefix; empty where it has another than asked for
	From  int
	Open  int // behind its start tag
	Close int // before its end tag; where it closes itself, To
	To    int
}

// Empty reports whether the element closes itself.
func (n Node) Empty() bool { return n.Close == n.To }

// Tag gives its start tag in the part.
func (n Node) Tag(content []byte) []byte { return content[n.From:n.Open] }

// RootOf finds the root element, and the prefix of its name.
func RootOf(content []byte) (root Node, prefix string) {
	m := MarkupOf(content)
	for m.Next() {
		switch {
		case m.Kind != PieceClose && m.Kind != PieceOther && m.Depth == 0:
			name := TagName(m.Raw)
			if before, after, found := strings.Cut(name, ":"); found {
				prefix, name = before, after
			}
			root = Node{Local: name, From: m.At, Open: m.At + len(m.Raw), Close: m.At + len(m.Raw), To: m.At + len(m.Raw)}
		case m.Kind == PieceClose && m.Depth == 0:
			root.Close, root.To = m.At, m.At+len(m.Raw)
		}
	}
	return root, prefix
}

// Within lists the elements right inside another; those with another prefix have no name.
func Within(content []byte, outer Node, prefix string) []Node {
	if outer.Empty() {
		return nil
	}
	var all []Node
	m := MarkupOf(content[outer.Open:outer.Close])
	for m.Next() {
		if m.Depth != 0 || m.Kind == PieceOther {
			continue
		}
		end := outer.Open + m.At + len(m.Raw)
		switch m.Kind {
		case PieceOpen, PieceEmpty:
			all = append(all, Node{Local: LocalName(m.Raw, prefix), From: outer.Open + m.At, Open: end, Close: end, To: end})
		case PieceClose:
			n := &all[len(all)-1]
			n.Close, n.To = outer.Open+m.At, end
		}
	}
	return all
}

// Child finds the first element of a name right inside the root, and gives the prefix
// of the root in any case.
func Child(content []byte, local string) (n Node, prefix string, ok bool) {
	root, prefix := RootOf(content)
	for _, n := range Within(content, root, prefix) {
		if n.Local == local {
			return n, prefix, true
		}
	}
	return Node{}, prefix, false
}

// Items lists the elements of a list right inside the root.
func Items(content []byte, list string) []Node {
	n, prefix, ok := Child(content, list)
	if !ok {
		return nil
	}
	return Within(content, n, prefix)
}

// Appended puts an item, written without a prefix, at the end of a list right
// inside the root, and gives its index. Where the list is missing it is made, in
// its place in the order of the root's children.
func Appended(content []byte, list, item string, order []string) ([]byte, int) {
	n, prefix, ok := Child(content, list)
	item = Prefixed(item, prefix)
	if !ok {
		root, _ := RootOf(content)
		at := PlaceOf(content, root, prefix, list, order)
		count := ` count="1"`
		if list == "definedNames" || list == "authors" {
			count = "" // these lists have none
		}
		text := Prefixed("<"+list+count+">", prefix) + item + Prefixed("</"+list+">", prefix)
		return Inserted(content, root, at, text), 0
	}
	old := Within(content, n, prefix)
	tag := slices.Clone(n.Tag(content))
	if _, _, counted := attrSpan(tag, "count"); counted {
		tag = WithAttr(tag, "count", strconv.Itoa(len(old)+1))
	}
	if n.Empty() {
		tag = []byte(strings.TrimSuffix(string(tag), "/>") + ">")
		return Splice(content, n.From, n.To, string(tag)+item+"</"+TagName(tag)+">"), 0
	}
	content = Splice(content, n.Close, n.Close, item)
	return Splice(content, n.From, n.Open, string(tag)), len(old)
}

// Interned is [Appended] for an item that is added once only.
func Interned(content []byte, list, item string, order []string) ([]byte, int) {
	_, prefix := RootOf(content)
	want := Prefixed(item, prefix)
	for i, n := range Items(content, list) {
		if string(content[n.From:n.To]) == want {
			return content, i
		}
	}
	return Appended(content, list, item, order)
}

// Inserted puts text at a place right inside the root, which may close itself.
func Inserted(content []byte, root Node, at int, text string) []byte {
	if !root.Empty() {
		return Splice(content, at, at, text)
	}
	tag := strings.TrimSuffix(string(root.Tag(content)), "/>") + ">"
	return Splice(content, root.From, root.To, tag+text+"</"+TagName([]byte(tag))+">")
}

// BookOrder is the order of the children of a workbook part, which spreadsheet programs
// insist on.
var BookOrder = strings.Fields(`fileVersion fileSharing workbookPr workbookProtection bookViews sheets functionGroups
	externalReferences definedNames calcPr oleSize customWorkbookViews pivotCaches smartTagPr smartTagTypes webPublishing
	fileRecoveryPr webPublishObjects extLst`)

// PlaceOf finds where a new child of the root belongs in the order of its children.
func PlaceOf(content []byte, root Node, prefix, local string, order []string) int {
	rank := slices.Index(order, local)
	for _, n := range Within(content, root, prefix) {
		if slices.Index(order, n.Local) > rank {
			return n.From
		}
	}
	return root.Close
}

// Edit is a stretch of a part, and what is written in its place.
type Edit struct {
	From, To int
	Text     string
}

// Edited carries edits out that do not touch one another, in one go.
func Edited(content []byte, edits []Edit) []byte {
	slices.SortFunc(edits, func(a, b Edit) int { return a.From - b.From })
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		out.Write(content[at:e.From])
		out.WriteString(e.Text)
		at = e.To
	}
	out.Write(content[at:])
	return out.Bytes()
}

// Without takes an element out.
func Without(content []byte, n Node) []byte { return Splice(content, n.From, n.To, "") }

// HasRoot reports whether a part has an element at all.
func HasRoot(content []byte) bool {
	root, _ := RootOf(content)
	return root.To > 0 && bytes.IndexByte(content, '<') >= 0
}
