package main

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// fileFlags say what a file is: to every command that reads it, and to map.
type fileFlags struct {
	resource, sheet, format                          string
	encoding, delimiter, rowsAt, timezone, dateOrder string
	headerRow                                        ordinal
}

func (o *fileFlags) register(f *pflag.FlagSet) {
	o.registerFolder(f)
	f.StringVar(
		&o.resource, "resource", "",
		"`WHAT` the rows are about: "+strings.Join(schema.ResourceNames(), ", ")+" (default: what the sheet's name says, else events)",
	)
	f.StringVar(
		&o.sheet, "sheet", "",
		"sheet to read: a `NAME` or a pattern such as 'Spring*' (default: those named after resources, else the first)",
	)
	f.StringVar(
		&o.format, "format", "",
		"`FORMAT` of the files: "+strings.Join(sheet.FormatNames(), ", ")+", which reads a file or a folder of payloads (default: found)",
	)
	f.Var(&o.headerRow, "header-row", "`ROW` that holds the headers (default: found)")
}

// registerFolder registers what can be said of all files of a folder.
func (o *fileFlags) registerFolder(f *pflag.FlagSet) {
	f.StringVar(&o.encoding, "encoding", "", "encoding of a text file that is not UTF-8, by its `NAME`")
	f.StringVar(&o.rowsAt, "rows-at", "", "`PATH` to the rows of a JSON document, such as data.days[].events[] (default: found)")
	f.StringVar(
		&o.delimiter, "delimiter", "",
		"`CHARACTER` between the cells of a text file, or comma, semicolon, tab or pipe (default: found)",
	)
	f.StringVar(&o.dateOrder, "date-order", "", "`ORDER` of dates such as 03/04/2026: mdy, dmy or ymd")
	f.StringVar(&o.timezone, "timezone", "", "time `ZONE` of rows that name none, such as Europe/Paris")
}

// marking returns the command that shows every problem of files at its cell: in a marked copy where
// there can be one. It is empty where the command has read no files by flags that check has too.
func (a *app) marking(ctx context.Context, files []string, read sheet.Options) string {
	if a.command.Flags().Lookup("mapping") == nil || a.command.Flags().Lookup("header-row") == nil {
		return ""
	}
	command, marked := "eventbatch check", len(files) == 1
	for _, name := range files {
		marked = marked && name != "-" && sheet.Markable(ctx, name, read)
		if given := a.names[name]; given != "" {
			name = given
		}
		if name == "-" {
			return ""
		}
		command += " " + quoted(name)
	}
	command += a.flagsAlso(new(readingFlags).register) + " --report "
	if marked {
		return command + "marked.xlsx"
	}
	return command + "problems.csv"
}

// rest says where the problems of files stand that the screen does not name.
func (a *app) rest(ctx context.Context, files []string, read sheet.Options) func() string {
	return func() string {
		command := a.marking(ctx, files, read)
		switch {
		case command == "":
			return "--json prints every one"
		case strings.HasSuffix(command, ".xlsx"):
			return command + " marks every one at its cell; --json prints them"
		}
		return command + " lists every one; --json prints them"
	}
}
