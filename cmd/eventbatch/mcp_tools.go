package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/conc/panics"
	"github.com/spf13/cobra"

	"eventbatch/batch/manual"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/secret"
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

// Flags whose values are paths.
var (
	readPaths    = []string{"mapping", "decisions", "covers-from", "logo", "join"}
	writtenPaths = []string{"output"}
)

// mostAnswered is how long a document may be that is an answer: a client reads it as a line.
const mostAnswered = 4 << 20

// toolServer answers the calls of agents.
type toolServer struct {
	*mcpCommand

	leash *leash
	dir   string // below which files lie
	root  *os.Root
}

// property is what an agent says to a tool: an argument of its command, or a flag.
type property struct {
	manual.Flag

	flag bool
}

// properties returns what an agent can say to a tool, by name.
func (s *toolServer) properties(t *tool, cmd *cobra.Command) map[string]property {
	all := map[string]property{}
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
		all[name] = property{Flag: manual.Flag{Name: argument.Name, Type: "string", Repeated: argument.Repeated, About: about}}
	}
	global := flagsOf(cmd.Root(), cmd.Root().PersistentFlags())
	for _, f := range append(info.Flags, global...) {
		own := cmd.Root().PersistentFlags().Lookup(f.Name) == nil
		calendar := f.Name == "calendar" && !s.command.Flag(f.Name).Changed && rowOf(cmd).uses.service && !t.sends
		if own && !slices.Contains(slices.Concat(withheld, t.withheld), f.Name) || calendar {
			all[f.Name] = property{f, true}
		}
	}
	return all
}

// inputOf returns the schema of what a tool is told.
func inputOf(t *tool, properties map[string]property) *jsonschema.Schema {
	input := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, Required: t.needs,
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for name, p := range properties {
		one := &jsonschema.Schema{Type: p.Type}
		if p.Type == "string" || p.Type == "duration" || p.Type == "age" {
			one.Type, one.MinLength = "string", new(1) // an empty word would be one that is not said
		}
		if p.Repeated {
			one = &jsonschema.Schema{Type: "array", Items: one, MinItems: new(1)}
		}
		if one.Description = p.About; p.Type == "string" && p.Default != "" {
			one.Description += " (default " + p.Default + ")"
		}
		input.Properties[name] = one
	}
	return input
}

// outputOf returns the schema of what a tool answers: its document, or that of an end without one.
func outputOf(t *tool) (json.RawMessage, error) {
	var schemas []map[string]any
	shapes := map[string]any{} // which both name by their place in the whole
	for _, name := range []string{t.document, "end"} {
		info, err := schemaOf(name)
		if err != nil {
			return nil, err
		}
		var schema map[string]any
		if err := json.Unmarshal(info.Schema, &schema); err != nil {
			return nil, err
		}
		if of, ok := schema["$defs"].(map[string]any); ok {
			maps.Copy(shapes, of)
		}
		delete(schema, "$defs")
		delete(schema, "$schema") // it is the one that the protocol has
		schemas = append(schemas, schema)
	}
	return json.Marshal(map[string]any{"type": "object", "anyOf": schemas, "$defs": shapes})
}

// add serves a tool.
func (s *toolServer) add(ctx context.Context, server *mcp.Server, t *tool, root *cobra.Command) error {
	cmd, _, err := root.Find([]string{t.name})
	if err != nil {
		return err
	}
	properties := s.properties(t, cmd)
	input := inputOf(t, properties)
	resolved, err := input.Resolve(nil)
	if err != nil {
		return err
	}
	output, err := outputOf(t)
	if err != nil {
		return err
	}
	known := rowOf(cmd)
	server.AddTool(&mcp.Tool{
		Name: t.name, Description: strings.TrimSpace(about(cmd) + ". " + t.about), InputSchema: input, OutputSchema: output,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: known.repeat == readOnly && properties["output"].Name == "", IdempotentHint: repetitions[known.repeat].safe,
			DestructiveHint: &t.sends, OpenWorldHint: &known.uses.service,
		},
	}, func(call context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		call, stop := context.WithCancelCause(call)
		defer stop(nil)
		defer context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })()
		return s.answer(call, t, cmd, func() ([]string, error) {
			given := map[string]any{}
			if text := request.Params.Arguments; len(text) > 0 {
				if err := json.Unmarshal(text, &given); err != nil {
					return nil, usagef("reading the arguments: %w", err)
				}
			}
			if err := resolved.Validate(given); err != nil {
				return nil, &usageError{err: err, hint: "the tool's input schema says what it takes"}
			}
			return s.words(properties, given)
		}), nil
	})
	return nil
}

