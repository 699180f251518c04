package manual

import (
	"fmt"
	"strings"

	"eventbatch/templates"
)

// Topics are the pages of help that belong to no command, in the order in which a person comes to them: each is
// a file of templates/topics, which that of flags has below it.
var Topics = []string{
	"formats", "cells", "zones", "mapping", "resources", "effects", "results", "merging", "migrating", "reports",
	"connection", "safety", "nights", "database", "workers", "sql", "trying", "scripting", "agents", "flags", "exit-codes",
}

// commandText returns what is written of a command, which templates/commands has, and its examples.
func commandText(name string) (page *Page, examples []Block) {
	page = written(commandFile(name), name)
	page.Section = 1
	for i, block := range page.Blocks {
		if _, is := block.(Heading); is { // the only one: Examples
			page.Blocks, examples = page.Blocks[:i:i], page.Blocks[i+1:]
			break
		}
	}
	if len(page.Blocks) == 0 {
		page.Blocks = []Block{Paragraph{Text: Words(page.Title + ".")}}
	}
	return page, examples
}

// TopicTitle returns the title of a topic, and CommandTitle that of a command. They read no more of it.
func TopicTitle(name string) string   { return title(topicFile(name)) }
func CommandTitle(name string) string { return title(commandFile(name)) }

func topicFile(name string) string   { return "topics/" + name + ".md" }
func commandFile(name string) string { return "commands/" + strings.ReplaceAll(name, " ", "-") + ".md" }

func written(file, name string) *Page {
	text, err := templates.Help.ReadFile(file)
	if err != nil {
		panic(err)
	}
	page, err := Read(name, text)
	if err != nil {
		panic(fmt.Errorf("%s: %w", file, err))
	}
	return page
}

func title(name string) string {
	file, err := templates.Help.Open(name)
	if err != nil {
		panic(err)
	}
	var begin [200]byte
	n, _ := file.Read(begin[:])
	title, _, _ := strings.Cut(string(begin[:n]), "\n")
	return strings.TrimPrefix(title, "# ")
}
