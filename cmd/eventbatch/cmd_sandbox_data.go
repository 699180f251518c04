package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
)

type sandboxFillCommand struct {
	*env

	events int
}

func newSandboxFillCommand(a *env) *cobra.Command {
	c := &sandboxFillCommand{env: a}
	cmd := &cobra.Command{
		Use:  "fill",
		Args: needNothing,
		RunE: func(*cobra.Command, []string) error { return c.run() },
	}
	cmd.Flags().IntVar(&c.events, "events", 60, "`NUMBER` of events, spread over the three calendars")
	return cmd
}

// fillDoc is the document of sandbox fill.
type fillDoc struct {
	Calendars []string `json:"calendars"`
	Events    int      `json:"events"`
	Guests    int      `json:"guests"`
}

func (c *sandboxFillCommand) run() error {
	if c.events < 1 {
		return usagef("--events: %d is not a number from 1", c.events)
	}
	chosen, err := c.loadProfile()
	if err != nil {
		return err
	}
	double, err := c.openSandbox(service.Sandboxed(chosen, c.global.Calendar))
	if err != nil {
		return err
	}
	defer double.Close()
	var calendars []string
	made, invited := 0, 0
	for _, season := range sandbox.Seasons(c.events) {
		e, g, err := double.Fill(season)
		if err != nil {
			return err
		}
		calendars, made, invited = append(calendars, season.Calendar), made+e, invited+g
	}
	if c.global.json {
		return c.writeDoc("fill", fillDoc{calendars, made, invited}, nil)
	}
	c.say("%s with %s in %s\n", report.Count(made, "new event"), report.Count(invited, "guest"), report.Count(len(calendars), "calendar"))
	return nil
}

type sandboxOutboxCommand struct {
	*env

	dir string
}

func newSandboxOutboxCommand(a *env) *cobra.Command {
	c := &sandboxOutboxCommand{env: a}
	cmd := &cobra.Command{
		Use:  "outbox",
		Args: needNothing,
		RunE: func(*cobra.Command, []string) error { return c.run() },
	}
	cmd.Flags().StringVar(&c.dir, "dir", "", "`FOLDER` that the sandbox keeps its data in (default: that of --sandbox in the workspace)")
	return cmd
}

// outboxDoc is the document of sandbox outbox.
type outboxDoc struct {
	Outbox []sandbox.Mail `json:"outbox"`
}

func (c *sandboxOutboxCommand) run() error {
	dir := c.dir
	if dir == "" {
		var err error
		if dir, err = c.sandboxFolder(); err != nil {
			return err
		}
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return failure.New(
			fs.ErrNotExist, fmt.Errorf("no sandbox has kept its data in %s", dir),
			"import something with --sandbox first, or name the folder of eventbatch sandbox --dir",
		)
	}
	double, err := sandbox.New(sandbox.BuiltIn(dir))
	if err != nil {
		return err
	}
	defer double.Close()
	outbox := double.Outbox()
	if c.global.json {
		return c.writeDoc("outbox", outboxDoc{append([]sandbox.Mail{}, outbox...)}, nil)
	}
	header := []string{"TIME", "EFFECT", "EVENT", "PERSON", "OPERATION", "CAUSE"}
	return report.TableOf(c.stdout, header, outbox, func(m sandbox.Mail) []string {
		return []string{m.At.Format(time.RFC3339), string(m.Effect), m.Event, m.Person, m.Operation, m.Cause}
	})
}