// words returns the command line of a call, behind the name of the command.
func (s *toolServer) words(properties map[string]property, given map[string]any) ([]string, error) {
	var flags, arguments []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p, values := properties[name], []any{given[name]}
		if list, ok := given[name].([]any); ok {
			values = list
		}
		for _, value := range values {
			text := fmt.Sprint(value)
			if number, ok := value.(float64); ok {
				text = strconv.FormatFloat(number, 'f', -1, 64)
			}
			if err := s.mayUse(&p, text); err != nil {
				return nil, err
			}
			if p.flag {
				flags = append(flags, "--"+p.Name+"="+text)
			} else {
				arguments = append(arguments, text)
			}
		}
	}
	return slices.Concat(flags, []string{"--"}, arguments), nil
}

// mayUse refuses a path that is not for agents.
func (s *toolServer) mayUse(p *property, text string) error {
	switch {
	case p.Name == "FILE" && secret.IsAddress(text):
		return usagef("tools read files, and no address").hinted("have a person save it to a file first")
	case p.Name == "FILE" && text == "-":
		return usagef("- is standard input, which the protocol has").hinted("name a file")
	case p.Name == "join":
		_, text, _ = strings.Cut(text, "=")
		return s.inside(text)
	case p.Name == "FILE", slices.Contains(readPaths, p.Name):
		return s.inside(text)
	case slices.Contains(writtenPaths, p.Name):
		return s.isNew(text)
	}
	return nil
}

// answer carries a call out in this process, as a command line would be.
func (s *toolServer) answer(
	ctx context.Context, t *tool, cmd *cobra.Command, words func() ([]string, error),
) *mcp.CallToolResult {
	printed := &bounded{most: mostAnswered}
	vars := maps.Clone(s.vars)
	delete(vars, variable("allow")) // it is of mcp itself
	a := newEnv(vars, strings.NewReader(""), printed, s.stderr)
	a.leash, a.global.json = s.leash, true
	var code int
	if caught := panics.Try(func() {
		said, err := words()
		if err != nil {
			code = a.finish(cmd, err)
			return
		}
		args := append(append([]string{t.name}, s.given()...), "--json")
		if t.sends {
			args = append(args, "--yes")
		}
		code = a.do(ctx, append(args, said...))
	}); caught != nil {
		printed.Reset()
		code = a.finish(cmd, &defectError{caught})
	}
	text, err := printed.compact()
	if err != nil {
		e := found.Exit{
			Code: code, Reason: exits[code].reason, Error: err.Error(), Hint: "ask for less, or have report write it to a file",
		}
		text, _ = json.Marshal(map[string]any{"format": "eventbatch/end/1", "command": t.name, "exit": e})
	}
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: text, IsError: code != exitDone,
	}
}

// bounded keeps what is written, and how much more there was.
type bounded struct {
	bytes.Buffer
	most, more int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		b.more += len(p)
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// compact returns the document that was written as one line.
func (b *bounded) compact() (json.RawMessage, error) {
	if b.more > 0 {
		return nil, fmt.Errorf("the document has %d bytes, and an answer at most %d", b.Len()+b.more, b.most)
	}
	var line bytes.Buffer
	err := json.Compact(&line, b.Bytes())
	return line.Bytes(), err
}
