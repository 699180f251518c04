package mapfile

import (
	"path/filepath"
	"strings"
)

// Ending ends the names of mapping files.
const Ending = ".map.yaml"

// Beside returns where the mapping of a file is kept: beside it, called as it is.
func Beside(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) + Ending }
