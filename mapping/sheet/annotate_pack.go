package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
)

// pack is the archive of a workbook in the making: the parts of another, byte for
// byte, but for those that are set, made or dropped. Parts go by the names that
// [partName] gives.
type pack struct {
	old     *zip.Reader
	names   []string // in order, as the archive has them
	files   map[string]*zip.File
	content map[string][]byte // of parts that are set; nil for those that are dropped
	made    map[string]func(context.Context, io.Writer) error
}

func newPack(at io.ReaderAt, size int64) (*pack, error) {
	old, err := zip.NewReader(at, size)
	if err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	p := &pack{old: old, files: map[string]*zip.File{}, content: map[string][]byte{}, made: map[string]func(context.Context, io.Writer) error{}}
	for _, f := range old.File {
		p.names = append(p.names, f.Name)
		p.files[partName(f.Name)] = f
	}
	return p, nil
}

func (p *pack) has(name string) bool {
	if content, set := p.content[name]; set {
		return content != nil
	}
	return p.files[name] != nil
}

// read gives a part as it stands, nil for one that there is not.
func (p *pack) read(name string) ([]byte, error) {
	if content, set := p.content[name]; set {
		return content, nil
	}
	if p.files[name] == nil {
		return nil, nil
	}
	in, err := p.open(name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return content, nil
}

// open inflates a part as the old archive has it.
func (p *pack) open(name string) (io.Reader, error) {
	f := p.files[name]
	in, err := (&part{f, f.UncompressedSize64}).open()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return in, nil
}

// set gives a part its content. The name of a new one is written as it is given.
func (p *pack) set(name string, content []byte) {
	if key := partName(name); !p.has(key) && p.files[key] == nil && !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	p.content[partName(name)] = content
}

func (p *pack) drop(name string) { p.content[name] = nil }

// free gives the first name with a number in it that no part has.
func (p *pack) free(before, after string) string {
	for n := 1; ; n++ {
		if name := before + strconv.Itoa(n) + after; !p.has(partName(name)) {
			return name
		}
	}
}

func (p *pack) write(ctx context.Context, w io.Writer) error {
	out := zip.NewWriter(w)
	out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.DefaultCompression)
	})
	for _, name := range p.names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.writePart(ctx, out, name); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("writing the archive: %w", err)
	}
	return nil
}

func (p *pack) writePart(ctx context.Context, out *zip.Writer, name string) error {
	key := partName(name)
	old, content := p.files[key], p.content[key]
	make := p.made[key]
	_, set := p.content[key]
	switch {
	case set && content == nil:
		return nil
	case !set && make == nil:
		return out.Copy(old)
	}
	header := &zip.FileHeader{Name: name, Method: zip.Deflate}
	if old != nil {
		header.Modified = old.Modified
	}
	to, err := out.CreateHeader(header)
	if err != nil {
		return err
	}
	if make != nil {
		return make(ctx, to)
	}
	_, err = to.Write(content)
	return err
}

// link is one line of a relationships part.
type link struct {
	node
	id     string
	kind   string // the last word of its type
	base   string // of its type, before that word
	target string // the part it points to; empty for what is outside the archive
}

func relsName(part string) string {
	folder, file := path.Split(part)
	return folder + "_rels/" + file + ".rels"
}

// links reads what a part refers to.
func (p *pack) links(of string) ([]link, error) {
	content, err := p.read(relsName(of))
	if err != nil || content == nil {
		return nil, err
	}
	root, prefix := rootOf(content)
	var all []link
	folder, _ := path.Split(of)
	for _, n := range within(content, root, prefix) {
		tag := n.tag(content)
		base, kind := path.Split(attrOf(tag, "Type"))
		l := link{node: n, id: attrOf(tag, "Id"), kind: kind, base: base}
		if attrOf(tag, "TargetMode") != "External" {
			target := attrOf(tag, "Target")
			if !strings.HasPrefix(target, "/") {
				target = folder + target
			}
			l.target = partName(path.Clean(target))
		}
		all = append(all, l)
	}
	return all, nil
}

// linked gives the first part of a kind that a part refers to.
func (p *pack) linked(of, kind string) (link, bool, error) {
	all, err := p.links(of)
	for _, l := range all {
		if l.kind == kind && l.target != "" {
			return l, true, err
		}
	}
	return link{}, false, err
}

// link makes a part refer to another, and gives the id of that.
func (p *pack) link(of, base, kind, target string) (string, error) {
	name := relsName(of)
	content, err := p.read(name)
	if err != nil {
		return "", err
	}
	if content == nil {
		content = []byte(xmlStart + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"></Relationships>`)
	}
	all, err := p.links(of)
	if err != nil {
		return "", err
	}
	id := ""
	for n := len(all) + 1; id == "" || slices.ContainsFunc(all, func(l link) bool { return l.id == id }); n++ {
		id = "rId" + strconv.Itoa(n)
	}
	root, prefix := rootOf(content)
	line := `<Relationship Id="` + id + `" Type="` + base + kind + `" Target="/` + escapeAttr(target) + `"/>`
	p.set(name, inserted(content, root, root.close, prefixed(line, prefix)))
	return id, nil
}

// unlink takes the lines out that point from one part to another.
func (p *pack) unlink(of, target string) error {
	all, err := p.links(of)
	if err != nil {
		return err
	}
	name := relsName(of)
	content, err := p.read(name)
	if err != nil {
		return err
	}
	for _, l := range slices.Backward(all) {
		if l.target == target {
			content = without(content, l.node)
		}
	}
	if root, prefix := rootOf(content); len(within(content, root, prefix)) == 0 && of != "xl/workbook.xml" {
		p.drop(name)
		return nil
	}
	p.set(name, content)
	return nil
}

const (
	contentTypes = "[content_types].xml"
	xmlStart     = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
)

// declare says of what type a new part is.
func (p *pack) declare(name, kind string) error {
	content, err := p.read(contentTypes)
	if err != nil {
		return err
	}
	root, prefix := rootOf(content)
	line := prefixed(`<Override PartName="/`+escapeAttr(name)+`" ContentType="`+kind+`"/>`, prefix)
	p.set(contentTypes, inserted(content, root, root.close, line))
	return nil
}

// typeOf tells of what type a part is.
func (p *pack) typeOf(name string) (string, error) {
	content, err := p.read(contentTypes)
	if err != nil {
		return "", err
	}
	root, prefix := rootOf(content)
	byExtension := ""
	for _, n := range within(content, root, prefix) {
		tag := n.tag(content)
		switch {
		case n.local == "Override" && partName(attrOf(tag, "PartName")) == name:
			return attrOf(tag, "ContentType"), nil
		case n.local == "Default" && strings.EqualFold("."+attrOf(tag, "Extension"), path.Ext(name)):
			byExtension = attrOf(tag, "ContentType")
		}
	}
	return byExtension, nil
}

// forget drops a part with all that is said of it.
func (p *pack) forget(of, name string) error {
	if err := p.unlink(of, name); err != nil {
		return err
	}
	p.drop(name)
	p.drop(relsName(name))
	content, err := p.read(contentTypes)
	if err != nil {
		return err
	}
	root, prefix := rootOf(content)
	for _, n := range slices.Backward(within(content, root, prefix)) {
		if n.local == "Override" {
			if part := partName(attrOf(n.tag(content), "PartName")); part == name || part == relsName(name) {
				content = without(content, n)
			}
		}
	}
	p.set(contentTypes, bytes.Clone(content))
	return nil
}
