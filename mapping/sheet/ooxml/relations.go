package ooxml

import (
	"context"
	"path"
	"strings"

	"eventbatch/mapping/schema"
)

// Relation says what a part refers to.
type Relation struct {
	Kind   string // the last word of its type, such as worksheet
	Target string // the name of the part it points to, as [PartName] gives it
}

// Relations reads which parts a part refers to, by the ids that it uses; the empty
// name stands for the archive as a whole. A part may have none. Errors are those of
// [Archive.Read].
func (a *Archive) Relations(ctx context.Context, name string) (map[string]Relation, error) {
	file := relsName(name)
	if !a.Has(file) {
		return nil, nil
	}
	all := make(map[string]Relation)
	err := a.Read(ctx, file, func(x *Scanner) error {
		return x.EachChild(packageSpace, "Relationships", func() error {
			if x.Space != packageSpace || string(x.Local) != "Relationship" {
				return x.Skip()
			}
			id, _ := x.Attr("Id")
			kind, _ := x.Attr("Type")
			target, _ := x.Attr("Target")
			if mode, _ := x.Attr("TargetMode"); string(mode) == "External" {
				return x.Skip() // a link, nothing that the archive holds
			}
			if _, twice := all[string(id)]; twice || len(id) == 0 {
				return Flawf(schema.CodeBadXML, HintDamaged, "a relationship without an id of its own")
			}
			all[string(id)] = Relation{path.Base(string(kind)), targetOf(name, string(target))}
			return x.Skip()
		})
	})
	return all, err
}

// relsName names the part that holds the relations of another.
func relsName(part string) string {
	folder, file := path.Split(part)
	return folder + "_rels/" + file + ".rels"
}

// targetOf names the part that a relation of another points to.
func targetOf(of, target string) string {
	if !strings.HasPrefix(target, "/") {
		folder, _ := path.Split(of)
		target = folder + target
	}
	return PartName(path.Clean(target))
}
