package sheet

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/ooxml"
)

// odsBook is an open .ods file: an archive with all sheets in one part.
type odsBook struct {
	sheetList
	limits  Limits
	content *ooxml.Part
	styles  map[string]odsStyle
}

// odsStyle is what a style says of a sheet or a cell that is of use here.
type odsStyle struct{ hidden, struck bool }

// beginsODS reports whether an archive begins with a part that only OpenDocument files have.
// They should begin with their type.
func beginsODS(start []byte) bool {
	const header = 30 // bytes before the name of the first part
	if !beginsArchive(start) || len(start) < header {
		return false
	}
	name := start[header:]
	name = name[:min(len(name), int(binary.LittleEndian.Uint16(start[26:])))]
	return slices.Contains([]string{"mimetype", "content.xml", "META-INF/manifest.xml", "META-INF/"}, string(name))
}

func openODS(ctx context.Context, in *input, o Options) (source, error) {
	size, err := in.read(ctx)
	if err != nil {
		return nil, err
	}
	b := &odsBook{sheetList: sheetList{name: in.name}, limits: o.Limits, styles: map[string]odsStyle{}}
	fill(&b.limits.Rows, ooxml.RowsPerSheet)
	archive, err := ooxml.Open(in.at, size, o.Limits.archive())
	if err == nil {
		err = b.read(ctx, archive)
	}
	if err != nil {
		return nil, at(b.place(""), err)
	}
	return b, nil
}

// read finds the sheets and the styles that say something of them.
func (b *odsBook) read(ctx context.Context, archive *ooxml.Archive) error {
	const manifest, content = "meta-inf/manifest.xml", "content.xml"
	locked := archive.Has("encrypted-package")
	if archive.Has(manifest) && !locked {
		if err := archive.Read(ctx, manifest, func(x *ooxml.Scanner) error {
			for {
				switch x.Next() {
				case ooxml.TokenError:
					return x.Err()
				case ooxml.TokenEOF:
					return nil
				case ooxml.TokenStart:
					locked = locked || string(x.Local) == "encryption-data"
				case ooxml.TokenEnd:
					if x.Depth() == 0 {
						return nil
					}
				}
			}
		}); err != nil {
			return err
		}
	}
	if locked {
		return ooxml.Flawf(schema.CodeEncryptedWorkbook, "save it without a password", "the workbook is protected by a password")
	}
	var err error
	if b.content, err = archive.Part(content); err != nil {
		return err
	}
	found := false
	err = b.scan(ctx, func(x *ooxml.Scanner) error {
		switch {
		case x.In(ooxml.OfficeSpace, "automatic-styles"):
			return x.Children(func() error { return b.style(x) })
		case x.In(ooxml.OfficeSpace, "body"):
			return x.Children(func() error {
				if !x.In(ooxml.OfficeSpace, "spreadsheet") {
					return x.Skip()
				}
				found = true
				return x.Children(func() error { return b.table(x) })
			})
		}
		return x.Skip()
	})
	switch {
	case err != nil:
		return ooxml.InPart(content, err)
	case !found:
		return ooxml.Flawf(schema.CodeUnknownFormat, ooxml.HintResave, "the file is an OpenDocument file, but no spreadsheet")
	case len(b.entries) == 0:
		return ooxml.Flawf(schema.CodeMissingPart, ooxml.HintDamaged, "the workbook has no sheets")
	}
	return nil
}

// scan reads the part with the content from its start.
func (b *odsBook) scan(ctx context.Context, child func(x *ooxml.Scanner) error) error {
	f := ooxml.StartFeed(ctx, b.content)
	defer f.Stop()
	x := ooxml.NewScanner(f)
	if err := x.EachChild(ooxml.OfficeSpace, "document-content", func() error { return child(x) }); err != nil {
		return err
	}
	return x.Finish()
}

// style takes in a style.
func (b *odsBook) style(x *ooxml.Scanner) error {
	attr, _ := x.AttrIn(ooxml.StyleSpace, "name")
	name := string(attr)
	if !x.In(ooxml.StyleSpace, "style") || len(b.styles) > mostMerges {
		return x.Skip()
	}
	return x.Children(func() error {
		s := b.styles[name]
		switch {
		case x.In(ooxml.StyleSpace, "table-properties"):
			shown, said := x.AttrIn(ooxml.TableSpace, "display")
			s.hidden = said && string(shown) == "false"
		case x.In(ooxml.StyleSpace, "text-properties"):
			line, said := x.AttrIn(ooxml.StyleSpace, "text-line-through-style")
			s.struck = said && string(line) != "none"
		}
		if s != (odsStyle{}) {
			b.styles[name] = s
		}
		return x.Skip()
	})
}

// table takes in that there is a sheet, or which of the sheets are ours.
func (b *odsBook) table(x *ooxml.Scanner) error {
	switch {
	case x.In(ooxml.TableSpace, "table"):
		name, _ := x.AttrIn(ooxml.TableSpace, "name")
		style, _ := x.AttrIn(ooxml.TableSpace, "style-name")
		if err := b.add(&bookSheet{Info: Info{Name: string(name), Hidden: b.styles[string(style)].hidden}}); err != nil {
			return err
		}
	case x.In(ooxml.TableSpace, "named-expressions"):
		return x.Children(func() error {
			name, _ := x.AttrIn(ooxml.TableSpace, "name")
			target, _ := x.AttrIn(ooxml.TableSpace, "cell-range-address")
			sheet := strings.TrimPrefix(string(target[:max(bytes.LastIndexByte(target, '.'), 0)]), "$")
			if n := len(sheet); n > 1 && sheet[0] == '\'' && sheet[n-1] == '\'' {
				sheet = strings.ReplaceAll(sheet[1:n-1], "''", "'")
			}
			if t := b.entry(sheet); t != nil && strings.HasPrefix(string(name), OwnPrefix) {
				t.own, t.Own = string(name), true
			}
			return x.Skip()
		})
	}
	return x.Skip()
}

func (b *odsBook) sheets() []Info {
	var all []Info
	for _, t := range b.entries {
		all = append(all, t.Info)
	}
	return all
}

// date1904 is false: dates are written as such, and counted here.
func (b *odsBook) date1904() bool { return false }

func (b *odsBook) batches(ctx context.Context, sheet string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		r := &odsReader{styles: b.styles, sheetReader: sheetReader{yield: yield, cellReader: cellReader{
			limits: b.limits, place: b.place(sheet), texts: arena{size: batchText},
		}}}
		t := b.entry(sheet)
		if t == nil {
			yield(nil, refuse(schema.CodeNoSheet, r.place, "", "the workbook has no such sheet"))
			return
		}
		err := b.scan(ctx, func(x *ooxml.Scanner) error {
			if !x.In(ooxml.OfficeSpace, "body") {
				return x.Skip()
			}
			return x.Children(func() error {
				return x.Children(func() error {
					name, _ := x.AttrIn(ooxml.TableSpace, "name")
					if !x.In(ooxml.TableSpace, "table") || string(name) != sheet {
						return x.Skip()
					}
					r.x = x
					return r.rows(r.part)
				})
			})
		})
		t.ended(&r.sheetReader, err)
	}
}
