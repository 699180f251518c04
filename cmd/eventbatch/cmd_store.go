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

func newStoreCommand(a *env) *cobra.Command {
	cmd := newBareCommand("store", func(context.Context) error { return a.command.Help() })
	cmd.AddCommand(
		newBareCommand("migrate", func(ctx context.Context) error { return migrateStore(ctx, a) }),
		newBareCommand("check", func(ctx context.Context) error { return checkStore(ctx, a) }),
		newCommand("copy FROM TO", needTwoStores, func(ctx context.Context, args []string) error { return copyStore(ctx, a, args) }),
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

func migrateStore(ctx context.Context, a *env) error {
	address, err := namedStore(ctx, a)
	if err != nil {
		return err
	}
	from, to, err := postgres.Migrate(ctx, address)
	if err != nil {
		return err
	}
	db, err := a.openDatabase(ctx, address)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := work.Migrate(ctx, db); err != nil {
		return err
	}
	switch {
	case a.global.json:
		return a.writeDoc("store", storeDoc{From: from, Version: to}, nil)
	case from == to:
		a.say("the store is of version %d already\n", to)
	case from == 0:
		a.say("the store is made, of version %d\n", to)
	default:
		a.say("the store was of version %d, and is of version %d\n", from, to)
	}
	return nil
}

func checkStore(ctx context.Context, a *env) error {
	a.tells()
	if _, err := namedStore(ctx, a); err != nil {
		return err
	}
	store, err := a.openWorkspace()
	if err != nil {
		return err
	}
	risks, err := a.db.Risks()
	if err == nil {
		err = work.Check(ctx, a.db)
	}
	if err != nil {
		return err
	}
	runs, err := journal.ReadWhole(store)
	if err != nil {
		return err
	}
	if err := a.db.Fits(); err != nil {
		return err
	}
	if a.global.json {
		return a.writeDoc("store", storeDoc{Runs: runs, Risks: risks}, nil)
	}
	for _, risk := range risks {
		a.tell("warning: %s\n", risk)
	}
	a.tell("the store can be used, and its %s can be read\n", report.Count(runs, "run"))
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

func copyStore(ctx context.Context, a *env, names []string) error {
	var stores [2]journal.Store
	for i, named := range names {
		store, closed, err := openStore(ctx, a, named)
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
	if a.global.json {
		return a.writeDoc("store", storeDoc{Runs: done.Runs, Copied: done.New}, nil)
	}
	a.say("%s copied, and %s the same in both\n", report.Count(done.New, "run"), report.Number(done.Runs))
	return nil
}

// openStore opens the store that an argument names: a folder, or a database.
func openStore(ctx context.Context, a *env, named string) (store journal.Store, closed func(), err error) {
	if !strings.Contains(named, "://") {
		store, err = files.OpenWorkspace(named)
		return store, func() {}, err
	}
	address, err := postgres.Told(named)
	if err != nil {
		return nil, nil, err
	}
	local, err := a.localWorkspace()
	if err != nil {
		return nil, nil, err
	}
	db, err := a.openDatabase(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	shared := postgres.OpenStore(db, local)
	return shared, func() { _ = shared.Close() }, nil // what was stored is
}
