package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/match"
	"eventbatch/mapping/spelling"
)

// usageError is a command line that cannot be understood.
type usageError struct {
	err  error
	hint string // empty: the help of the command tells more
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
func (e *usageError) Hint() string  { return e.hint }

func usagef(format string, args ...any) *usageError {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// hinted has the error say what to do by itself.
func (e *usageError) hinted(hint string) *usageError {
	e.hint = hint
	return e
}

// wrongFlag returns the error for a flag that cannot be read: one that is not known,
// with the one that is meant, or one whose value is of another kind.
func wrongFlag(cmd *cobra.Command, err error) error {
	wrong := &usageError{err: err}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		name := unknown.GetSpecifiedName()
		if near := spelling.Nearest(name, names); near != "" {
			wrong.hint = "did you mean --" + near + "?"
		}
		switch name {
		case "dry-run", "n":
			wrong.hint = dryRunHint(cmd.Name())
		case "resource":
			wrong.hint = cmd.CommandPath() + " takes no resource"
			if cmd.Name() == "export" {
				wrong.hint = "name the resources without it: eventbatch export guests"
			}
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if kind, ok := flagKinds[invalid.GetFlag().Value.Type()]; ok {
			wrong.err = fmt.Errorf("--%s: %q is %s", invalid.GetFlag().Name, invalid.GetValue(), kind)
		}
	}
	return wrong
}

// flagKinds say of a flag's value, by the flag's type, what it is not.
var flagKinds = map[string]string{
	"bool":     "neither true nor false",
	"int":      "no whole number",
	"uint64":   "no whole number from 0",
	"ordinal":  "no whole number from 1",
	"duration": "no time such as 90s, 15m or 2h30m",
	"age":      "no age such as 90d, 36h or 0d",
}

// ordinal is the value of a flag that counts from 1; 0 where nothing is said.
type ordinal int

func (n *ordinal) Set(text string) error {
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 {
		return errors.New("it is no ordinal")
	}
	*n = ordinal(value)
	return nil
}

func (n *ordinal) String() string { return strconv.Itoa(int(*n)) }

func (n *ordinal) Type() string { return "ordinal" }

// misused returns the errors that cobra makes itself, which have no type, as errors of the
// command line without the suggestion in their words. Any other error is returned as it is.
func misused(err error) error {
	if failure.Is[*usageError](err) {
		return err
	}
	for _, begin := range []string{"unknown command", "accepts ", "requires ", "invalid argument", "required flag", "if any flags"} {
		if !strings.HasPrefix(err.Error(), begin) {
			continue
		}
		words, more, _ := strings.Cut(err.Error(), "\n")
		wrong := &usageError{err: errors.New(words)}
		if wrong.hint = meant(words); wrong.hint != "" {
			return wrong
		}
		if _, near, ok := strings.Cut(more, "Did you mean this?"); ok {
			near, _, _ = strings.Cut(strings.TrimSpace(near), "\n")
			wrong.hint = "did you mean eventbatch " + near + "?"
		}
		return wrong
	}
	return err
}

// otherWords say what other programs' names of commands are called here. Words
// that look alike, such as export and import, may mean the opposite.
var otherWords = map[string]string{
	"download": "did you mean eventbatch export?",
	"pull":     "did you mean eventbatch export?",
	"revert":   "did you mean eventbatch undo RUN?",
	"rollback": "did you mean eventbatch undo RUN?",
	"dry-run":  "did you mean eventbatch plan? It shows what import would do and sends nothing",
	"diff":     "did you mean eventbatch plan? It shows what import would do and sends nothing",
	"validate": "did you mean eventbatch check?",
	"lint":     "did you mean eventbatch check?",
	"resume":   "did you mean eventbatch apply latest? It goes on with the newest run",
	"continue": "did you mean eventbatch apply latest? It goes on with the newest run",
	"status":   "did you mean eventbatch runs, or eventbatch show latest?",
	"history":  "did you mean eventbatch runs?",
	"prune":    "did you mean eventbatch runs prune?",
	"clean":    "did you mean eventbatch runs prune?",
}

// folderHint returns what to do with a folder where a file is wanted.
func folderHint(name string) string {
	return "it is a folder: name a file of it, or bring another platform's exports with eventbatch migrate " + spelling.Quoted(name)
}

// meant says what a word that cobra's error does not know is called here, or why there is none.
func meant(words string) (hint string) {
	begin, word, _ := strings.Cut(words, `"`)
	word, _, _ = strings.Cut(word, `"`)
	if strings.HasPrefix(begin, "unknown command") {
		if info, err := os.Stat(word); err == nil && info.IsDir() {
			return folderHint(word)
		}
		return otherWords[word]
	}
	if hint = spelling.DidYouMean(word, catalog.ResourceNames()); hint != "" {
		return hint
	}
	return match.LeftOut(nil, word)
}

// dryRunHint returns the command that does the same without sending.
func dryRunHint(command string) string {
	switch command {
	case "import":
		return "did you mean eventbatch plan? It shows what import would do and sends nothing"
	case "apply", "retry":
		return "eventbatch show RUN shows what a run holds, and sends nothing"
	}
	return "leave it out: " + command + " sends nothing"
}

// strictWords makes the commands that cobra adds refuse a word that they do not
// know, as all others do: cobra shows a page of help and calls that a success.
func strictWords(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.ValidArgsFunction = completePages
			cmd.Args = func(_ *cobra.Command, args []string) error { return knownPage(root, args) }
		case "completion":
			var shells []string
			for _, shell := range cmd.Commands() {
				shells = append(shells, shell.Name())
			}
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if len(args) == 0 {
					return nil
				}
				return wrongWord("shell", args[0], shells)
			}
		}
	}
}
