package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/spelling"
)

// needFiles asks for one file or more, each once.
func needFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s needs a file", below(cmd))
	}
	var known []os.FileInfo
	for i, arg := range args {
		twice := slices.Contains(args[:i], arg)
		switch {
		case secret.IsAddress(arg):
			address, err := secret.ParseAddress(arg)
			if err == nil && twice {
				err = fmt.Errorf("%s is given twice", address)
			}
			if err != nil {
				return usagef("reading an address: %w", err)
			}
			continue
		case arg == "-" && twice:
			return usagef("- is standard input, which can be read once only")
		case arg == "-":
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			continue // reading it will tell
		}
		if slices.ContainsFunc(known, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			return usagef("%s is given twice", arg)
		}
		known = append(known, info)
	}
	return nil
}

// lookAt refuses files that are not there, and folders, before anything else is asked for.
func lookAt(files []string) error {
	for _, file := range files {
		if file == "-" || secret.IsAddress(file) {
			continue
		}
		switch at, err := os.Stat(file); {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s: %w", file, syscall.ENOENT)
		case err == nil && at.IsDir():
			return failure.New(syscall.EISDIR, fmt.Errorf("%s: %w", file, syscall.EISDIR), folderHint(file))
		}
	}
	return nil
}

// noMapping refuses a mapping in the place of a table, by the end of its name.
func noMapping(files []string) error {
	for _, file := range files {
		if strings.HasSuffix(strings.ToLower(file), mapfile.Ending) {
			return usagef("%s is a mapping, which says how a table is read, and no table", file).
				hinted("name the table, and the mapping behind it: eventbatch check TABLE --mapping " + spelling.Quoted(file))
		}
	}
	return nil
}

// needOne asks for one argument. lacks is what a command without one needs, with a hint that may be empty.
func needOne(what, lacks, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 1:
			return nil
		case 0:
			return usagef("%s needs %s", below(cmd), lacks).hinted(hint)
		}
		return usagef("%s takes one %s, not %d", below(cmd), what, len(args))
	}
}

// needRun asks for one run.
var needRun = needOne("run", "a run: its id, the beginning of it, or latest", "eventbatch runs lists them")

// needOneFile asks for one file. The address of one is not shown: it may be as good as a password.
func needOneFile(cmd *cobra.Command, args []string) error {
	err := needOne("file", "a file", "")(cmd, args)
	if err == nil && secret.IsAddress(args[0]) {
		err = usagef("%s reads a file, not an address", below(cmd)).
			hinted("save it to a file first; check, plan and import take an address")
	}
	return err
}

// needFile asks for one file that can be read twice.
func needFile(cmd *cobra.Command, args []string) error {
	if err := needOneFile(cmd, args); err != nil {
		return err
	}
	switch {
	case args[0] == "-":
		return usagef("standard input cannot be mended: there is no file to copy").hinted("save it to a file first")
	case readOnce(args[0]):
		return usagef("%s cannot be mended: it is not a regular file", args[0]).hinted("save it to a file first")
	}
	return nil
}

// readOnce reports whether a file can be read a single time: standard input, or a pipe.
func readOnce(file string) bool {
	info, err := os.Stat(file)
	return file == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// needOneOf asks for one of the command's words, such as a template, and needSomeOf for one or more, such as resources.
func needOneOf(what string) cobra.PositionalArgs  { return needWords(what, 1) }
func needSomeOf(what string) cobra.PositionalArgs { return needWords(what, math.MaxInt) }

func needWords(what string, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		words, hint := cmd.ValidArgs, "write "+spelling.Series(cmd.ValidArgs, "or")
		switch {
		case len(args) == 0:
			return usagef("%s needs %s", below(cmd), what).hinted(hint)
		case len(args) > most:
			return usagef("%s takes one word, not %d", below(cmd), len(args)).hinted(hint)
		}
		for _, arg := range args {
			if !slices.Contains(words, arg) {
				return usagef("%s knows no %q", below(cmd), arg).
					hinted(cmp.Or(spelling.DidYouMean(arg, words), match.LeftOut(nil, arg), hint))
			}
		}
		return nil
	}
}

// atMost asks for no more words than a command understands.
func atMost(most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= most {
			return nil
		}
		return usagef("%s takes at most %s, not %d", below(cmd), report.Count(most, "word"), len(args))
	}
}

// below returns the words of a command behind the program's name.
func below(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// needNothing asks for no argument.
func needNothing(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("%s takes no argument such as %q", below(cmd), args[0])
}

// variable returns the environment variable that stands for a flag.
func variable(flag string) string {
	return "EVENTBATCH_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// canHold refuses, before any work, a file that cannot be written at its end.
func canHold(flag, path string) error {
	switch path {
	case "":
		return nil
	case "-": // a file of this name is not what is meant
		return usagef("--%s: - is no name of a file", flag).hinted("name a file, or leave --" + flag + " out")
	}
	folder := filepath.Dir(path)
	switch info, err := os.Stat(folder); {
	case errors.Is(err, fs.ErrNotExist):
		return failure.New(failure.Output, fmt.Errorf("--%s: there is no folder %s", flag, folder), "make the folder first")
	case err != nil:
		return failure.New(failure.Output, fmt.Errorf("--%s: %w", flag, err), "")
	case !info.IsDir():
		return failure.New(failure.Output, fmt.Errorf("--%s: %s is not a folder", flag, folder), "")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return failure.New(failure.Output, fmt.Errorf("--%s: %s is a folder", flag, path), "name a file in it")
	}
	return nil
}
