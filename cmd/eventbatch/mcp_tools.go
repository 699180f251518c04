package main

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/panics"
	"github.com/spf13/cobra"

	"eventbatch/batch/agents"
	"eventbatch/batch/manual"
	found "eventbatch/batch/report/finding"
)

// tool is a command that agents may call.
type tool struct {
	name     string
	needs    []string // arguments and flags that have to be there
	withheld []string // flags that are left out beside those of withheld
	document string   // that it answers with
	sends    bool
	about    string // besides what the command's own help says
}

// tools are those that mcp serves.
var tools = []tool{
	{name: "check", needs: []string{"files"}, withheld: []string{"for", "logo", "title"}, document: "check"},
	{name: "map", needs: []string{"file"}, document: "map", about: "Without output the mapping is in the answer."},
	{
		name: "plan", needs: []string{"files"}, withheld: []string{"rebind", "take-over"}, document: "run",
		about: "Nothing is sent. The answer has the plan's checksum, how many rows would be created and changed, and how many " +
			"people would be told.",
	},
	{name: "show", needs: []string{"run"}, document: "show"},
	{name: "export", needs: []string{"resources", "output"}, document: "export"},
	{name: "report", needs: []string{"run"}, withheld: []string{"since", "source"}, document: "report"},
	{
		name: "apply", needs: []string{"run", "checksum"}, withheld: []string{"fresh"}, document: "run", sends: true,
		about: "Only after a person has seen the plan. A plan that reaches people or money needs leave, which a person gives.",
	},
}

// withheld are the flags that no agent sets: they give leave, speak for a person, write over files, end later than
// their call, or are what whoever runs the server decides.
var withheld = []string{
	"allow", "yes", "adopt", "not-created", "force", "detach", "watch", "covers-from-web", "detailed-exitcode", "report", "results",
	"concurrency", "pace", "quota-share",
}

// flagPaths are the flags whose values are paths.
var flagPaths = map[string]agents.Path{
	"mapping": agents.Read, "decisions": agents.Read, "covers-from": agents.Read, "logo": agents.Read, "join": agents.Joined,
	"output": agents.Written,
}

// properties returns what an agent can say to a tool, by name.
func (c *mcpCommand) properties(t *tool, cmd *cobra.Command) map[string]agents.Property {
	all := map[string]agents.Property{}
	info := commandOf(cmd, "")
	for _, argument := range info.Arguments {
		name := strings.ToLower(argument.Name)
		if argument.Repeated {
			name += "s"
		}
		about := "path of a file below the server's folder"
		switch argument.Name {
		case "RUN":
			about = "id of a run, the beginning of it, or latest"
		case "RESOURCE":
			about = "one of " + strings.Join(argument.Words, ", ")
		}
		says := agents.Property{Flag: manual.Flag{Name: argument.Name, Type: "string", Repeated: argument.Repeated, About: about}}
		if argument.Name == "FILE" {
			says.Path = agents.Input
		}
		all[name] = says
	}
	global := flagsOf(cmd.Root(), cmd.Root().PersistentFlags())
	for _, f := range append(info.Flags, global...) {
		own := cmd.Root().PersistentFlags().Lookup(f.Name) == nil
		calendar := f.Name == "calendar" && !c.command.Flag(f.Name).Changed && rowOf(cmd).uses.service && !t.sends
		if own && !slices.Contains(slices.Concat(withheld, t.withheld), f.Name) || calendar {
			all[f.Name] = agents.Property{Flag: f, IsFlag: true, Path: flagPaths[f.Name]}
		}
	}
	return all
}

// served returns a tool as agents see it.
func (c *mcpCommand) served(t *tool, cmd *cobra.Command) (agents.Tool, error) {
	known := rowOf(cmd)
	served := agents.Tool{
		Name: t.name, About: strings.TrimSpace(about(cmd) + ". " + t.about), Says: c.properties(t, cmd), Needs: t.needs,
		Safe: repetitions[known.repeat].safe, Sends: t.sends, Asks: known.uses.service,
	}
	served.ReadOnly = known.repeat == readOnly && served.Says["output"].Name == ""
	for _, name := range []string{t.document, "end"} { // that of an end without a document of its own
		info, err := manual.DocumentNamed(name)
		if err != nil {
			return served, err
		}
		served.Answers = append(served.Answers, info.Schema)
	}
	return served, nil
}

// answer carries a call out in this process, as a command line would be.
func (c *mcpCommand) answer(
	ctx context.Context, t *agents.Tool, words func() ([]string, error), document io.Writer,
) found.Exit {
	vars := maps.Clone(c.vars)
	delete(vars, variable("allow")) // it is of mcp itself
	a := newEnv(vars, strings.NewReader(""), document, c.stderr)
	a.leash = c.grant
	var said []string
	var wrong error
	if caught := panics.Try(func() { said, wrong = words() }); caught != nil {
		wrong = &defectError{caught}
	}
	var code int
	if wrong != nil {
		cmd := named(a.root(), []string{t.Name})
		a.global.json = true
		code = a.finish(cmd, wrong)
	} else {
		args := append(append([]string{t.Name}, c.given()...), "--json")
		if t.Sends {
			args = append(args, "--yes")
		}
		code = a.do(ctx, append(args, said...))
	}
	return found.Exit{Code: code, Reason: exits[code].reason}
}
