package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"eventbatch/batch/journal"
	"eventbatch/batch/postgres"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

func (a *app) storeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Make the database that remembers runs, or look into it",
		Long: `Runs lie in the workspace, a folder of this machine. With --store, or the profile's
store, they lie in a PostgreSQL database (15 or later), so that a run is not lost with a
machine: plan, import, apply, retry, undo, sync, runs, show and report then work from any.

The address has no password: PGPASSFILE has it, the service file, or the variable that the
profile names. One schema is one store: eventbatch, unless the address says search_path.`,
		Example: `  eventbatch store migrate --store 'postgres://events@db.example.com/agency?sslmode=verify-full'
  eventbatch store check
  eventbatch import events.csv --store postgres://events@localhost/agency`,
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "migrate",
			Short: "Make the store, or bring it up to what this program knows",
			Args:  needNothing,
			RunE:  func(cmd *cobra.Command, _ []string) error { return a.storeMigrate(cmd.Context()) },
		},
		&cobra.Command{
			Use:   "check",
			Short: "Try the connection, and read every run of the store",
			Args:  needNothing,
			RunE:  func(*cobra.Command, []string) error { return a.storeCheck() },
		},
	)
	return cmd
}

// namedStore returns the address of the database: there has to be one.
func (a *app) namedStore(ctx context.Context) (secret.Secret, error) {
	address, err := a.storeAddress(ctx)
	if err == nil && address.IsZero() {
		err = failure.New(failure.Usage, errors.New("nothing names a database"), "give --store postgres://…, or a store in the profile")
	}
	return address, err
}

// storeDoc is what the commands say of a store.
type storeDoc struct {
	Command string      `json:"command"`
	From    int         `json:"from,omitempty"`
	Version int         `json:"version,omitempty"`
	Runs    int         `json:"runs"`
	Exit    report.Exit `json:"exit"`
}

func (a *app) storeMigrate(ctx context.Context) error {
	address, err := a.namedStore(ctx)
	if err != nil {
		return err
	}
	from, to, err := postgres.Migrate(ctx, address)
	if err != nil {
		return err
	}
	switch {
	case a.global.json:
		return a.writeDoc(storeDoc{Command: "store migrate", From: from, Version: to, Exit: a.exit(nil)})
	case from == to:
		a.say("the store is of version %d already\n", to)
	case from == 0:
		a.say("the store is made, of version %d\n", to)
	default:
		a.say("the store was of version %d, and is of version %d\n", from, to)
	}
	return nil
}

func (a *app) storeCheck() error {
	if _, err := a.namedStore(a.command.Context()); err != nil {
		return err
	}
	store, err := a.openWorkspace()
	if err != nil {
		return err
	}
	runs, err := store.Runs()
	if err != nil {
		return err
	}
	for i := range runs {
		if err := readWhole(store, &runs[i]); err != nil {
			return err
		}
	}
	if a.global.json {
		return a.writeDoc(storeDoc{Command: "store check", Runs: len(runs), Exit: a.exit(nil)})
	}
	a.say("the store can be used, and its %s can be read\n", report.Count(len(runs), "run"))
	return nil
}

// readWhole reads all that a store has of a run.
func readWhole(store journal.Store, s *journal.Summary) error {
	if s.Err != nil {
		return s.Err
	}
	run, err := store.Find(s.ID)
	if err != nil {
		return err
	}
	for _, err := range run.Ops() {
		if err != nil && !errors.Is(err, journal.ErrDropped) {
			return err
		}
	}
	return nil
}
