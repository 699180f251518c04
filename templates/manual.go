package templates

import "embed"

// Topics are the pages of help that belong to no command: topics/NAME.md.
//
//go:embed topics/*.md
var Topics embed.FS

// Manual holds the document of all pages of help, and its style.
//
//go:embed manual
var Manual embed.FS

// ManualStyle gives the style of the manual.
func ManualStyle() string {
	text, err := Manual.ReadFile("manual/manual.css")
	if err != nil {
		panic(err) // the program would not have been built
	}
	return string(text)
}
