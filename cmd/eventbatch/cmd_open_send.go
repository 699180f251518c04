package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/cmd/eventbatch/desk"
	"eventbatch/mapping/schema"
)

// sending returns how the page plans and sends.
func (c *openCommand) sending() desk.Sending {
	pace := c.flagWords(new(sendFlags).registerPace)
	return desk.Sending{
		Allow: c.send.allow, Part: c.reading.part() != "", Pace: pace,
		Flags: slices.Concat(c.flagWords(new(readingFlags).register), c.flagWords(new(planFlags).registerPage), pace),
		Plan: func(ctx context.Context, words ...string) []byte {
			var text bytes.Buffer
			c.leashed(ctx, nil, &text, io.Discard, words)
			return text.Bytes()
		},
		Send: c.sends,
		Line: func(words ...string) string {
			last := len(words) - 1
			var line strings.Builder
			line.WriteString(c.resumeCommand(words[0], quoted(words[last])))
			for _, word := range words[1:last] {
				if word != "--" {
					line.WriteString(" " + quoted(word))
				}
			}
			return line.String()
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
		if json.Unmarshal(line, &read) == nil && read.Event == progressEvent {
			l.said = time.Now()
			l.command.say("%s\n", read.Msg)
		}
	}
	return l.to.Write(line)
}
