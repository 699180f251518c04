package templates

import (
	"embed"
	"strings"
)

// Page holds the report page: its document, its style and its script.
//
//go:embed page
var Page embed.FS

// scripts are the parts of the report page's script, in their order.
var scripts = []string{"dom", "theme", "data", "filter", "problems", "cards", "calendar", "chart", "rows", "main"}

// PageStyle gives the report page's style.
func PageStyle() string { return read("page/base.css") + read("page/page.css") }

// MonthStyle gives the style of the page of a month, page/month.html.
func MonthStyle() string { return PageStyle() + read("page/month.css") }

// PageScript gives the report page's script as one text.
func PageScript() string {
	var text strings.Builder
	text.WriteString("'use strict';\n(() => {\n")
	for _, name := range scripts {
		// A module of the local page is a part of the script here.
		for line := range strings.Lines(read("page/" + name + ".js")) {
			if !strings.HasPrefix(line, "import ") {
				text.WriteString(strings.TrimPrefix(line, "export "))
			}
		}
	}
	text.WriteString("})();\n")
	return text.String()
}

// read gives an embedded file, which is there or the program would not have been built.
func read(name string) string {
	text, err := Page.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(text)
}
