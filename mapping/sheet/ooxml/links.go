package ooxml

import (
	"bytes"
	"path"
	"slices"
	"strconv"
)

// Link is one line of a relationships part, which says what another part refers to.
// What [Relation] is to a reader it is to whoever changes the line.
type Link struct {
	Node
	ID     string
	Kind   string // the last word of its type
	Base   string // what is before that word, up to the last slash
	Target string // the part it points to, as [PartName] gives it; empty for what is outside the archive
}

// Links reads what a part refers to, in the order of the lines; the empty name stands
// for the archive as a whole.
func (p *Pack) Links(of string) ([]Link, error) {
	content, err := p.Read(relsName(of))
	if err != nil || content == nil {
		return nil, err
	}
	root, prefix := RootOf(content)
	var all []Link
	for _, n := range Within(content, root, prefix) {
		tag := n.Tag(content)
		base, kind := path.Split(AttrOf(tag, "Type"))
		l := Link{Node: n, ID: AttrOf(tag, "Id"), Kind: kind, Base: base}
		if AttrOf(tag, "TargetMode") != "External" {
			l.Target = targetOf(of, AttrOf(tag, "Target"))
		}
		all = append(all, l)
	}
	return all, nil
}

// Linked gives the first link of a part to another of a kind; false for none.
func (p *Pack) Linked(of, kind string) (Link, bool, error) {
	all, err := p.Links(of)
	for _, l := range all {
		if l.Kind == kind && l.Target != "" {
			return l, true, err
		}
	}
	return Link{}, false, err
}

// Link makes a part refer to another, by a type of base and kind, and gives the id.
func (p *Pack) Link(of, base, kind, target string) (string, error) {
	name := relsName(of)
	content, err := p.Read(name)
	if err != nil {
		return "", err
	}
	if content == nil {
		content = []byte(Prolog + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>`)
	}
	all, err := p.Links(of)
	if err != nil {
		return "", err
	}
	id := ""
	for n := len(all) + 1; id == "" || slices.ContainsFunc(all, func(l Link) bool { return l.ID == id }); n++ {
		id = "rId" + strconv.Itoa(n)
	}
	root, prefix := RootOf(content)
	line := `<Relationship Id="` + id + `" Type="` + base + kind + `" Target="/` + EscapeAttr(target) + `"/>`
	p.Set(name, Inserted(content, root, root.Close, Prefixed(line, prefix)))
	return id, nil
}

// unlink takes the lines out that point from one part to another.
func (p *Pack) unlink(of, target string) error {
	all, err := p.Links(of)
	if err != nil {
		return err
	}
	name := relsName(of)
	content, err := p.Read(name)
	if err != nil {
		return err
	}
	for _, l := range slices.Backward(all) {
		if l.Target == target {
			content = Without(content, l.Node)
		}
	}
	if root, prefix := RootOf(content); len(Within(content, root, prefix)) == 0 && of != "xl/workbook.xml" {
		p.drop(name)
		return nil
	}
	p.Set(name, content)
	return nil
}

// Forget drops a part with its links, its type, and the links to it of the one other
// part that has any.
func (p *Pack) Forget(of, name string) error {
	if err := p.unlink(of, name); err != nil {
		return err
	}
	p.drop(name)
	p.drop(relsName(name))
	content, err := p.Read(contentTypes)
	if err != nil {
		return err
	}
	root, prefix := RootOf(content)
	for _, n := range slices.Backward(Within(content, root, prefix)) {
		if n.Local == "Override" {
			if part := PartName(AttrOf(n.Tag(content), "PartName")); part == name || part == relsName(name) {
				content = Without(content, n)
			}
		}
	}
	p.Set(contentTypes, bytes.Clone(content))
	return nil
}
