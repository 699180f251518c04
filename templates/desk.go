package templates

import (
	"embed"
	"slices"
)

//go:embed desk
var desk embed.FS

// deskModules are the scripts of the local page, each a module.
var deskModules = []string{
	"dom.js", "words.js", "net.js", "columns.js", "readings.js", "rows.js", "grid.js", "plan.js", "send.js",
	"runs.js", "main.js",
}

// DeskFiles lists the files of the local page.
func DeskFiles() []string {
	return append([]string{"desk.html", "desk.css", "icon.svg"}, deskModules...)
}

// DeskFile gives one of them. The colours, and the ways to draw, are those of the report page.
func DeskFile(name string) []byte {
	if name == "dom.js" {
		return []byte(read("page/dom.js"))
	}
	text, err := desk.ReadFile("desk/" + name)
	if err != nil {
		panic(err)
	}
	if name == "desk.css" {
		return slices.Concat([]byte(read("page/colors.css")), text)
	}
	return text
}
