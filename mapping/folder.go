package mapping

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// Folder is what the files of one folder are.
type Folder struct {
	Inputs []Input // in the order in which their rows need each other
	// Unknown are the files, or sheets of them, whose rows nothing is known to read.
	Unknown []Unknown
	// Passed is what holds no rows, or is not looked into: each with the reason.
	Passed []Passed
}

// Unknown is a file, or a sheet of it, that nothing is known to read.
type Unknown struct {
	File, Sheet string
	Why         string
	Err         error // of a file that cannot be opened
}

// Problem says why nothing reads it, with a hint of what would.
func (u *Unknown) Problem(hint string) schema.Problem {
	if unread, ok := errors.AsType[*sheet.Error](u.Err); ok {
		return unread.Problem
	}
	p := schema.Problem{
		Severity: schema.Error, Code: schema.CodeUnknownFile, Place: schema.Place{File: u.File, Sheet: u.Sheet, Column: -1},
		Message: "nothing is known to read it: " + u.Why, Hint: hint,
	}
	if u.Err != nil {
		p.Message = u.Err.Error()
	}
	return p
}

// Passed is an entry of a folder that is passed over.
type Passed struct{ Name, Why string }

// tableless are the endings of files that lie beside exports and hold no rows.
var tableless = []string{
	".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".pdf", ".doc", ".docx", ".odt", ".rtf", ".md", ".eml", ".yaml", ".yml", ".log",
}

// ReadFolder finds out what the files of a folder are. A file is read by the mappings that lie
// beside it, called as it is (orders.map.yaml, orders.guests.map.yaml); else by the presets that
// its columns fit, each of which reads the rows as something else; else by its own headers, where
// its sheet is called after a resource and every column is a field of it.
func ReadFolder(ctx context.Context, dir string, o sheet.Options) (*Folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{}
	var files, maps []string
	for _, e := range entries {
		name := e.Name()
		info, err := os.Stat(filepath.Join(dir, name))
		switch {
		case name == ".eventbatch" || name == "eventbatch.yaml":
		case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$"):
			f.pass(name, "it is hidden")
		case err != nil:
			return nil, err
		case info.IsDir():
			f.pass(name, "it is a sub-folder: migrate it by itself")
		case !info.Mode().IsRegular():
			f.pass(name, "it is no regular file")
		case strings.HasSuffix(name, mapfile.Ending):
			maps = append(maps, name)
		case slices.Contains(tableless, strings.ToLower(filepath.Ext(name))):
			f.pass(name, "such files hold no rows")
		default:
			files = append(files, name)
		}
	}
	for _, name := range files {
		var own []string
		maps = slices.DeleteFunc(maps, func(m string) bool {
			beside := strings.HasPrefix(m, strings.TrimSuffix(name, filepath.Ext(name))+".")
			if beside {
				own = append(own, m)
			}
			return beside
		})
		if err := f.file(ctx, dir, name, own, o); err != nil {
			return nil, err
		}
	}
	for _, name := range maps {
		f.pass(name, "it is the mapping of no file here")
	}
	f.tables(ctx, o)
	InOrder(f.Inputs)
	return f, nil
}

func (f *Folder) pass(name, why string) { f.Passed = append(f.Passed, Passed{name, why}) }

// file finds out what one file is. The error is of a mapping that cannot be read, or ctx's own.
func (f *Folder) file(ctx context.Context, dir, name string, maps []string, o sheet.Options) error {
	path := filepath.Join(dir, name)
	for _, m := range maps {
		read, err := mapfile.Load(filepath.Join(dir, m))
		if err == nil {
			err = read.Finished([]string{path})
		}
		if err != nil {
			return err
		}
		f.Inputs = append(f.Inputs, Input{File: path, Mapping: read})
	}
	if len(maps) > 0 {
		return nil
	}
	opened, err := sheet.Open(ctx, path, o)
	if err != nil {
		f.Unknown = append(f.Unknown, Unknown{File: path, Err: err})
		return ctx.Err()
	}
	defer func() { _ = opened.Close() }() // nothing was written
	for _, s := range opened.Sheets() {
		if s.Own {
			continue
		}
		inputs, why, err := known(ctx, opened, path, s.Name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case s.Hidden && (len(inputs) > 0 || why != "" || err != nil):
			f.pass(name+":"+s.Name, "the sheet is hidden")
		case err != nil:
			f.Unknown = append(f.Unknown, Unknown{File: path, Sheet: s.Name, Err: err})
		case why != "":
			f.Unknown = append(f.Unknown, Unknown{File: path, Sheet: s.Name, Why: why})
		}
		if !s.Hidden {
			f.Inputs = append(f.Inputs, inputs...)
		}
	}
	return nil
}

