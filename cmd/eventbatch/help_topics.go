package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/manual"
	"eventbatch/templates"
)

// topicNames are the pages of help that belong to no command, in the order in which a person comes to them: each is
// a file of templates/topics, but for flags, which is made of the flags that there are.
var topicNames = []string{
	"formats", "cells", "zones", "mapping", "resources", "effects", "results", "merging", "migrating", "reports",
	"connection", "safety", "nights", "database", "workers", "sql", "trying", "scripting", "agents", "flags", "exit-codes",
}

const aboutFlags = "The flags that every command takes"

// topics returns a command for each topic, which help knows by its name.
func topics() []*cobra.Command {
	var list []*cobra.Command
	for _, name := range topicNames {
		topic := &cobra.Command{Use: name, Short: aboutFlags}
		if name != "flags" {
			topic.Short = topicTitle(name)
		}
		list = append(list, topic)
	}
	return list
}

// topicTitle returns the title of a topic, and reads no more of it.
func topicTitle(name string) string {
	file, err := templates.Topics.Open("topics/" + name + ".md")
	if err != nil {
		panic(err) // a test asks for each
	}
	var begin [200]byte
	n, _ := file.Read(begin[:])
	title, _, _ := strings.Cut(string(begin[:n]), "\n")
	return strings.TrimPrefix(title, "# ")
}

func topicText(name string) string {
	text, err := templates.Topics.ReadFile("topics/" + name + ".md")
	if err != nil {
		panic(err) // a test asks for each
	}
	return string(text)
}

// topicPage returns a topic as it is shown.
func topicPage(root *cobra.Command, name string) *manual.Page {
	if name == "flags" {
		return &manual.Page{
			Name: name, Title: aboutFlags, Section: 7,
			Blocks: append(manual.Prose(`Each flag, these and a command's own, is also a variable: --max-errors is EVENTBATCH_MAX_ERRORS.
A flag comes before its variable, and the variable before eventbatch.yaml. A key itself is never a flag: it is in the variable
EVENTBATCH_API_KEY, or where the profile says.`), grouped(root.PersistentFlags(), true, 2)...),
		}
	}
	page, err := manual.Read(name, []byte(topicText(name)))
	if err != nil {
		panic(fmt.Errorf("topics/%s.md: %w", name, err)) // likewise
	}
	return page
}

// topicTerms returns the topics with what they are about: by their names, or by those of their pages.
func topicTerms(root *cobra.Command, on *manual.Page) manual.Terms {
	var terms manual.Terms
	for _, name := range topicNames {
		for _, cmd := range root.Commands() {
			if cmd.Name() == name {
				word := name
				if on != nil {
					word = "eventbatch-" + name + "(7)"
				}
				terms = append(terms, manual.Term{Word: word, About: manual.Words(cmd.Short)})
			}
		}
	}
	return terms
}
