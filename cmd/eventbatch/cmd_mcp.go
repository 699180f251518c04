package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"eventbatch/batch/profile"
	"eventbatch/mapping/schema"
)

type mcpCommand struct {
	*env

	apply bool
	send  sendFlags // of the leave
}

func newMCPCommand(a *env) *cobra.Command {
	c := &mcpCommand{env: a}
	cmd := &cobra.Command{
		Use:  "mcp",
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context(), cmd.Root()) },
	}
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
	s := &toolServer{mcpCommand: c, leash: &leash{allow, "to which agents have no leave here"}}
	if s.dir, err = os.Getwd(); err != nil {
		return err
	}
	if s.root, err = os.OpenRoot(s.dir); err != nil {
		return err
	}
	defer s.root.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	server := mcp.NewServer(
		&mcp.Implementation{Name: "eventbatch", Title: about(root), Version: version()},
		&mcp.ServerOptions{Instructions: agentWords, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}},
	)
	for i := range tools {
		t := &tools[i]
		if t.sends && !c.apply {
			continue
		}
		if err := s.add(ctx, server, t, root); err != nil {
			return err
		}
	}
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(c.stdin), Writer: unclosed{c.stdout}})
	return because(ctx, err)
}

// unclosed is standard output, which the protocol does not close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// inside refuses a path that does not lie below the folder of the server.
func (s *toolServer) inside(path string) error {
	local := path
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(s.dir, path); err == nil {
			local = rel
		}
	}
	if filepath.IsLocal(local) {
		_, err := s.root.Stat(local)
		if e, ok := errors.AsType[*fs.PathError](err); !ok || isMissing(e) {
			return nil // or the command itself tells
		}
	}
	return usagef("%s does not lie below %s", path, s.dir).hinted("name a file below it, or have a person put it there")
}

// isNew refuses a path at which a tool must not write: of a file that is there, or that others read by its place.
func (s *toolServer) isNew(path string) error {
	if err := s.inside(path); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return usagef("%s exists", path).hinted("name a new file")
	}
	workspace, err := s.workspaceFolder()
	if err != nil {
		return err
	}
	of, missing := os.Stat(workspace)
	for folder := filepath.Clean(path); ; folder = filepath.Dir(folder) {
		name := filepath.Base(folder)
		info, err := os.Stat(folder)
		if hidden := strings.HasPrefix(name, ".") && name != "."; hidden || err == nil && missing == nil && os.SameFile(info, of) {
			return usagef("%s is not for tools to write", path).hinted("name a file outside of hidden folders and of the workspace")
		}
		if folder == filepath.Dir(folder) || folder == "." {
			return nil
		}
	}
}
