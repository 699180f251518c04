// Package agents serves tools to an agent, by the Model Context Protocol.
//
// A [Tool] is a command of which some is left to the agent: what it says is checked against the schema of that, becomes words
// of a command line, and is answered with the document that the command prints. Files that it names lie below one folder, and
// those that it has written are new.
package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"eventbatch/batch/manual"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
)

// Tool is what agents may call.
type Tool struct {
	Name    string
	About   string
	Says    map[string]Property // what an agent can say to it, by name
	Needs   []string            // what it has to say
	Answers []json.RawMessage   // the schemas of its documents
	// ReadOnly writes nothing, a second call of one that is Safe does no harm, Sends reaches people, and Asks the service.
	ReadOnly, Safe, Sends, Asks bool
}

// Property is what an agent says to a tool: an argument of its command, or a flag.
type Property struct {
	manual.Flag

	IsFlag bool
	Path   Path
}

// Path is what a value has to do with a file.
type Path int

const (
	NoPath Path = iota
	Input       // a file of rows
	Read
	Joined // with a name before it, as --join has it
	Written
)

// Config is what a server serves.
type Config struct {
	Name, Title, Version string
	Words                string // what an agent is told before it calls a tool
	Folder               string // below which files lie
	Workspace            string // where no tool writes
	Tools                []Tool
	// Run carries the words of a command out, or ends it with the error of what was said, and prints its document. A defect ends
	// the call, and not the server, also where the words are found.
	Run func(ctx context.Context, t *Tool, words func() ([]string, error), document io.Writer) found.Exit
}

// mostAnswered is how long a document may be that is an answer: a client reads it as a line.
const mostAnswered = 4 << 20

// server answers the calls of agents.
type server struct {
	Config

	root *os.Root // the folder
}

// Serve answers calls until the agent goes away.
func Serve(ctx context.Context, config Config, in io.Reader, out io.Writer) error {
	root, err := os.OpenRoot(config.Folder)
	if err != nil {
		return err
	}
	defer root.Close()
	s := &server{config, root}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	serving := mcp.NewServer(
		&mcp.Implementation{Name: s.Name, Title: s.Title, Version: s.Version},
		&mcp.ServerOptions{Instructions: s.Words, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}},
	)
	for i := range s.Tools {
		if err := s.add(ctx, serving, &s.Tools[i]); err != nil {
			return err
		}
	}
	return serving.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
}

// unclosed is standard output, which the protocol does not close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// add serves a tool.
func (s *server) add(ctx context.Context, serving *mcp.Server, t *Tool) error {
	input := t.input()
	resolved, err := input.Resolve(nil)
	if err != nil {
		return err
	}
	output, err := t.output()
	if err != nil {
		return err
	}
	serving.AddTool(&mcp.Tool{
		Name: t.Name, Description: t.About, InputSchema: input, OutputSchema: output,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.ReadOnly, IdempotentHint: t.Safe, DestructiveHint: &t.Sends, OpenWorldHint: &t.Asks,
		},
	}, func(call context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		call, stop := context.WithCancelCause(call)
		defer stop(nil)
		defer context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })()
		return s.answer(call, t, func() ([]string, error) {
			given := map[string]any{}
			if text := request.Params.Arguments; len(text) > 0 {
				if err := json.Unmarshal(text, &given); err != nil {
					return nil, refused(inSchema, "reading the arguments: %w", err)
				}
			}
			if err := resolved.Validate(given); err != nil {
				return nil, refused(inSchema, "%w", err)
			}
			return s.words(t, given)
		}), nil
	})
	return nil
}

const inSchema = "the tool's input schema says what it takes"

// refused returns an error of what an agent has said, with what to say instead.
func refused(hint, format string, args ...any) error {
	return failure.New(failure.Usage, fmt.Errorf(format, args...), hint)
}

// input returns the schema of what the tool is told.
func (t *Tool) input() *jsonschema.Schema {
	input := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{}, Required: t.Needs,
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for name, p := range t.Says {
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

// output returns the schema of what the tool answers: one of its documents.
func (t *Tool) output() (json.RawMessage, error) {
	var schemas []map[string]any
	shapes := map[string]any{} // which all name by their place in the whole
	for _, text := range t.Answers {
		var schema map[string]any
		if err := json.Unmarshal(text, &schema); err != nil {
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

// words returns the command line of a call, behind the name of the command.
func (s *server) words(t *Tool, given map[string]any) ([]string, error) {
	var flags, arguments []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p, values := t.Says[name], []any{given[name]}
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
			if p.IsFlag {
				flags = append(flags, "--"+p.Name+"="+text)
			} else {
				arguments = append(arguments, text)
			}
		}
	}
	return slices.Concat(flags, []string{"--"}, arguments), nil
}

// answer carries a call out, or says why it is none.
func (s *server) answer(ctx context.Context, t *Tool, words func() ([]string, error)) *mcp.CallToolResult {
	printed := &bounded{most: mostAnswered}
	end := s.Run(ctx, t, words, printed)
	text, err := printed.compact()
	if err != nil {
		end.Error, end.Hint = err.Error(), "ask for less, or have report write it to a file"
		text, _ = json.Marshal(map[string]any{"format": found.Format("end"), "command": t.Name, "exit": end})
	}
	return &mcp.CallToolResult{
		Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: text, IsError: end.Code != 0,
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
