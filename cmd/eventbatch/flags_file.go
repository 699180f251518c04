package main

import (
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
