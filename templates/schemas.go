package templates

import "embed"

// Schemas are the JSON Schemas of the documents that the program prints: schemas/NAME.json. They are made from the
// types of the documents, by a test.
//
//go:embed schemas/*.json
var Schemas embed.FS
