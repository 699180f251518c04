package ooxml

import "eventbatch/mapping/schema"

// Is reports whether the current element has that name in [MainSpace].
func (x *Scanner) Is(name string) bool { return x.In(MainSpace, name) }

// In reports whether the current element has that name in a namespace.
func (x *Scanner) In(space Namespace, name string) bool {
	return x.Space == space && string(x.Local) == name
}

// Root reads the start of the root element, which must be the one named.
func (x *Scanner) Root(space Namespace, name string) error {
	if x.Next() != TokenStart {
		return x.err
	}
	if x.Space != space || string(x.Local) != name {
		return Flawf(schema.CodeBadXML, HintDamaged, "the root element is not %s", name)
	}
	return nil
}

// EachChild is [Scanner.Root], then [Scanner.Children].
func (x *Scanner) EachChild(space Namespace, root string, child func() error) error {
	if err := x.Root(space, root); err != nil {
		return err
	}
	return x.Children(child)
}

// Finish makes sure that nothing follows the root element, which has been read.
func (x *Scanner) Finish() error {
	if x.Next() != TokenEOF {
		return x.err
	}
	return nil
}

// Children calls child at the start of each element inside the current one, which
// it reads to its end. child reads its element to the end. Text between the elements
// must be white space.
func (x *Scanner) Children(child func() error) error {
	return x.PlainChildren(nil, child)
}

// PlainChildren is [Scanner.Children] for elements that plain may read by itself, from
// the very first byte of each: it is called until it says that it did not.
func (x *Scanner) PlainChildren(plain func() (bool, error), child func() error) error {
	for {
		for more := plain != nil && !x.empty; more; {
			var err error
			if more, err = plain(); err != nil {
				return err
			}
		}
		switch x.Next() {
		case TokenStart:
			if err := child(); err != nil {
				return err
			}
		case TokenText:
			if !isBlank(x.Text) {
				return Flawf(schema.CodeBadXML, HintDamaged, "the XML has text where only elements belong")
			}
		case TokenEnd:
			return nil
		default:
			return x.err
		}
	}
}

// ParseBool reads an attribute that is true or false. The error is a [*Flaw].
func ParseBool(v []byte) (bool, error) {
	switch string(v) {
	case "1", "true", "on":
		return true, nil
	case "0", "false", "off":
		return false, nil
	}
	return false, Flawf(schema.CodeBadXML, HintDamaged, "%q is neither true nor false", v)
}
