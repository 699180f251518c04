package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/manual"
	"eventbatch/batch/report"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
)

type manCommand struct {
	*env

	output string
}

func newManCommand(a *env) *cobra.Command {
	c := &manCommand{env: a}
	cmd := &cobra.Command{
		Use:               "man [COMMAND | TOPIC]",
		Args:              func(cmd *cobra.Command, args []string) error { return knownPage(cmd.Root(), args) },
		ValidArgsFunction: completePages,
		RunE:              func(cmd *cobra.Command, args []string) error { return c.run(cmd.Root(), args) },
	}
	cmd.Flags().StringVarP(&c.output, "output", "o", "", "write all pages into this `FOLDER`, or as one file whose name ends in .html")
	return cmd
}

func (c *manCommand) run(root *cobra.Command, args []string) error {
	if c.output != "" {
		return c.writeAll(root)
	}
	if c.global.json {
		return usagef("man prints a page to be read, and no document").
			hinted("leave --json out, or write the pages of all commands with -o")
	}
	found, _, err := root.Find(args)
	if err == nil {
		_, err = io.WriteString(c.stdout, commandPage(found).Roff(version()))
	}
	return err
}

// manDoc is the document of man that writes pages.
type manDoc struct {
	Files []string `json:"files"`
}

// writeAll writes the pages of all commands and topics.
func (c *manCommand) writeAll(root *cobra.Command) error {
	files, texts := []string{c.output}, [][]byte{nil}
	pages := manualParts(root)
	if strings.EqualFold(filepath.Ext(c.output), ".html") {
		if err := canHold("output", c.output); err != nil {
			return err
		}
		var text bytes.Buffer
		if err := manual.WriteHTML(&text, pages, version()); err != nil {
			return err
		}
		texts[0] = text.Bytes()
	} else {
		if info, err := os.Stat(c.output); err != nil || !info.IsDir() {
			none := fmt.Errorf("--output: there is no folder %s", c.output)
			return failure.New(failure.Output, none, "make the folder first, or name a file such as manual.html")
		}
		files, texts = nil, nil
		for _, part := range pages {
			for _, page := range part.Pages {
				files, texts = append(files, filepath.Join(c.output, page.File())), append(texts, []byte(page.Roff(version())))
			}
		}
	}
	for i, file := range files {
		if err := durable.ReplaceText(file, 0o644, texts[i]); err != nil {
			return failure.New(failure.Output, err, "")
		}
	}
	if c.global.json {
		return c.writeDoc("man", manDoc{files}, nil)
	}
	count := 0
	for _, part := range pages {
		count += len(part.Pages)
	}
	c.say("%s: %s\n", c.output, report.Count(count, "page"))
	return nil
}

// manualParts returns all pages: those of topics first, which a person reads, then those of commands.
func manualParts(root *cobra.Command) []manual.Part {
	topics := manual.Part{Title: "Topics"}
	for _, name := range topicNames {
		topics.Pages = append(topics.Pages, topicPage(root, name))
	}
	parts := []manual.Part{topics, {Title: "Commands", Pages: []*manual.Page{commandPage(root)}}}
	for _, g := range commandTable() {
		part := manual.Part{Title: "Commands: " + g.title}
		for _, cmd := range g.grouped(root) {
			for _, cmd := range withBelow(cmd) {
				part.Pages = append(part.Pages, commandPage(cmd))
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// withBelow returns a command and all below it that people use.
func withBelow(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, withBelow(c)...)
		}
	}
	return all
}

// commandPage returns the manual page of a command, or of a topic.
func commandPage(cmd *cobra.Command) *manual.Page {
	root := cmd.Root()
	if cmd.IsAdditionalHelpTopicCommand() {
		return topicPage(root, cmd.Name())
	}
	page, examples := manual.Command(below(cmd))
	description := page.Blocks
	page.Blocks = nil
	add := func(title string, blocks ...manual.Block) {
		page.Blocks = append(append(page.Blocks, manual.Headed(2, title)), blocks...)
	}
	add("Synopsis")
	for _, form := range synopsis(cmd) {
		page.Blocks = append(page.Blocks, manual.Paragraph{Text: manual.Text{{Words: form, Style: manual.Literal}}})
	}
	add("Description", description...)
	switch {
	case cmd == root:
		add("Commands")
		for _, g := range commandTable() {
			page.Blocks = append(page.Blocks, manual.Headed(3, g.title), terms(g.grouped(root), true))
		}
		add("Topics", terms(topics(), true))
		add("Options", topicPage(root, "flags").Blocks...)
		add("Exit status")
		var codes manual.Terms
		for _, exit := range exitsOf() {
			codes = append(codes, manual.Term{Word: fmt.Sprintf("%d %s", exit.Code, exit.Reason), About: manual.Words(exit.Meaning)})
		}
		page.Blocks = append(page.Blocks, codes)
		return page
	case cmd.HasAvailableSubCommands():
		add("Commands", terms(cmd.Commands(), true))
	}
	if flags := flagBlocks(cmd, true, 3); flags != nil {
		add("Options", flags...)
	}
	if examples != nil {
		add("Examples", examples...)
	}
	return page
}
