package main

import (
	"slices"

	"github.com/spf13/cobra"

	"eventbatch/batch/manual"
)

// topicNames are the pages of help that belong to no command, in the order in which a person comes to them: each is
// a file of templates/topics, which that of flags has below it.
var topicNames = []string{
	"formats", "cells", "zones", "mapping", "resources", "effects", "results", "merging", "migrating", "reports",
	"connection", "safety", "nights", "database", "workers", "sql", "trying", "scripting", "agents", "flags", "exit-codes",
}

// topics returns a command for each topic, which help knows by its name.
func topics() []*cobra.Command {
	var list []*cobra.Command
	for _, name := range topicNames {
		list = append(list, &cobra.Command{Use: name})
	}
	return list
}

// about returns what a command does, or a topic is about, in a line.
func about(cmd *cobra.Command) string {
	switch {
	case slices.Contains(topicNames, cmd.Name()):
		return manual.TopicTitle(cmd.Name())
	case cmd.Hidden:
		return cmd.Short
	}
	return manual.CommandTitle(below(cmd))
}