// known returns what a sheet is read as, or why that is not known. A sheet without rows is neither. The error is of
// one that cannot be read.
func known(ctx context.Context, f *sheet.File, path, name string) (inputs []Input, why string, err error) {
	if f.OwnColumns() {
		return []Input{{File: path, Sheet: name}}, "", nil
	}
	head, err := heading(ctx, f, name)
	if err != nil {
		return nil, "", err
	}
	for _, header := range head {
		preset, ok := mapfile.MatchPreset(header)
		if !ok {
			continue
		}
		found, _ := mapfile.FindPreset(preset) // it is there
		for _, each := range append([]string{preset}, found.File.Source.Beside...) {
			p, _ := mapfile.FindPreset(each) // a test knows that it is there
			inputs = append(inputs, Input{File: path, Sheet: name, Mapping: p.File})
		}
		return inputs, "", nil
	}
	if len(head) == 0 {
		return nil, "", nil
	}
	called := cmp.Or(name, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if r, ok := catalog.ResourceNamed(called); ok && isOwn(r, head[0]) {
		return []Input{{File: path, Sheet: name, Resource: r}}, "", nil
	}
	why = "no preset has exactly these columns"
	if near, lacks, more := mapfile.NearPreset(head[0]); near != "" {
		if p, _ := mapfile.FindPreset(near); p.File.Takes(catalog.Guests, lacks, more) {
			return []Input{{File: path, Sheet: name, Mapping: p.File}}, "", nil
		}
		why += "; the nearest is " + near + differences(lacks, more)
	}
	return nil, why, nil
}

// heading returns the first rows of a sheet, among which its header is.
func heading(ctx context.Context, f *sheet.File, name string) (head [][]string, err error) {
	for row, err := range f.Rows(ctx, name) {
		if err != nil {
			return nil, err
		}
		if head = append(head, match.HeaderTexts(&row, f.Date1904())); len(head) == sheet.HeaderRows {
			break
		}
	}
	return head, nil
}

// isOwn reports whether every column is one of the resource's own: a template, or an export.
func isOwn(r *schema.Resource, header []string) bool {
	bound, left, clashes := match.Bind(r, header, func(i int) bool {
		_, answers := value.AnswerTo(header[i])
		return header[i] == "" || sheet.OwnColumn(header[i]) || answers && r.Answering() != nil
	})
	return len(bound) > 0 && len(left)+len(clashes) == 0
}

// tables finds the second tables of the mappings among the files: those that nothing else is known of, and
// those whose rows are read too.
func (f *Folder) tables(ctx context.Context, o sheet.Options) {
	f.Unknown = slices.DeleteFunc(f.Unknown, func(u Unknown) bool { return u.Sheet == "" && u.Err == nil && f.table(ctx, u.File, o) })
	for i := range f.Inputs {
		f.table(ctx, f.Inputs[i].File, o)
	}
}

// table reports whether a file is a second table of a mapping that has none yet.
func (f *Folder) table(ctx context.Context, file string, o sheet.Options) (taken bool) {
	if !slices.ContainsFunc(f.Inputs, func(in Input) bool { return len(in.lacks(file)) > 0 }) {
		return false
	}
	opened, err := sheet.Open(ctx, file, o)
	if err != nil {
		return false // it was opened before
	}
	defer func() { _ = opened.Close() }() // nothing was written
	head, err := heading(ctx, opened, "")
	if err != nil || len(head) == 0 {
		return false
	}
	for i := range f.Inputs {
		in := &f.Inputs[i]
		for name, key := range in.lacks(file) {
			if sheet.FindColumn(head[0], key) >= 0 {
				in.Join = append(in.Join, JoinFile{name, file})
				taken = true
			}
		}
	}
	return taken
}

// lacks returns the second tables that the mapping of an input reads and nothing is known to be, as far as another
// file may be one: the columns of their keys, by their names.
func (in *Input) lacks(file string) map[string]string {
	if in.Mapping == nil || in.File == file {
		return nil
	}
	keys := map[string]string{}
	for _, join := range in.Mapping.Joins {
		if of := &join.Value; of.File == "" && of.Sheet == "" && !in.joins(join.Key) {
			keys[join.Key] = of.Key
		}
	}
	return keys
}

func (in *Input) joins(name string) bool {
	return slices.ContainsFunc(in.Join, func(j JoinFile) bool { return j.Name == name })
}
