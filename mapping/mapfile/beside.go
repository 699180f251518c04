package mapfile

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"eventbatch/mapping/regular"
)

// Ending ends the names of mapping files.
const Ending = ".map.yaml"

// Beside returns where the mapping of a file is kept: beside it, called as it is.
func Beside(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) + Ending }

// Kept is the mapping that was kept beside a file.
type Kept struct {
	Name    string // of its file; empty where there is none
	Text    string // empty where it is no mapping
	Mapping *File  // nil where the file cannot be read by it: Why says the reason
	Why     error
}

// KeptBeside returns the mapping that lies beside a file.
func KeptBeside(file string) Kept {
	k := Kept{Name: Beside(file)}
	text, err := regular.Read(k.Name, regular.MiB)
	if errors.Is(err, fs.ErrNotExist) {
		return Kept{}
	}
	var mapping *File
	if err == nil {
		mapping, err = Decode(text, k.Name)
	}
	if err == nil {
		k.Text = string(text)
		err = mapping.Finished([]string{file})
	}
	if k.Why = err; err == nil {
		k.Mapping = mapping
	}
	return k
}
