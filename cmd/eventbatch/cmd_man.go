package main

import (
	"bytes"
	"context"
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
	pages := func(cmd *cobra.Command, args []string) error { return knownPage(cmd.Root(), args) }
	cmd := newCommand("man [COMMAND | TOPIC]", pages, func(_ context.Context, args []string) error { return c.run(a.command.Root(), args) })
	cmd.ValidArgsFunction = completePages
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
		_, err = io.WriteString(c.stdout, pageOf(found).Roff(version()))
	}
	return err
}

// pageOf returns the manual page of a command, or of a topic.
func pageOf(cmd *cobra.Command) *manual.Page {
	p := programOf(cmd.Root(), !cmd.HasParent())
	switch {
	case cmd.IsAdditionalHelpTopicCommand():
		return p.Topic(cmd.Name())
	case !cmd.HasParent():
		return p.Front()
	}
	info := commandOf(cmd, "")
	return p.Page(&info)
}

// manDoc is the document of man that writes pages.
type manDoc struct {
	Files []string `json:"files"`
}

// writeAll writes the pages of all commands and topics.
func (c *manCommand) writeAll(root *cobra.Command) error {
	files, texts := []string{c.output}, [][]byte{nil}
	pages := programOf(root, true).Parts()
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
