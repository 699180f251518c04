package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/install"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
)

type syncInstallCommand struct {
	*env

	at       string
	timezone string
	user     string
	image    string
}

func newSyncInstallCommand(a *env) *cobra.Command {
	c := &syncInstallCommand{env: a}
	args := func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 || !slices.Contains(install.Kinds, args[0]):
			cmd.ValidArgs = install.Kinds // only now: the shell is offered more than these
			return needOneOf("a word: what runs the sync")(cmd, args[:min(1, len(args))])
		case len(args) != 2:
			return usagef("sync install needs the name of one sync")
		}
		return nil
	}
	use := "install " + strings.Join(install.Kinds, "|") + " NAME"
	cmd := newCommand(use, args, func(_ context.Context, args []string) error { return c.run(args[0], args[1]) })
	cmd.ValidArgsFunction = offersAfter(func(before []string) []string {
		switch len(before) {
		case 0:
			return install.Kinds
		case 1:
			return syncsOffered(a)
		}
		return nil
	})
	f := cmd.Flags()
	f.StringVar(&c.at, "at", "03:00", "`TIME` of day to run at")
	f.StringVar(&c.timezone, "timezone", "", "time `ZONE` of --at, such as Europe/Paris (default: this machine's)")
	f.StringVar(&c.user, "user", "", "`USER` to run as (default: whom the workspace belongs to)")
	f.StringVar(&c.image, "image", "", "`IMAGE` of a container that holds eventbatch, for github and kubernetes")
	return cmd
}

// installDoc is the document of sync install.
type installDoc struct {
	Kind string `json:"kind"`
	Sync string `json:"sync"`
	Text string `json:"text"`
}

func (c *syncInstallCommand) run(kind, name string) error {
	syncs, err := profile.Syncs(c.global.Flags, c.profileEnv())
	if err != nil {
		return err
	}
	sync := profile.SyncNamed(syncs, name)
	if sync == nil {
		return noSync("sync", name, namesOf(syncs))
	}
	job, err := c.job(kind, sync)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := install.Write(&text, kind, job); err != nil {
		return &usageError{err: err}
	}
	if c.global.json {
		return c.writeDoc("install", installDoc{kind, name, text.String()}, nil)
	}
	_, err = fmt.Fprint(c.stdout, text.String())
	return err
}

// job returns what is to be run: the program, the folder and the connection of this
// command, at the time that the flags say.
func (c *syncInstallCommand) job(kind string, sync *profile.Sync) (job install.Job, err error) {
	job = install.Job{Sync: sync.Name, Image: c.image, Schedule: install.Schedule{Now: time.Now()}}
	if job.At, err = install.ParseClock(c.at); err != nil {
		return job, usagef("--at: %q: %w", c.at, err)
	}
	if job.Zone, err = install.Zone(c.timezone, c.vars["TZ"]); err != nil {
		return job, err
	}
	if job.Flags, err = c.connectionGiven(install.Contained(kind)); err != nil {
		return job, err
	}
	if install.Contained(kind) && c.image == "" {
		return job, usagef("%s runs an image, and none is named", kind).
			hinted("say --image with where it is to be had; .container/Containerfile in the repository makes one")
	}
	workspace, err := c.workspaceFolder()
	if err != nil {
		return job, err
	}
	if job.Host, err = install.Here(workspace, c.user); err != nil {
		return job, err
	}
	job.Variables, err = c.variables(sync)
	return job, err
}

// connectionGiven returns the flags that say whom the sync is sent to, those that stand in
// a variable included. In a container there are no files of this machine.
func (c *syncInstallCommand) connectionGiven(contained bool) ([]string, error) {
	var words []string
	if c.global.sandbox {
		words = append(words, "--sandbox")
	}
	for _, name := range slices.Sorted(maps.Keys(connectionFlags)) {
		value := cmp.Or(c.command.Flag(name).Value.String(), c.vars[variable(name)])
		if value == "" {
			continue
		}
		switch name {
		case "config", "ca-file", "key-file":
			path, err := filepath.Abs(value)
			if err != nil {
				return nil, err
			}
			value = path
			fallthrough
		case "key-command":
			if contained {
				return nil, usagef("--%s is of this machine, and not there where the image is run", name).
					hinted("have it in eventbatch.yaml")
			}
		}
		words = append(words, "--"+name, value)
	}
	return words, nil
}

// variables returns those from which the connection takes its keys, and the sync the addresses
// and words that it keeps secret.
func (c *syncInstallCommand) variables(sync *profile.Sync) ([]string, error) {
	refs := sync.References()
	if !c.global.sandbox {
		c.global.Profile = cmp.Or(c.global.Profile, sync.Profile)
		conn, err := c.loadProfile()
		if err == nil {
			err = conn.Ready()
		}
		if err != nil {
			return nil, err
		}
		var keys []secret.Ref
		for _, key := range conn.Keys {
			keys = append(keys, key.From)
		}
		refs = append(keys, refs...)
	}
	return secret.Variables(refs), nil
}
