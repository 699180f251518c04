package templates

import "embed"

// Install holds what makes a machine run a sync every night: install/KIND.tmpl.
//
//go:embed install/*.tmpl
var Install embed.FS
