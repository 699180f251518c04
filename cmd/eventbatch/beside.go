package main

import (
	"path/filepath"

	"eventbatch/batch/secret"
	"eventbatch/mapping/mapfile"
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

// keptBeside returns the mapping that lies beside a file.
func keptBeside(file string) mapfile.Kept {
	if secret.IsAddress(file) || readOnce(file) {
		return mapfile.Kept{}
	}
	return mapfile.KeptBeside(file)
}
