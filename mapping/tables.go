package mapping

import (
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/mapping/mapfile"
)

// JoinFile is --join NAME=FILE: where a table that the mapping looks rows up in lies.
type JoinFile struct{ Name, File string }

// ParseJoin reads NAME=FILE.
func ParseJoin(text string) (JoinFile, error) {
	name, file, found := strings.Cut(text, "=")
	if !found || name == "" || file == "" {
		return JoinFile{}, optionError("join", quoted(text)+" names no table and its file", "write --join venues=venues.csv")
	}
	return JoinFile{name, file}, nil
}

// joins checks that the tables of --join are among the mapping's.
func (o *options) joins() error {
	names := o.tables()
	for i, j := range o.Join {
		switch {
		case len(names) == 0:
			return optionError("join", "the mapping reads no second table", "")
		case !slices.Contains(names, j.Name):
			return optionError("join", "the mapping reads no table "+quoted(j.Name), "it reads "+strings.Join(names, ", "))
		}
		if slices.ContainsFunc(o.Join[:i], func(other JoinFile) bool { return other.Name == j.Name }) {
			return optionError("join", j.Name+" is given twice", "")
		}
	}
	return nil
}

// Tables returns the files of the second tables that rows are looked up in, as far as
// they are given.
func (c *Config) Tables() (files []string) {
	o := options{Config: *c, mapping: c.Mapping}
	for _, name := range o.tables() {
		if path, _ := o.tableFile(name); path != "" {
			files = append(files, path)
		}
	}
	return files
}

// tables returns the names of the tables that the mapping reads besides the rows; before
// the preset is chosen, the names of those that any preset reads.
func (o *options) tables() []string {
	if o.mapping == nil {
		return nil
	}
	files := []*mapfile.File{o.mapping}
	if o.mapping.Auto() {
		for _, p := range mapfile.Presets() {
			files = append(files, p.File)
		}
	}
	var names []string
	for _, f := range files {
		for _, item := range f.Joins {
			names = append(names, item.Key)
		}
	}
	return names
}

// joinsSheet reports whether rows are looked up in a sheet of their own workbook.
func (o *options) joinsSheet(name string) bool {
	if o.mapping == nil {
		return false
	}
	for _, item := range o.mapping.Joins {
		if path, _ := o.tableFile(item.Key); path == "" && item.Value.Sheet == name {
			return true
		}
	}
	return false
}

// tableFile returns where a table lies; given where the command line says so.
func (o *options) tableFile(name string) (path string, given bool) {
	for _, j := range o.Join {
		if j.Name == name {
			return j.File, true
		}
	}
	join, _ := o.mapping.Joins.Get(name)
	if join.File == "" || filepath.IsAbs(join.File) {
		return join.File, false
	}
	return filepath.Join(filepath.Dir(o.mapping.Name()), join.File), false
}
