package manual

import (
	"fmt"
	"strings"

	"eventbatch/templates"
)

// Topic returns a page that belongs to no command: templates/topics has it. A test asks for each.
func Topic(name string) *Page {
	text, err := templates.Topics.ReadFile("topics/" + name + ".md")
	if err != nil {
		panic(err)
	}
	page, err := Read(name, text)
	if err != nil {
		panic(fmt.Errorf("topics/%s.md: %w", name, err))
	}
	return page
}

// TopicTitle returns the title of a topic, and reads no more of it.
func TopicTitle(name string) string {
	file, err := templates.Topics.Open("topics/" + name + ".md")
	if err != nil {
		panic(err)
	}
	var begin [200]byte
	n, _ := file.Read(begin[:])
	title, _, _ := strings.Cut(string(begin[:n]), "\n")
	return strings.TrimPrefix(title, "# ")
}
