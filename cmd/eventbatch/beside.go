package main

import (
	"errors"
	"io/fs"
	"path/filepath"

	"eventbatch/batch/secret"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/regular"
)

// mappingName returns where the mapping of a file is best kept: beside it, called as it is.
func mappingName(file string) string {
	switch {
	case file == "-":
		file = "events"
	case secret.IsAddress(file):
		file = filepath.Base(file)
	}
	return mapfile.Beside(file)
}

// kept is the mapping that was kept beside a file.
type kept struct {
	name    string        // of its file; empty where there is none
	text    string        // empty where it is no mapping
	mapping *mapfile.File // nil where it cannot be read by: why says the reason
	why     error
}

// keptBeside returns the mapping that lies beside a file.
func keptBeside(file string) kept {
	if secret.IsAddress(file) || readOnce(file) {
		return kept{}
	}
	k := kept{name: mappingName(file)}
	text, err := regular.Read(k.name, regular.MiB)
	if errors.Is(err, fs.ErrNotExist) {
		return kept{}
	}
	var mapping *mapfile.File
	if err == nil {
		mapping, err = mapfile.Decode(text, k.name)
	}
	if err == nil {
		k.text = string(text)
		err = mapping.Finished([]string{file})
	}
	if k.why = err; err == nil {
		k.mapping = mapping
	}
	return k
}
