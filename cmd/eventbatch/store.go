package main

import (
	"context"
	"os"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/postgres"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
)

// openWorkspace returns what remembers runs: the workspace, or the database that flag,
// variable or profile name.
func (a *env) openWorkspace() (journal.Store, error) {
	workspace, err := a.localWorkspace()
	if err != nil {
		return nil, err
	}
	if a.shared != nil {
		return a.shared, nil
	}
	ctx := context.Background() // of a completion
	if a.command != nil {
		ctx = a.command.Context()
	}
	address, err := a.storeAddress(ctx)
	if err != nil || address.IsZero() {
		return workspace, err
	}
	if a.db, err = a.openDatabase(ctx, address); err != nil {
		return nil, err
	}
	a.shared = postgres.OpenStore(a.db, workspace)
	return a.shared, nil
}

// openDatabase opens a store, and warns of what its address leaves open.
func (a *env) openDatabase(ctx context.Context, address secret.Secret) (*postgres.DB, error) {
	db, err := postgres.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	if db.Doubt() != "" {
		a.say("warning: %s\n", printable.Clean(db.Doubt()))
	}
	db.Hangs(func(h postgres.Hung) { a.say("warning: %s\n", printable.Clean(h.String())) })
	return db, nil
}

// localWorkspace returns the workspace of this machine.
func (a *env) localWorkspace() (*files.Workspace, error) {
	folder, err := a.workspaceFolder()
	if err != nil {
		return nil, err
	}
	workspace, err := files.OpenWorkspace(folder)
	if err != nil {
		return nil, failure.New(failure.Output, err, "")
	}
	if info, err := os.Stat(folder); err == nil && own.Shared(info) && a.doubted != folder {
		a.doubted = folder
		a.say("warning: others may write the workspace %[1]s, and what lies in it is believed: chmod go-w %[1]s\n", a.screen.Path(folder))
	}
	return workspace, nil
}

// storeAddress returns the address of the database, zero where runs lie in a folder. What is
// tried out in the sandbox lies in the database only where it is named for that.
func (a *env) storeAddress(ctx context.Context) (secret.Secret, error) {
	switch said := a.global.store; {
	case said != "" && said == a.vars[variable("store")]:
		return secret.NewPhrase(said)
	case said != "":
		return postgres.Told(said)
	case a.global.sandbox:
		return secret.Secret{}, nil
	}
	return profile.Store(ctx, a.global.Flags, a.profileEnv())
}

// closeStore gives the database up.
func (a *env) closeStore() {
	if a.shared != nil {
		_ = a.db.Close() // what was stored is
		a.shared = nil
	}
}
