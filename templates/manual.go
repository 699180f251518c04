package templates

import "embed"

// Help has the pages of help: topics/NAME.md those that belong to no command, and commands/NAME.md what is written of a
// command beside its flags.
//
//go:embed topics/*.md commands/*.md
var Help embed.FS

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
