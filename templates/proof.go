package templates

import "embed"

// Proof holds the pages of what was tried and how long things take: proof/PAGE.tmpl.
//
//go:embed proof/*.tmpl
var Proof embed.FS
