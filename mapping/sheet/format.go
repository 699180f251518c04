package sheet

import (
	"bytes"
	"strings"

	"eventbatch/mapping/schema"
)

type format uint8

const (
	formatCSV format = iota
	formatTSV
	formatXLSX
	formatNDJSON
	formatICS
	formatWebhook
)

var formatNames = map[string]format{
	"csv": formatCSV, "tsv": formatTSV, "xlsx": formatXLSX, "ndjson": formatNDJSON, "ics": formatICS,
	"webhook": formatWebhook,
}

var formatExtensions = map[string]format{
	".csv": formatCSV, ".tsv": formatTSV, ".tab": formatTSV,
	".xlsx": formatXLSX, ".xlsm": formatXLSX,
	".ndjson": formatNDJSON, ".jsonl": formatNDJSON,
	".ics": formatICS, ".ical": formatICS,
}

// foreign lists what files of other kinds begin with. Refusing them by name
// tells more than the trouble their bytes would make as text.
var foreign = []struct{ magic, what, hint string }{
	{"\xd0\xcf\x11\xe0", "an old .xls workbook or one with a password", "open it and save it as .xlsx without a password"},
	{"%PDF", "a PDF", "export the table as .xlsx or .csv"},
	{"\x1f\x8b", "gzip-compressed", "decompress it first"},
	{"<!doctype", "HTML", "open it in a spreadsheet and save it as .xlsx"},
	{"<html", "HTML", "open it in a spreadsheet and save it as .xlsx"},
	{"<table", "HTML", "open it in a spreadsheet and save it as .xlsx"},
	{"<?xml", "XML", "open it in a spreadsheet and save it as .xlsx"},
	{"{\\rtf", "RTF", "save the table as .xlsx or .csv"},
}

// findFormat decides what the input is. An archive is a workbook and an
// old workbook is refused whatever the name says; between the text formats the
// name decides, then the first character.
func findFormat(in *input, asked string) (format, error) {
	head := in.head
	if asked != "" {
		f, ok := formatNames[strings.ToLower(asked)]
		if !ok {
			return 0, in.refuse(schema.CodeUnknownFormat, "known are csv, tsv, xlsx, ndjson, ics and webhook", "no format %q", asked)
		}
		return f, in.refuseForeign(f)
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")) {
		return formatXLSX, nil
	}
	f, known := formatExtensions[in.ending]
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(utf8BOM)), " \t\r\n")
	if !known && hasPrefixFold(start, "begin:vcalendar") {
		return formatICS, nil
	}
	if err := in.refuseForeign(f); err != nil {
		return 0, err
	}
	switch {
	case known:
		return f, nil
	case bytes.HasPrefix(start, []byte("{")):
		return formatNDJSON, nil
	case bytes.HasPrefix(start, []byte("[")) && in.ending == ".json":
		return 0, in.refuse(schema.CodeUnknownFormat, "write one object a line: jq -c '.[]' "+in.name, "a JSON array is not read")
	}
	return formatCSV, nil
}

func (in *input) refuseForeign(f format) error {
	start := bytes.TrimLeft(bytes.TrimPrefix(in.head, []byte(utf8BOM)), " \t\r\n")
	for _, kind := range foreign {
		if hasPrefixFold(start, kind.magic) {
			return in.refuse(schema.CodeUnknownFormat, kind.hint, "the file is %s", kind.what)
		}
	}
	if f != formatICS && hasPrefixFold(start, "begin:vcalendar") {
		return in.refuse(schema.CodeUnknownFormat, "name it .ics, or say --format ics", "the file is an iCalendar file")
	}
	switch zipped := bytes.HasPrefix(in.head, []byte("PK")); {
	case f == formatXLSX && !zipped:
		return in.refuse(schema.CodeUnknownFormat, "if it is text, say --format csv", "the file is not an .xlsx workbook")
	case f != formatXLSX && bytes.HasPrefix(in.head, []byte("PK\x03\x04")):
		return in.refuse(schema.CodeUnknownFormat, "say --format xlsx", "the file is a workbook, not text")
	}
	return nil
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}
