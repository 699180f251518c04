package install

import (
	"html"
	"strconv"
	"strings"
	"text/template"
)

// quoting are the ways to write a word, by the format that reads it.
var quoting = template.FuncMap{
	"join": strings.Join, "html": html.EscapeString, "shell": shell, "words": words, "yaml": strconv.Quote,
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
		quoted[i] = shell(word)
	}
	return strings.Join(quoted, " ")
}

// shell returns a word as a shell reads it.
func shell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@+,=", r)
	}
	if word != "" && strings.TrimLeftFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
