package sheet

import (
	"context"
	"path"
	"strings"

	"eventbatch/mapping/schema"
)

// maxBookPart bounds the parts that describe a workbook; what they say is held
// in memory.
const maxBookPart = 32 << 20

// relation is one line of a relationships part.
type relation struct {
	kind   string // the last word of its type
	target string // the part it points to
}

// readBook finds the workbook part and reads what it and its styles say.
func (w *workbook) readBook(ctx context.Context) error {
	roots, err := w.relations(ctx, "")
	if err != nil {
		return err
	}
	for _, r := range roots {
		if r.kind == "officeDocument" {
			return w.readBookPart(ctx, r.target)
		}
	}
	if w.archive.parts["mimetype"] != nil && w.archive.parts["content.xml"] != nil {
		return flawf(schema.CodeUnknownFormat, hintResave, "the file is an OpenDocument file, not an .xlsx workbook")
	}
	return flawf(schema.CodeUnknownFormat, hintResave, "the file is a zip archive, but no workbook")
}

func (w *workbook) readBookPart(ctx context.Context, name string) error {
	if strings.HasSuffix(name, ".bin") {
		return flawf(schema.CodeUnknownFormat, hintResave, "the file is a binary .xlsb workbook")
	}
	relations, err := w.relations(ctx, name)
	if err != nil {
		return err
	}
	err = w.readPart(ctx, name, func(x *xmlScanner) error { return w.workbookPart(x, relations) })
	if err != nil {
		return err
	}
	for _, r := range relations {
		switch r.kind {
		case "sharedStrings":
			if w.strings = w.archive.parts[r.target]; w.strings == nil {
				return missing(r.target)
			}
			if w.strings.size/2 > uint64(w.limits.StringBytes) { // tags take no memory
				return tooManyTexts(w.limits)
			}
		case "styles":
			if err := w.readPart(ctx, r.target, w.stylesPart); err != nil {
				return err
			}
		}
	}
	return nil
}

// readPart has a small part read to its end.
func (w *workbook) readPart(ctx context.Context, name string, read func(*xmlScanner) error) error {
	p := w.archive.parts[name]
	if p == nil {
		return missing(name)
	}
	if p.size > maxBookPart {
		return flawf(schema.CodeZipBomb, hintDamaged, "%s is larger than %d MiB", name, maxBookPart>>20)
	}
	f := startFeed(ctx, p)
	defer f.stop()
	x := &xmlScanner{src: f}
	err := read(x)
	if err == nil && x.next() != tokenEOF {
		err = x.err
	}
	if err != nil {
		return inPart(name, err)
	}
	return nil
}

func missing(name string) error {
	return flawf(schema.CodeMissingPart, hintDamaged, "the archive lacks %s", name)
}

// relations reads what a part refers to, by the ids that it uses; the empty
// name stands for the package. A part may have none.
func (w *workbook) relations(ctx context.Context, name string) (map[string]relation, error) {
	folder, file := path.Split(name)
	file = folder + "_rels/" + file + ".rels"
	if w.archive.parts[file] == nil {
		return nil, nil
	}
	all := make(map[string]relation)
	err := w.readPart(ctx, file, func(x *xmlScanner) error {
		return x.eachChild(nsPackage, "Relationships", func() error {
			if x.space != nsPackage || string(x.local) != "Relationship" {
				return x.skip()
			}
			id, _ := x.attr("Id")
			kind, _ := x.attr("Type")
			target, _ := x.attr("Target")
			if mode, _ := x.attr("TargetMode"); string(mode) == "External" {
				return x.skip() // a link, nothing that the archive holds
			}
			if _, twice := all[string(id)]; twice || len(id) == 0 {
				return flawf(schema.CodeBadXML, hintDamaged, "a relationship without an id of its own")
			}
			r := relation{kind: path.Base(string(kind)), target: string(target)}
			if !strings.HasPrefix(r.target, "/") {
				r.target = folder + r.target
			}
			r.target = partName(path.Clean(r.target))
			all[string(id)] = r
			return x.skip()
		})
	})
	return all, err
}

// workbookPart reads the list of sheets and the date system.
func (w *workbook) workbookPart(x *xmlScanner, relations map[string]relation) error {
	err := x.eachChild(nsMain, "workbook", func() error {
		if x.space != nsMain {
			return x.skip()
		}
		switch string(x.local) {
		case "workbookPr":
			if v, ok := x.attr("date1904"); ok {
				from04, err := parseBool(v)
				if err != nil {
					return err
				}
				w.from04 = from04
			}
		case "sheets":
			return x.children(func() error { return w.sheetElement(x, relations) })
		case "definedNames":
			return x.children(func() error { return w.definedName(x) })
		}
		return x.skip()
	})
	if err == nil && len(w.entries) == 0 {
		err = flawf(schema.CodeMissingPart, hintDamaged, "the workbook has no sheets")
	}
	return err
}

func (w *workbook) sheetElement(x *xmlScanner, relations map[string]relation) error {
	if x.space != nsMain || string(x.local) != "sheet" {
		return x.skip()
	}
	name, _ := x.attr("name")
	state, _ := x.attr("state")
	id, _ := x.attrIn(nsRelated, "id")
	s := &bookSheet{Info: Info{Name: string(name), Hidden: len(state) > 0 && string(state) != "visible"}}
	r, ok := relations[string(id)]
	if !ok {
		return flawf(schema.CodeMissingPart, hintDamaged, "sheet %q points to no part", s.Name)
	}
	s.kind, s.part = r.kind, w.archive.parts[r.target]
	if s.part == nil {
		return missing(r.target)
	}
	for _, other := range w.entries {
		if strings.EqualFold(other.Name, s.Name) {
			return flawf(schema.CodeBadXML, hintDamaged, "two sheets are named %q", s.Name)
		}
	}
	w.entries = append(w.entries, s)
	return x.skip()
}

// eachChild reads the root element, which must be the one named, and calls
// child at the start of each element in it. child reads that element to its end.
func (x *xmlScanner) eachChild(space namespace, root string, child func() error) error {
	if err := x.root(space, root); err != nil {
		return err
	}
	return x.children(child)
}

func (x *xmlScanner) root(space namespace, name string) error {
	if x.next() != tokenStart {
		return x.err
	}
	if x.space != space || string(x.local) != name {
		return flawf(schema.CodeBadXML, hintDamaged, "the root element is not %s", name)
	}
	return nil
}

// children calls child at the start of each element inside the current one and
// reads to its end. Text between them must be white space.
func (x *xmlScanner) children(child func() error) error {
	return x.plainChildren(nil, child)
}

// plainChildren is children for elements that plain reads whole while it can,
// from the very first byte of each.
func (x *xmlScanner) plainChildren(plain func() (bool, error), child func() error) error {
	for {
		for more := plain != nil && !x.empty; more; {
			var err error
			if more, err = plain(); err != nil {
				return err
			}
		}
		switch x.next() {
		case tokenStart:
			if err := child(); err != nil {
				return err
			}
		case tokenText:
			if !isBlank(x.text) {
				return x.stray()
			}
		case tokenEnd:
			return nil
		default:
			return x.err
		}
	}
}

func (x *xmlScanner) stray() error {
	return flawf(schema.CodeBadXML, hintDamaged, "the XML has text where only elements belong")
}

// parseBool reads an attribute that is true or false.
func parseBool(v []byte) (bool, error) {
	switch string(v) {
	case "1", "true", "on":
		return true, nil
	case "0", "false", "off":
		return false, nil
	}
	return false, flawf(schema.CodeBadXML, hintDamaged, "%q is neither true nor false", v)
}
