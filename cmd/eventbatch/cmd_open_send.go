package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"eventbatch/batch/eventlog"
	"eventbatch/batch/live"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/cmd/eventbatch/desk"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// sending returns how the page plans and sends; the file is empty where it is about none.
func (c *openCommand) sending(file string) desk.Sending {
	rows, _ := mapping.ParseRowSet(c.reading.rows) // which was checked
	pace := c.wordsAlso(new(sendFlags).registerPace)
	return desk.Sending{
		To: c.target(), Allow: c.send.allow, Rows: rows, Limit: c.reading.limit != 0, Pace: pace, Fresh: live.Fresh,
		Flags: slices.Concat(c.wordsAlso(new(readingFlags).register), c.wordsAlso(new(planFlags).registerPage), pace),
		Plan: func(ctx context.Context, words ...string) []byte {
			var text bytes.Buffer
			c.leashed(ctx, nil, &text, io.Discard, words)
			return text.Bytes()
		},
		Send: c.sends,
		Line: func(words ...string) string {
			last := len(words) - 1
			var line strings.Builder
			line.WriteString(c.resumeCommand(words[0], spelling.Quoted(words[last])))
			for _, word := range words[1:last] {
				if word != "--" {
					line.WriteString(" " + spelling.Quoted(word))
				}
			}
			return line.String()
		},
		Open: func(effects ...string) string {
			words := c.flagsOfItsOwn("--allow", "--no-browser") + " --allow " + strings.Join(slices.Concat(c.send.allow, effects), ",")
			if file != "" {
				words = spelling.Quoted(file) + words
			}
			return c.resumeCommand("open", strings.TrimSpace(words))
		},
		Folder: func(sum string) (string, error) {
			folder, err := c.folder()
			if err != nil {
				return "", err
			}
			return desk.MakeFolder(folder, sum)
		},
	}
}

// target says behind the name of a file what it is planned against and sent to. What is wrong with a profile is said where one
// plans.
func (c *openCommand) target() string {
	words := " · sandbox on this machine"
	if !c.global.sandbox {
		p, err := c.loadProfile()
		if err != nil {
			return ""
		}
		words = " · " + cmp.Or(p.Name, p.BaseURL, "no profile")
	}
	if c.global.Calendar != "" {
		words += " · " + c.global.Calendar
	}
	return words
}

// folder returns where the page keeps what is done to files.
func (c *openCommand) folder() (string, error) {
	workspace, err := c.workspaceFolder()
	return filepath.Join(workspace, "desk"), err
}

// agreement is what stands for a person's consent, which the page alone gives.
var agreement = []string{"allow", "yes"}

// leashed carries a command out in this process, with leave to these effects and to no others.
func (c *openCommand) leashed(ctx context.Context, allow []string, out, log io.Writer, words []string) {
	vars := maps.Clone(c.vars)
	for _, name := range agreement {
		delete(vars, variable(name))
	}
	a := newEnv(vars, strings.NewReader(""), out, log)
	a.leash, a.eager = &leash{lacks: "to which nobody has agreed on the page"}, true
	for _, effect := range allow {
		a.leash.allow = append(a.leash.allow, schema.Effect(effect))
	}
	a.do(ctx, slices.Concat(words[:1], c.given(), []string{"--json", "--quiet=false", "--verbose=false", "--log-format=json"}, words[1:]))
}

// sends carries a command out that sends, and says on the terminal how far it is.
func (c *openCommand) sends(ctx context.Context, lines io.Writer, allow []string, words ...string) []byte {
	stopped, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() { stop(&interruptedError{signal: syscall.SIGINT}) })()
	var text bytes.Buffer
	c.say("run %s is sent, as was agreed to on the page; Ctrl-C stops it, and what has left is recorded\n", words[len(words)-1])
	c.leashed(stopped, allow, &text, &sayingLines{to: lines, command: c, said: time.Now()}, words)
	var doc struct {
		Rows map[found.Status]int
		Exit found.Exit
	}
	if err := json.Unmarshal(text.Bytes(), &doc); err == nil && !c.global.quiet {
		if len(doc.Rows) > 0 {
			c.screen.Done(report.DoneWords{Rows: doc.Rows})
		}
		if doc.Exit.Error != "" {
			c.say("%s\n", printable.Clean(doc.Exit.Error))
		}
	}
	return text.Bytes()
}

// sayingLines says on the terminal, now and then, what a log says of the progress.
type sayingLines struct {
	to      io.Writer
	command *openCommand
	said    time.Time
}

// sayEvery is how often.
const sayEvery = 10 * time.Second

func (l *sayingLines) Write(line []byte) (int, error) {
	if time.Since(l.said) > sayEvery {
		var read struct{ Msg, Event string }
		if json.Unmarshal(line, &read) == nil && read.Event == eventlog.OfProgress {
			l.said = time.Now()
			l.command.say("%s\n", read.Msg)
		}
	}
	return l.to.Write(line)
}
