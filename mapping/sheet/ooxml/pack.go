package ooxml

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"
)

// Pack is the archive of a workbook in the making: the parts of another, byte for
// byte, but for those that are set, made or dropped. Parts go by the names that
// [PartName] gives; the archive is one that [Open] takes.
type Pack struct {
	names   []string // in order, as the archive has them
	files   map[string]*zip.File
	content map[string][]byte // of parts that are set; nil for those that are dropped
	made    map[string]func(context.Context, io.Writer) error
}

// NewPack begins with all parts of an archive of so many bytes, which must stay as it
// is until the last [Pack.Write].
func NewPack(at io.ReaderAt, size int64) (*Pack, error) {
	old, err := zip.NewReader(archiveReader{at}, size)
	if err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	p := &Pack{
		files: map[string]*zip.File{}, content: map[string][]byte{},
		made: map[string]func(context.Context, io.Writer) error{},
	}
	for _, f := range old.File {
		p.names = append(p.names, f.Name)
		p.files[PartName(f.Name)] = f
	}
	return p, nil
}

// Has reports whether there is such a part as things stand.
func (p *Pack) Has(name string) bool {
	if content, set := p.content[name]; set {
		return content != nil
	}
	return p.files[name] != nil
}

// Read gives a part as it stands, nil for one that there is not.
func (p *Pack) Read(name string) ([]byte, error) {
	if content, set := p.content[name]; set {
		return content, nil
	}
	if p.files[name] == nil {
		return nil, nil
	}
	in, err := p.Open(name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return content, nil
}

// Open inflates a part as the old archive has it. There must be one.
func (p *Pack) Open(name string) (io.Reader, error) {
	f := p.files[name]
	in, err := (&Part{f, f.UncompressedSize64}).open()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return in, nil
}

// Set gives a part its content. The name of a new one may be in any case, and is
// written so.
func (p *Pack) Set(name string, content []byte) {
	if key := PartName(name); !p.Has(key) && p.files[key] == nil && !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	p.content[PartName(name)] = content
}

// Make has a part of the old archive written anew, by a function that Write calls.
func (p *Pack) Make(name string, write func(context.Context, io.Writer) error) { p.made[name] = write }

func (p *Pack) drop(name string) { p.content[name] = nil }

// Free gives the first name with a number between these two texts that no part has.
func (p *Pack) Free(before, after string) string {
	for n := 1; ; n++ {
		if name := before + strconv.Itoa(n) + after; !p.Has(PartName(name)) {
			return name
		}
	}
}

// Write writes the archive, its parts in their old order before the new ones. The error
// is ctx's own or says which part could not be written.
func (p *Pack) Write(ctx context.Context, w io.Writer) error {
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

func (p *Pack) writePart(ctx context.Context, out *zip.Writer, name string) error {
	key := PartName(name)
	old, content := p.files[key], p.content[key]
	write := p.made[key]
	_, set := p.content[key]
	switch {
	case set && content == nil:
		return nil
	case !set && write == nil:
		if _, err := raw(old); err != nil {
			return err
		}
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
	if write != nil {
		return write(ctx, to)
	}
	_, err = to.Write(content)
	return err
}

// contentTypes is the part that says of what type each other is.
const contentTypes = "[content_types].xml"

// Declare says of what type a new part is: the MIME type.
func (p *Pack) Declare(name, kind string) error {
	content, err := p.Read(contentTypes)
	if err != nil {
		return err
	}
	root, prefix := RootOf(content)
	line := Prefixed(`<Override PartName="/`+EscapeAttr(name)+`" ContentType="`+kind+`"/>`, prefix)
	p.Set(contentTypes, Inserted(content, root, root.Close, line))
	return nil
}

// TypeOf tells of what type a part is, empty where nothing is said.
func (p *Pack) TypeOf(name string) (string, error) {
	content, err := p.Read(contentTypes)
	if err != nil {
		return "", err
	}
	root, prefix := RootOf(content)
	byExtension := ""
	for _, n := range Within(content, root, prefix) {
		tag := n.Tag(content)
		switch {
		case n.Local == "Override" && PartName(AttrOf(tag, "PartName")) == name:
			return AttrOf(tag, "ContentType"), nil
		case n.Local == "Default" && strings.EqualFold("."+AttrOf(tag, "Extension"), path.Ext(name)):
			byExtension = AttrOf(tag, "ContentType")
		}
	}
	return byExtension, nil
}
