// Package templates holds files that are built into the program.
package templates

import "embed"

// Presets are the mapping files of known sources: presets/NAME.map.yaml.
//
//go:embed presets/*.map.yaml
var Presets embed.FS
