package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/report"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
)

// manCommand is the command man.
type manCommand struct {
	*env

	folder string
}

func newManCommand(a *env) *cobra.Command {
	c := &manCommand{env: a}
	cmd := &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "Print the manual page of a command, or write all pages into a folder",
		Long: `Print the manual page of a command, or of eventbatch itself, or write the pages of
all commands into a folder. They say what --help says.`,
		Example: `  eventbatch man import | man -l -
  eventbatch man -o /usr/local/share/man/man1`,
		Args: func(cmd *cobra.Command, args []string) error {
			_, _, err := cmd.Root().Find(args)
			return err
		},
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.run(cmd.Root(), args)
		},
	}
	cmd.Flags().StringVarP(&c.folder, "output", "o", "", "write the pages of all commands into this `FOLDER`")
	_ = cmd.MarkFlagDirname("output") // the only error is a flag that is not there
	return cmd
}

func (c *manCommand) run(root *cobra.Command, args []string) error {
	if c.folder != "" {
		return c.writeAll(root, c.folder)
	}
	if c.global.json {
		return &usageError{
			err: errors.New("a page is for man, and no document"), hint: "leave --json out, or write the pages of all commands with -o",
		}
	}
	found, _, err := root.Find(args)
	if err == nil {
		_, err = io.WriteString(c.stdout, manual(found))
	}
	return err
}

// manDoc is the document of man that writes pages.
type manDoc struct {
	Command string      `json:"command"`
	Files   []string    `json:"files"`
	Exit    report.Exit `json:"exit"`
}

// writeAll writes the pages of a command and of those below it.
func (c *manCommand) writeAll(root *cobra.Command, folder string) error {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return failure.New(failure.Output, fmt.Errorf("--output: there is no folder %s", folder), "make the folder first")
	}
	files := []string{}
	for _, cmd := range withBelow(root) {
		path := filepath.Join(folder, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1")
		if err := durable.ReplaceText(path, 0o644, []byte(manual(cmd))); err != nil {
			return failure.New(failure.Output, err, "")
		}
		files = append(files, path)
	}
	if c.global.json {
		return c.writeDoc("man", manDoc{"man", files, c.exit(nil)})
	}
	c.say("%s: %s\n", folder, report.Count(len(files), "page"))
	return nil
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

// manual returns the manual page of a command, as man reads it.
func manual(cmd *cobra.Command) string {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	m := &manualPage{}
	m.line(".TH %s 1 \"\" \"eventbatch %s\" \"eventbatch\"", roff(strings.ToUpper(name)), roff(version()))
	m.line(".SH NAME\n%s \\- %s", roff(name), roff(cmd.Short))
	m.line(".SH SYNOPSIS\n.B %s", roff(synopsis(cmd)))
	m.line(".SH DESCRIPTION")
	m.text(orShort(cmd))
	if !cmd.HasParent() {
		m.whole(cmd)
		return m.String()
	}
	if cmd.HasAvailableSubCommands() {
		m.line(".SH COMMANDS")
		m.commands(cmd.Commands())
	}
	if cmd.HasAvailableLocalFlags() {
		m.line(".SH OPTIONS")
		m.flags(cmd.LocalFlags())
	}
	if cmd.HasExample() {
		m.line(".SH EXAMPLES")
		m.text(cmd.Example)
	}
	m.line(".SH SEE ALSO\n.BR %s (1)", roff(strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-")))
	return m.String()
}

// synopsis returns how a command is called.
func synopsis(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return cmd.Name() + " COMMAND"
	}
	return cmd.UseLine()
}

func orShort(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

// manualPage is a page as it is written.
type manualPage struct{ strings.Builder }

// whole writes what belongs to the program as a whole.
func (m *manualPage) whole(root *cobra.Command) {
	m.line(".SH COMMANDS")
	for _, g := range groups {
		m.line(".SS %s", g.title)
		m.commands(g.grouped(root))
	}
	m.line(".SH OPTIONS")
	m.text(aboutFlags)
	m.flags(root.PersistentFlags())
	m.line(".SH EXIT STATUS")
	for _, code := range slices.Sorted(maps.Keys(exits)) {
		m.item(fmt.Sprintf("%d %s", code, exits[code].reason), strings.ReplaceAll(exits[code].meaning, "`", ""))
	}
	m.line(".PP")
	m.text(aboutExits)
}

func (m *manualPage) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

// item writes a word and what it means.
func (m *manualPage) item(word, meaning string) {
	m.line(".TP\n.B %s\n%s", roff(word), roff(meaning))
}

func (m *manualPage) commands(list []*cobra.Command) {
	for _, cmd := range list {
		if cmd.IsAvailableCommand() {
			m.item(strings.ReplaceAll(cmd.CommandPath(), " ", "-")+"(1)", cmd.Short)
		}
	}
}

func (m *manualPage) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, about := pflag.UnquoteUsage(f)
		word := "--" + f.Name
		if f.Shorthand != "" {
			word = "-" + f.Shorthand + ", " + word
		}
		if name != "" {
			word += " " + name
		}
		m.item(word, about)
	})
}

// text writes paragraphs; lines that begin with blanks stay as they are.
func (m *manualPage) text(text string) {
	still := false
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = strings.TrimRight(line, "\n")
		indented := strings.HasPrefix(line, "  ")
		switch {
		case indented && !still:
			m.line(".nf")
		case still && !indented:
			m.line(".fi")
		}
		if still = indented; line == "" {
			m.line(".PP")
		} else {
			m.line("%s", roff(line))
		}
	}
	if still {
		m.line(".fi")
	}
}

// roff returns words as man takes them for what they are.
func roff(words string) string {
	words = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(words)
	if strings.HasPrefix(words, ".") || strings.HasPrefix(words, "'") {
		return `\&` + words
	}
	return words
}
