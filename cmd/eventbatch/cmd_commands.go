package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/report"
)

type commandsCommand struct{ *env }

func newCommandsCommand(a *env) *cobra.Command {
	c := &commandsCommand{a}
	return &cobra.Command{
		Use:  "commands",
		Args: needNothing,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Root()) },
	}
}

type commandsDoc struct {
	Version  string        `json:"version"`
	Commands []commandInfo `json:"commands"`
	Flags    []flagInfo    `json:"flags"` // that every command takes
	Exits    []exitInfo    `json:"exits"`
}

// commandInfo is what there is to know of a command before it is called.
type commandInfo struct {
	Name      string         `json:"name"`  // behind the program's, such as runs prune
	Group     string         `json:"group"` // of the help
	About     string         `json:"about"`
	Usage     string         `json:"usage"`
	Arguments []argumentInfo `json:"arguments"`
	Flags     []flagInfo     `json:"flags"`   // of its own
	Reaches   []string       `json:"reaches"` // effects that it may have on people and money, where there is leave
	Leave     string         `json:"leave"`   // what gives it; empty of a command that reaches nobody
	Repeat    repeatInfo     `json:"repeat"`
	Exits     []int          `json:"exits"`     // codes that it may end with
	Documents []string       `json:"documents"` // that --json prints, as schema names them; none where it refuses --json
}

// argumentInfo is a word behind a command.
type argumentInfo struct {
	Name     string   `json:"name"`
	Optional bool     `json:"optional"`
	Repeated bool     `json:"repeated"` // several may follow
	Words    []string `json:"words"`    // those that are known; none where it is free
}

// flagInfo is a flag.
type flagInfo struct {
	Name      string   `json:"name"`
	Shorthand string   `json:"shorthand,omitempty"`
	Variable  string   `json:"variable"` // of the environment, which says the same
	Type      string   `json:"type"`     // string, boolean, integer, number, duration or age
	Value     string   `json:"value"`    // what help calls it
	Default   string   `json:"default"`  // empty where nothing is said, or about says it
	Repeated  bool     `json:"repeated"` // it may be given several times
	List      bool     `json:"list"`     // its value may be several, with commas between them
	Words     []string `json:"words"`    // those that are known; none where it is free
	About     string   `json:"about"`
}

// repeatInfo says what a second call of the same command does.
type repeatInfo struct {
	Safe bool       `json:"safe"`
	Kind repetition `json:"kind"` // read-only, idempotent, resumable, exactly-once or by-operation
	Why  string     `json:"why"`
}

// exitInfo is an exit code.
type exitInfo struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Meaning string `json:"meaning"`
	Next    string `json:"next"` // what a program does then
}

func (c *commandsCommand) run(root *cobra.Command) error {
	if c.global.json {
		return c.writeDoc("commands", commandsDoc{
			version(), commandsOf(root), flagsOf(root, root.PersistentFlags()), exitsOf(),
		}, nil)
	}
	header := []string{"COMMAND", "REACHES", "REPEAT", "WHAT IT DOES"}
	return report.TableOf(c.stdout, header, commandsOf(root), func(info commandInfo) []string {
		return []string{info.Name, strings.Join(info.Reaches, ", "), string(info.Repeat.Kind), info.About}
	})
}

// commandsOf returns all commands, group by group.
func commandsOf(root *cobra.Command) []commandInfo {
	var list []commandInfo
	for _, g := range commandTable() {
		for _, cmd := range g.grouped(root) {
			for _, below := range withBelow(cmd) {
				list = append(list, infoOf(below, g.title))
			}
		}
	}
	return list
}

// infoOf returns what there is to know of a command.
func infoOf(cmd *cobra.Command, group string) commandInfo {
	c := rowOf(cmd)
	info := commandInfo{
		Name: below(cmd), Group: group, About: about(cmd), Usage: cmd.UseLine(), Arguments: argumentsOf(cmd),
		Flags: flagsOf(cmd, cmd.LocalNonPersistentFlags()), Reaches: []string{}, Leave: c.leave,
		Repeat: repeatInfo{repetitions[c.repeat].safe, c.repeat, repetitions[c.repeat].why}, Exits: c.exits(cmd.Flags()),
		Documents: []string{},
	}
	if c.leave != "" {
		info.Reaches = slices.Clone(flagWords["allow"])
	}
	if c.documents != nil {
		info.Documents = append(slices.Clone(c.documents), "end")
	}
	return info
}

// argumentsOf returns the words behind a command, as its help names them. One that not every way to call it has
// can be left out.
func argumentsOf(cmd *cobra.Command) []argumentInfo {
	list := []argumentInfo{}
	ways := strings.Split(cmd.Use, " | ")
	for _, way := range ways {
		words := strings.Fields(way)[1:]
		for i, word := range words {
			if strings.HasPrefix(word, "-") {
				break // what follows are flags
			}
			name := strings.NewReplacer("…", "", "[", "", "]", "").Replace(word)
			argument := argumentInfo{
				Name: name, Optional: strings.HasPrefix(word, "[") || len(ways) > 1, Repeated: strings.Contains(word, "…"),
				Words: []string{},
			}
			for choice := range strings.SplitSeq(name, "|") {
				if choice == strings.ToLower(choice) {
					argument.Words = append(argument.Words, choice)
				}
			}
			if i == 0 && len(cmd.ValidArgs) > 0 {
				argument.Words = slices.Clone(cmd.ValidArgs)
			}
			list = append(list, argument)
		}
	}
	return list
}

// flagTypes are what a flag's value is to a program, by the flag's own type.
var flagTypes = map[string]string{
	"string": "string", "stringArray": "string", "stringSlice": "string", "bool": "boolean", "int": "integer", "uint64": "integer",
	"ordinal": "integer", "float64": "number", "duration": "duration", "age": "age",
}

// flagsOf returns those of a command's flags that people use.
func flagsOf(cmd *cobra.Command, flags *pflag.FlagSet) []flagInfo {
	list := []flagInfo{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind := f.Value.Type()
		info := flagInfo{
			Name: f.Name, Shorthand: f.Shorthand, Variable: variable(f.Name), Type: flagTypes[kind], Default: f.DefValue,
			Repeated: strings.HasPrefix(kind, "string") && kind != "string", List: kind == "stringSlice",
			Words: wordsOf(cmd, f),
		}
		info.Value, info.About = pflag.UnquoteUsage(f)
		if f.DefValue == unsaidOf(f) {
			info.Default = ""
		}
		list = append(list, info)
	})
	return list
}

// wordsOf returns the words that a shell is offered for a flag, where they are always the same.
func wordsOf(cmd *cobra.Command, f *pflag.Flag) []string {
	words := flagWords[f.Name]
	if offer, ok := cmd.GetFlagCompletionFunc(f.Name); ok && words != nil {
		words, _ = offer(cmd, nil, "") // those of this command
	}
	return append([]string{}, words...)
}

// unsaidOf returns the default of a flag that stands for nothing said.
func unsaidOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "stringArray", "stringSlice":
		return "[]"
	case "ordinal":
		return "0"
	}
	return ""
}

// exitsOf returns all exit codes.
func exitsOf() []exitInfo {
	var list []exitInfo
	for _, code := range slices.Sorted(maps.Keys(exits)) {
		list = append(list, exitInfo{code, exits[code].reason, strings.ReplaceAll(exits[code].meaning, "`", ""), exits[code].next})
	}
	return list
}
