package main

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/service"
	"eventbatch/mapping/own"
	"eventbatch/mapping/schema"
)

// connection is the way of a command to the service.
type connection struct {
	*service.Service
	profile *profile.Connection
	leave   []schema.Effect // to do something to people and money
}

// close gives the connection up. What a sending left behind is on disk already: this only frees files.
func (c *connection) close() { _ = c.Close() }

// connect opens the way to the service, or to the sandbox in this process.
func (a *env) connect(s *sendFlags) (*connection, error) {
	pace, share, err := s.pacing()
	if err != nil {
		return nil, err
	}
	if a.global.badDay > 0 && !a.global.sandbox {
		return nil, usagef("--bad-day: only the sandbox has bad days by a seed").hinted("add --sandbox")
	}
	config := service.Config{
		Pace: pace, Share: share, Concurrency: s.concurrency, Log: a.log, Version: version(), Answered: s.answered,
		Notice: func(words string, waits bool) {
			if waits || !a.global.quiet {
				a.screen.Aside("warning: " + words)
			}
		},
	}
	if config.Connection, err = a.loadProfile(); err != nil {
		return nil, err
	}
	if a.global.sandbox {
		config.Connection = service.Sandboxed(config.Connection, a.global.Calendar)
	}
	c := &connection{profile: config.Connection}
	if c.leave, err = s.leave(c.profile); err != nil {
		return nil, err
	}
	c.leave = a.leash.hold(c.leave)
	switch {
	case s.impatient:
		config.Patience = time.Nanosecond // even a short wait is told
	case s.yes || !report.IsTerminal(a.stdin) || !report.IsTerminal(a.stderr): // nobody sees that there is a wait, and ends it
		config.Patience = quota.LongWait(c.profile.Limits.Window)
	}
	if a.global.sandbox {
		config.Sandbox, err = a.openSandbox(c.profile)
	} else if config.Ledgers, err = a.ledgers(); err == nil {
		err = a.share(&config, s.leased)
	}
	if err != nil {
		return nil, err
	}
	if c.Service, err = service.Open(config); err != nil && config.Sandbox != nil {
		_ = config.Sandbox.Close()
	}
	return c, err
}

// openSandbox starts the service in miniature in this process, with its data in the workspace.
func (a *env) openSandbox(as *profile.Connection) (*sandbox.Service, error) {
	folder, err := a.sandboxFolder()
	if err != nil {
		return nil, err
	}
	return service.OpenSandbox(&as.Profile, folder, uint64(a.global.badDay))
}

// sandboxFolder returns where --sandbox keeps the data of the service in miniature.
func (a *env) sandboxFolder() (string, error) {
	_, err := a.localWorkspace() // which may be used
	return filepath.Join(a.global.workspace, "sandbox"), err
}

func (a *env) loadProfile() (*profile.Connection, error) {
	return profile.Load(a.global.Flags, a.profileEnv())
}

func (a *env) profileEnv() profile.Env { return profile.EnvOf(a.vars) }

// share has the quotas be shared with other machines, where runs lie in a database. Whoever is leased has the leases
// by itself.
func (a *env) share(config *service.Config, leased bool) error {
	store, err := a.openWorkspace()
	shared, is := store.(journal.Shared)
	if err != nil || !is {
		return err
	}
	config.Asks = a.db
	if !leased {
		config.Leases = shared
	}
	return nil
}

// ledgers returns the folder in which the processes of this user on this machine count their requests. Without a home that
// can be written it is the workspace's, which is said, since other workspaces do not see it.
func (a *env) ledgers() (string, error) {
	dir, why := quota.Folder(func(name string) string { return a.vars[name] })
	if dir != "" {
		return dir, nil
	}
	if _, err := a.localWorkspace(); err != nil {
		return "", err
	}
	dir = filepath.Join(a.global.workspace, "quota")
	a.say("note: %s, so requests are counted in %s, which other workspaces do not see\n", printable.Clean(why), printable.Clean(dir))
	return dir, nil
}

// findRoom has temporary files in the workspace where the machine has no folder for
// them that can be written, as an image without one.
func (a *env) findRoom() {
	temp := os.TempDir()
	if info, err := os.Stat(temp); err == nil && info.IsDir() && own.Writable(temp) {
		return
	}
	workspace, err := a.workspaceFolder()
	if err != nil || !own.Writable(workspace) {
		return
	}
	folder, err := filepath.Abs(workspace)
	if err != nil || os.MkdirAll(folder, 0o700) != nil || os.Setenv("TMPDIR", folder) != nil {
		return // who needs one will tell
	}
	a.say("note: %s cannot be written, so temporary files are in %s\n", printable.Clean(temp), printable.Clean(workspace))
}

// workspaceFolder returns the folder that remembers runs: that of the flag or its variable,
// else that of the configuration.
func (a *env) workspaceFolder() (string, error) {
	g := &a.global
	if g.workspace != "" {
		return g.workspace, nil
	}
	folder, err := profile.Workspace(g.Flags, a.profileEnv())
	if err == nil {
		g.workspace = cmp.Or(folder, ".eventbatch")
	}
	return g.workspace, err
}

// feedTransport carries what is asked of feeds and told to webhooks.
func (a *env) feedTransport() (*http.Transport, error) {
	conn, err := a.loadProfile()
	if err != nil {
		return nil, err
	}
	return api.NewTransport(api.TransportConfig{CAFile: conn.CAFile})
}

// askedAgain says why a feed is asked once more.
func (a *env) askedAgain(err error) { a.say("%s: it is asked again\n", printable.Clean(err.Error())) }
