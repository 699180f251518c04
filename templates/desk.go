package templates

import (
	"embed"
	"slices"
)

//go:embed desk
var desk embed.FS

// deskModules are the scripts of the local page, each a module. The shared ones are those of the report page.
var deskModules = append(slices.Clone(shared),
	"net.js", "parts.js", "columns.js", "readings.js", "rows.js", "edits.js", "grid.js", "plan.js", "runs.js", "main.js",
)

var shared = []string{"dom.js", "theme.js"}

// DeskFiles lists the files of the local page.
func DeskFiles() []string {
	return append([]string{"desk.html", "desk.css", "icon.svg"}, deskModules...)
}

// DeskFile gives one of them. The colours, and the ways to draw, are those of the report page.
func DeskFile(name string) []byte {
	if slices.Contains(shared, name) {
		return []byte(read("page/" + name))
	}
	text, err := desk.ReadFile("desk/" + name)
	if err != nil {
		panic(err)
	}
	if name == "desk.css" {
		return slices.Concat([]byte(read("page/base.css")), text)
	}
	return text
}
