package main

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"eventbatch/batch/agents"
	"eventbatch/batch/profile"
	"eventbatch/mapping/schema"
)

type mcpCommand struct {
	*env

	apply bool
	send  sendFlags // of the leave
	grant *leash    // that agents have
}

func newMCPCommand(a *env) *cobra.Command {
	c := &mcpCommand{env: a}
	cmd := newBareCommand("mcp", func(ctx context.Context) error { return c.run(ctx, a.command.Root()) })
	cmd.Flags().BoolVar(&c.apply, "apply", false, "serve apply too, which sends a plan by its checksum")
	c.send.registerAllow(cmd.Flags())
	return cmd
}

// leash is the leave that others than whoever gave the command have, whoever has planned what they send: agents, and
// those who click on a page.
type leash struct {
	allow []schema.Effect
	lacks string // what is to be said of the effects that are not among these
}

// hold returns the leave that is left of what the command line and the profile give.
func (l *leash) hold(given []schema.Effect) []schema.Effect {
	if l == nil {
		return given
	}
	return slices.DeleteFunc(given, func(e schema.Effect) bool { return !slices.Contains(l.allow, e) })
}

// agentWords are what an agent is told before it calls a tool.
const agentWords = `eventbatch brings rows of spreadsheets to an event platform. Check a file, mend it until check finds nothing, ` +
	`then plan it, and read the plan: rows, changes and effects say what would become of each row, and how many people would be ` +
	`told. Show it to a person. Apply sends that plan and no other, by its checksum. exit.code is 0 where all went well; else ` +
	`exit.error says why and exit.hint what to do. What was interrupted goes on by the same call. Never touch the workspace's files.`

func (c *mcpCommand) run(ctx context.Context, root *cobra.Command) error {
	if c.global.json {
		return usagef("standard output is for the protocol, and no document").hinted("leave --json out")
	}
	allow, err := c.send.leave(&profile.Connection{})
	if err != nil {
		return err
	}
	if len(allow) > 0 && !c.apply {
		return usagef("--allow gives leave to apply, which is not served").hinted("add --apply, or leave --allow out")
	}
	c.grant = &leash{allow, "to which agents have no leave here"}
	config := agents.Config{Name: "eventbatch", Title: about(root), Version: version(), Words: agentWords, Run: c.answer}
	if config.Folder, err = os.Getwd(); err != nil {
		return err
	}
	if config.Workspace, err = c.workspaceFolder(); err != nil {
		return err
	}
	for i := range tools {
		t := &tools[i]
		if t.sends && !c.apply {
			continue
		}
		tool, err := c.served(t, named(root, []string{t.name}))
		if err != nil {
			return err
		}
		config.Tools = append(config.Tools, tool)
	}
	return because(ctx, agents.Serve(ctx, config, c.stdin, c.stdout))
}
