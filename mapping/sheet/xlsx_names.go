package sheet

import "bytes"

// namespace is what the reader knows of an XML namespace.
type namespace uint8

const (
	nsNone    namespace = iota // no namespace
	nsForeign                  // none that the reader knows
	nsMain                     // of spreadsheets
	nsRelated                  // of the attribute that points to a relationship
	nsPackage                  // of the relationships themselves
)

// namespaces lists the transitional names, then those of strict files.
var namespaces = map[string]namespace{
	"http://schemas.openxmlformats.org/spreadsheetml/2006/main":           nsMain,
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships": nsRelated,
	"http://schemas.openxmlformats.org/package/2006/relationships":        nsPackage,
	"http://purl.oclc.org/ooxml/spreadsheetml/main":                       nsMain,
	"http://purl.oclc.org/ooxml/officeDocument/relationships":             nsRelated,
}

// binding ties a prefix to a namespace inside one element.
type binding struct {
	prefix string // empty for names without one
	space  namespace
	depth  int       // of the element that declares it
	outer  namespace // of names without a prefix, outside
}

// bind takes in what the current start tag declares.
func (x *xmlScanner) bind() bool {
	for _, a := range x.attrs {
		prefix, declares := bytes.CutPrefix(a.name, []byte("xmlns:"))
		if !declares && string(a.name) != "xmlns" {
			continue
		}
		if !declares {
			prefix = nil
		} else if !startsName(prefix) || len(a.value) == 0 || string(prefix) == "xml" || string(prefix) == "xmlns" {
			return false
		}
		space, known := namespaces[string(a.value)]
		if !known && len(a.value) > 0 {
			space = nsForeign
		}
		x.bindings = append(x.bindings, binding{string(prefix), space, len(x.marks), x.unbound})
		if !declares {
			x.unbound = space
		}
	}
	return true
}

// unbind takes back the last binding.
func (x *xmlScanner) unbind() {
	last := len(x.bindings) - 1
	if x.bindings[last].prefix == "" {
		x.unbound = x.bindings[last].outer
	}
	x.bindings = x.bindings[:last]
}

// resolve splits the name of the current tag into space and local.
func (x *xmlScanner) resolve(name []byte) bool {
	prefix, local, prefixed := bytes.Cut(name, []byte{':'})
	if !prefixed {
		x.space, x.local = x.unbound, name
		return true
	}
	x.local = local
	var bound bool
	x.space, bound = x.bound(prefix)
	return bound && startsName(local) && bytes.IndexByte(local, ':') < 0
}

func (x *xmlScanner) bound(prefix []byte) (namespace, bool) {
	for i := len(x.bindings) - 1; i >= 0; i-- {
		if x.bindings[i].prefix == string(prefix) {
			return x.bindings[i].space, true
		}
	}
	return nsForeign, string(prefix) == "xml"
}

// attrIn gives the value of an attribute by its namespace, whatever its prefix.
func (x *xmlScanner) attrIn(space namespace, local string) ([]byte, bool) {
	for i := range x.attrs {
		prefix, name, found := bytes.Cut(x.attrs[i].name, []byte(":"))
		if !found || string(name) != local {
			continue
		}
		if s, ok := x.bound(prefix); ok && s == space {
			return x.attrs[i].value, true
		}
	}
	return nil, false
}
