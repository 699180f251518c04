package main

import (
	"github.com/spf13/cobra"

	"eventbatch/batch/manual"
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
			topic.Short = manual.TopicTitle(name)
		}
		list = append(list, topic)
	}
	return list
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
	return manual.Topic(name)
}
