package ooxml

import "bytes"

// Namespace is what the scanner knows of an XML namespace. Its transitional and its
// strict name are the same to it.
type Namespace uint8

const (
	noSpace      Namespace = iota // no namespace
	foreignSpace                  // none that the scanner knows
	MainSpace                     // of spreadsheets
	RelatedSpace                  // of the attribute that points to a relationship
	packageSpace                  // of the relationships themselves

	// Those of OpenDocument files.
	OfficeSpace
	TableSpace
	TextSpace
	StyleSpace
	CalcSpace // of what LibreOffice adds
)

// namespaces lists the transitional names, then those of strict files.
var namespaces = map[string]Namespace{
	"http://schemas.openxmlformats.org/spreadsheetml/2006/main":           MainSpace,
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships": RelatedSpace,
	"http://schemas.openxmlformats.org/package/2006/relationships":        packageSpace,
	"http://purl.oclc.org/ooxml/spreadsheetml/main":                       MainSpace,
	"http://purl.oclc.org/ooxml/officeDocument/relationships":             RelatedSpace,

	"urn:oasis:names:tc:opendocument:xmlns:office:1.0":                     OfficeSpace,
	"urn:oasis:names:tc:opendocument:xmlns:table:1.0":                      TableSpace,
	"urn:oasis:names:tc:opendocument:xmlns:text:1.0":                       TextSpace,
	"urn:oasis:names:tc:opendocument:xmlns:style:1.0":                      StyleSpace,
	"urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0": CalcSpace,
}

// elements is the open elements of a document with what their prefixes stand for.
type elements struct {
	names    []byte // one after another
	marks    []int  // where each begins
	bindings []binding
	unbound  Namespace // of names without a prefix
	spaced   bool      // white space around texts counts
}

// binding is what an attribute of an element says of all that is inside: what a
// prefix stands for, or what white space does.
type binding struct {
	prefix string // empty for names without one, xmlSpace for no prefix at all
	space  Namespace
	depth  int       // of the element that declares it
	outer  Namespace // of names without a prefix, outside
	spaced bool      // outside
}

const xmlSpace = "xml:space"

// KeepsSpace reports whether white space around the texts of the current element
// counts: whether it, or else the nearest element around it that says anything of
// that, has xml:space="preserve".
func (e *elements) KeepsSpace() bool { return e.spaced }

// bind takes in what the attributes of a start tag declare.
func (e *elements) bind(attrs []Attr) bool {
	for _, a := range attrs {
		if string(a.Name) == xmlSpace {
			e.bindings = append(e.bindings, binding{xmlSpace, noSpace, len(e.marks), e.unbound, e.spaced})
			e.spaced = string(a.Value) == "preserve"
			continue
		}
		prefix, declares := bytes.CutPrefix(a.Name, []byte("xmlns:"))
		if !declares && string(a.Name) != "xmlns" {
			continue
		}
		if !declares {
			prefix = nil
		} else if !startsName(prefix) || len(a.Value) == 0 || string(prefix) == "xml" || string(prefix) == "xmlns" {
			return false
		}
		space, known := namespaces[string(a.Value)]
		if !known && len(a.Value) > 0 {
			space = foreignSpace
		}
		e.bindings = append(e.bindings, binding{string(prefix), space, len(e.marks), e.unbound, e.spaced})
		if !declares {
			e.unbound = space
		}
	}
	return true
}

// pop closes the innermost element.
func (e *elements) pop() {
	last := len(e.marks) - 1
	e.names, e.marks = e.names[:e.marks[last]], e.marks[:last]
	for n := len(e.bindings); n > 0 && e.bindings[n-1].depth > last; n-- {
		e.unbind()
	}
}

// unbind takes back the last binding.
func (e *elements) unbind() {
	last := len(e.bindings) - 1
	e.unbound, e.spaced = e.bindings[last].outer, e.bindings[last].spaced
	e.bindings = e.bindings[:last]
}

// resolve returns the namespace and the local part of the name of a tag. It reports whether that is a name.
func (e *elements) resolve(name []byte) (space Namespace, local []byte, ok bool) {
	prefix, local, prefixed := bytes.Cut(name, []byte{':'})
	if !prefixed {
		return e.unbound, name, true
	}
	space, bound := e.bound(prefix)
	return space, local, bound && startsName(local) && bytes.IndexByte(local, ':') < 0
}

// bound gives what a prefix stands for; false for one that stands for nothing.
func (e *elements) bound(prefix []byte) (Namespace, bool) {
	for i := len(e.bindings) - 1; i >= 0; i-- {
		if e.bindings[i].prefix == string(prefix) {
			return e.bindings[i].space, true
		}
	}
	return foreignSpace, string(prefix) == "xml"
}
