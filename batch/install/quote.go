package install

import (
	"html"
	"strconv"
	"strings"
	"text/template"

	"eventbatch/mapping/spelling"
)

// quoting are the ways to write a word, by the format that reads it.
var quoting = template.FuncMap{
	"join": strings.Join, "html": html.EscapeString, "shell": spelling.Quoted, "words": words, "yaml": strconv.Quote,
	// In a line of cron, % ends the command.
	"cron": strings.NewReplacer("%", `\%`).Replace,
	// In a unit of systemd, % begins a specifier.
	"unit":     strings.NewReplacer("%", "%%").Replace,
	"execWord": execWord,
	// In a comment of XML there is no --.
	"comment": strings.NewReplacer("--", "- -").Replace,
}

// execWord returns a word of a command as systemd reads it, which also knows $.
func execWord(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "$", "$$").Replace(word) + `"`
}

// words returns words as a shell reads them.
func words(list []string) string {
	quoted := make([]string, len(list))
	for i, word := range list {
		quoted[i] = spelling.Quoted(word)
	}
	return strings.Join(quoted, " ")
}
