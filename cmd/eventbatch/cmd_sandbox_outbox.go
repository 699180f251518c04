package main

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/failure"
)

// sandboxOutboxCommand is the command sandbox outbox.
type sandboxOutboxCommand struct {
	*app

	dir string
}

func newSandboxOutboxCommand(a *app) *cobra.Command {
	c := &sandboxOutboxCommand{app: a}
	cmd := &cobra.Command{
		Use:   "outbox",
		Short: "List what people would have received from the sandbox: every mail, push notification and refund",
		Example: `  eventbatch import guests.csv --resource guests --sandbox --yes
  eventbatch sandbox outbox`,
		Args: needNothing,
		RunE: func(*cobra.Command, []string) error { return c.run() },
	}
	cmd.Flags().StringVar(&c.dir, "dir", "", "`FOLDER` that the sandbox keeps its data in (default: that of --sandbox in the workspace)")
	return cmd
}

func (c *sandboxOutboxCommand) run() error {
	dir := c.dir
	if dir == "" {
		folder, err := c.sandboxFolder()
		if err != nil {
			return err
		}
		dir = folder
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return failure.New(
			fs.ErrNotExist, fmt.Errorf("no sandbox has kept its data in %s", dir),
			"import something with --sandbox first, or name the folder of eventbatch sandbox --dir",
		)
	}
	service, err := sandbox.New(sandbox.Config{Dir: dir, Keys: sandboxKeys(), Calendars: sandboxCalendars(), Existing: sandboxEvents()})
	if err != nil {
		return err
	}
	defer service.Close()
	outbox := service.Outbox()
	if c.global.json {
		return c.writeDoc(struct {
			Command string         `json:"command"`
			Outbox  []sandbox.Mail `json:"outbox"`
			Exit    report.Exit    `json:"exit"`
		}{"sandbox outbox", append([]sandbox.Mail{}, outbox...), c.exit(nil)})
	}
	return report.Table(c.stdout, []string{"TIME", "EFFECT", "EVENT", "PERSON", "OPERATION", "CAUSE"}, outboxLines(outbox))
}

// outboxLines returns the lines of the table.
func outboxLines(outbox []sandbox.Mail) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, m := range outbox {
			if !yield([]string{m.At.Format(time.RFC3339), string(m.Effect), m.Event, m.Person, m.Operation, m.Cause}) {
				return
			}
		}
	}
}

// sandboxFolder is where --sandbox keeps the data of the service in miniature.
func (a *app) sandboxFolder() (string, error) {
	_, err := a.localWorkspace() // which may be used
	return filepath.Join(a.global.workspace, "sandbox"), err
}
