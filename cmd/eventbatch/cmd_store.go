package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/night"
	"eventbatch/batch/postgres"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/batch/source"
	"eventbatch/batch/work"
	"eventbatch/mapping/failure"
)

type storeCommand struct{ *env }

func newStoreCommand(a *env) *cobra.Command {
	c := &storeCommand{a}
	cmd := &cobra.Command{
		Use:  "store",
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:  "migrate",
			Args: needNothing,
			RunE: func(cmd *cobra.Command, _ []string) error { return c.migrate(cmd.Context()) },
		},
		&cobra.Command{
			Use:  "check",
			Args: needNothing,
			RunE: func(cmd *cobra.Command, _ []string) error { return c.check(cmd.Context()) },
		},
		&cobra.Command{
			Use:  "copy FROM TO",
			Args: needTwoStores,
			RunE: func(cmd *cobra.Command, args []string) error { return c.copy(cmd.Context(), args[0], args[1]) },
		},
	)
	return cmd
}

// namedStore returns the address of the database: there has to be one.
func namedStore(ctx context.Context, a *env) (secret.Secret, error) {
	address, err := a.storeAddress(ctx)
	if err == nil && address.IsZero() {
		err = failure.New(failure.Usage, errors.New("nothing names a database"), "give --store postgres://…, or a store in the profile")
	}
	return address, err
}

// storeDoc is what the commands say of a store.
type storeDoc struct {
	From    int      `json:"from,omitempty"`
	Version int      `json:"version,omitempty"`
	Runs    int      `json:"runs"`
	Copied  int      `json:"copied,omitempty"`
	Risks   []string `json:"risks,omitempty"` // of losing what was stored, and of too little room
}

func (c *storeCommand) migrate(ctx context.Context) error {
	address, err := namedStore(ctx, c.env)
	if err != nil {
		return err
	}
	from, to, err := postgres.Migrate(ctx, address)
	if err != nil {
		return err
	}
	db, err := c.openDatabase(ctx, address)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := work.Migrate(ctx, db); err != nil {
		return err
	}
	switch {
	case c.global.json:
		return c.writeDoc("store", storeDoc{From: from, Version: to}, nil)
	case from == to:
		c.say("the store is of version %d already\n", to)
	case from == 0:
		c.say("the store is made, of version %d\n", to)
	default:
		c.say("the store was of version %d, and is of version %d\n", from, to)
	}
	return nil
}

func (c *storeCommand) check(ctx context.Context) error {
	c.tells()
	if _, err := namedStore(ctx, c.env); err != nil {
		return err
	}
	store, err := c.openWorkspace()
	if err != nil {
		return err
	}
	risks, err := c.db.Risks()
	if err == nil {
		err = work.Check(ctx, c.db)
	}
	if err != nil {
		return err
	}
	runs, err := journal.ReadWhole(store)
	if err != nil {
		return err
	}
	if err := c.db.Fits(); err != nil {
		return err
	}
	if c.global.json {
		return c.writeDoc("store", storeDoc{Runs: runs, Risks: risks}, nil)
	}
	for _, risk := range risks {
		c.tell("warning: %s\n", risk)
	}
	c.tell("the store can be used, and its %s can be read\n", report.Count(runs, "run"))
	return nil
}

// needTwoStores asks for a store to copy from, and one to copy to.
func needTwoStores(cmd *cobra.Command, args []string) error {
	if len(args) == 2 {
		return nil
	}
	return usagef("%s needs two stores: the one that has the runs, and the one that gets them", below(cmd)).
		hinted("each is a workspace, or the address of a database")
}

func (c *storeCommand) copy(ctx context.Context, from, to string) error {
	var stores [2]journal.Store
	for i, named := range []string{from, to} {
		store, closed, err := c.open(ctx, named)
		if err != nil {
			return err
		}
		defer closed()
		stores[i] = store
	}
	done, err := journal.Copy(ctx, stores[0], stores[1], source.Kind)
	if err == nil {
		err = night.Copy(night.StoreOf(stores[0]), night.StoreOf(stores[1]))
	}
	if err != nil {
		return err
	}
	if c.global.json {
		return c.writeDoc("store", storeDoc{Runs: done.Runs, Copied: done.New}, nil)
	}
	c.say("%s copied, and %s the same in both\n", report.Count(done.New, "run"), report.Number(done.Runs))
	return nil
}

// open opens the store that an argument names: a folder, or a database.
func (c *storeCommand) open(ctx context.Context, named string) (store journal.Store, closed func(), err error) {
	if !strings.Contains(named, "://") {
		store, err = files.OpenWorkspace(named)
		return store, func() {}, err
	}
	address, err := postgres.Told(named)
	if err != nil {
		return nil, nil, err
	}
	local, err := c.localWorkspace()
	if err != nil {
		return nil, nil, err
	}
	db, err := c.openDatabase(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	shared := postgres.OpenStore(db, local)
	return shared, func() { _ = shared.Close() }, nil // what was stored is
}
