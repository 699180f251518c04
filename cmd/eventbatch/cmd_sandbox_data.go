package main

import (
	"context"
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

func newSandboxFillCommand(a *env) *cobra.Command {
	var events int
	cmd := newBareCommand("fill", func(context.Context) error { return fillSandbox(a, events) })
	cmd.Flags().IntVar(&events, "events", 60, "`NUMBER` of events, spread over the three calendars")
	return cmd
}

// fillDoc is the document of sandbox fill.
type fillDoc struct {
	Calendars []string `json:"calendars"`
	Events    int      `json:"events"`
	Guests    int      `json:"guests"`
}

func fillSandbox(a *env, events int) error {
	if events < 1 {
		return usagef("--events: %d is not a number from 1", events)
	}
	chosen, err := a.loadProfile()
	if err != nil {
		return err
	}
	double, err := a.openSandbox(service.Sandboxed(chosen, a.global.Calendar))
	if err != nil {
		return err
	}
	defer double.Close()
	var calendars []string
	made, invited := 0, 0
	for _, season := range sandbox.Seasons(events) {
		e, g, err := double.Fill(season)
		if err != nil {
			return err
		}
		calendars, made, invited = append(calendars, season.Calendar), made+e, invited+g
	}
	if a.global.json {
		return a.writeDoc("fill", fillDoc{calendars, made, invited}, nil)
	}
	a.say("%s with %s in %s\n", report.Count(made, "new event"), report.Count(invited, "guest"), report.Count(len(calendars), "calendar"))
	return nil
}

func newSandboxOutboxCommand(a *env) *cobra.Command {
	var dir string
	cmd := newBareCommand("outbox", func(context.Context) error { return showOutbox(a, dir) })
	cmd.Flags().StringVar(&dir, "dir", "", "`FOLDER` that the sandbox keeps its data in (default: that of --sandbox in the workspace)")
	return cmd
}

// outboxDoc is the document of sandbox outbox.
type outboxDoc struct {
	Outbox []sandbox.Mail `json:"outbox"`
}

func showOutbox(a *env, dir string) error {
	if dir == "" {
		var err error
		if dir, err = a.sandboxFolder(); err != nil {
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
	if a.global.json {
		return a.writeDoc("outbox", outboxDoc{append([]sandbox.Mail{}, outbox...)}, nil)
	}
	header := []string{"TIME", "EFFECT", "EVENT", "PERSON", "OPERATION", "CAUSE"}
	return report.TableOf(a.stdout, header, outbox, func(m sandbox.Mail) []string {
		return []string{m.At.Format(time.RFC3339), string(m.Effect), m.Event, m.Person, m.Operation, m.Cause}
	})
}
