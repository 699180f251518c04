package sheet

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// format is a kind of file that is read.
type format struct {
	name    string   // that Options.Format takes
	what    string   // in a sentence: the file is …; empty for text that begins anyhow
	endings []string // of the names of its files
	media   []string // types by which servers tell it
	// begins reports whether a file begins as the format does; nil where it begins anyhow. It is
	// given the first headBytes without a mark and white space before them.
	begins func(start []byte) bool
	// sure is set where what begins so is nothing else, whatever its name says.
	sure bool
	// archive is set where the parts are read one by one, and not the bytes in one pass. The
	// texts in them come as they lie in the file, with [Guard]'s apostrophes and carriage returns.
	archive bool
	// unmarked is set where the file has sheets, and no copy of it with marks can be written.
	unmarked bool
	// columned is set where the columns stay from one day to the next, unless somebody changes
	// them; objects of JSON name what they happen to have.
	columned bool
	open     func(ctx context.Context, in *input, o Options) (source, error)
}

// formats are all that are read. Of two that a file begins like the first is meant.
var formats = []*format{
	{
		name: "csv", endings: []string{".csv"}, media: []string{"text/csv"}, columned: true, open: openCSV,
	},
	{
		name: "tsv", endings: []string{".tsv", ".tab"}, media: []string{"text/tab-separated-values"}, columned: true, open: openTSV,
	},
	{
		name: "ods", what: "an .ods workbook", endings: []string{".ods"},
		media:  []string{"application/vnd.oasis.opendocument.spreadsheet"},
		begins: beginsODS, sure: true, archive: true, unmarked: true, open: openODS,
	},
	{
		name: "xlsx", what: "an .xlsx workbook", endings: []string{".xlsx", ".xlsm"},
		media:  []string{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		begins: beginsArchive, sure: true, archive: true, columned: true, open: openXLSX,
	},
	{
		name: "html", what: "HTML", endings: []string{".htm", ".html"}, begins: beginsHTML, unmarked: true, open: openHTML,
	},
	{
		name: "ndjson", endings: []string{".ndjson", ".jsonl"},
		media:  []string{"application/x-ndjson", "application/ndjson", "application/jsonl"},
		begins: beginsWith("{"), open: openNDJSON,
	},
	{
		name: "json", endings: []string{".json"}, media: []string{"application/json"}, open: openJSON,
	},
	{
		name: "schedule", what: "the schedule of a conference", endings: []string{".xml"}, begins: beginsSchedule, open: openSchedule,
	},
	{
		name: "ics", what: "an iCalendar file", endings: []string{".ics", ".ical"}, media: []string{"text/calendar"},
		begins: beginsWith("begin:vcalendar"), open: openICS,
	},
	{
		name: "webhook", open: openWebhook,
	},
}

// FormatNames returns what [Options.Format] takes.
func FormatNames() []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Endings returns the endings of names by which formats are told.
func Endings() []string {
	var all []string
	for _, f := range formats {
		all = append(all, f.endings...)
	}
	return all
}

// EndingOf returns the ending of files of a media type; empty for one that says nothing.
func EndingOf(media string) string {
	for _, f := range formats {
		if slices.Contains(f.media, media) {
			return f.endings[0]
		}
	}
	return ""
}

// foreign lists what files of other kinds begin with. Refusing them by name
// tells more than the trouble their bytes would make as text.
var foreign = []struct{ magic, what, hint string }{
	{"\xd0\xcf\x11\xe0", "an old .xls workbook or one with a password", "open it and save it as .xlsx without a password"},
	{"%PDF", "a PDF", "export the table as .xlsx or .csv"},
	{gzipped, "compressed twice", "decompress it first"},
	{"<?xml", "XML", "open it in a spreadsheet and save it as .xlsx"},
	{"{\\rtf", "RTF", "save the table as .xlsx or .csv"},
}

// Columned reports whether the columns of an input stay from one day to the next: of a format
// that is asked for, or else by the ending of the input's name.
func Columned(asked, ending string) bool {
	for _, f := range formats {
		if asked == f.name || asked == "" && slices.Contains(f.endings, ending) {
			return f.columned
		}
	}
	return asked == "" && ending == ".txt" // which says no more than that it is text
}

// findFormat decides what the input is: what is asked for; what its first bytes are, where
// nothing else begins so; what its name says; what it begins like; else CSV.
func findFormat(in *input, asked string) (*format, error) {
	start := in.start()
	if asked != "" {
		i := slices.IndexFunc(formats, func(f *format) bool { return strings.EqualFold(f.name, asked) })
		if i < 0 {
			return nil, in.refuse(schema.CodeUnknownFormat, "known are "+spelling.Series(FormatNames(), "and"), "no format %q", asked)
		}
		return formats[i], in.refuseOther(formats[i])
	}
	for _, f := range formats {
		if f.sure && f.begins(start) {
			return f, nil
		}
	}
	for _, f := range formats {
		if slices.Contains(f.endings, in.ending) {
			return f, in.refuseOther(f)
		}
	}
	if err := in.refuseForeign(); err != nil {
		return nil, err
	}
	for _, f := range formats {
		if f.begins != nil && f.begins(start) {
			if f.name == "html" && strings.Contains(in.name, "://") {
				return nil, in.refusePage()
			}
			return f, nil
		}
	}
	return formats[0], nil
}

// start returns the first bytes without a mark and white space before them.
func (in *input) start() []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(in.head, []byte(utf8BOM)), " \t\r\n")
}

// refuseOther refuses an input that does not begin like a format that is asked for, or that
// its name says, and one that begins like another.
func (in *input) refuseOther(f *format) error {
	if err := in.refuseForeign(); err != nil {
		return err
	}
	start := in.start()
	for _, other := range formats {
		if other != f && other.what != "" && other.begins(start) {
			if other.name == "html" {
				return in.refusePage()
			}
			hint := "say --format " + other.name
			if !other.sure {
				hint = "name it " + other.endings[0] + ", or " + hint
			}
			return in.refuse(schema.CodeUnknownFormat, hint, "the file is %s", other.what)
		}
	}
	if f.sure && !f.begins(start) {
		return in.refuse(schema.CodeUnknownFormat, "if it is text, say --format csv", "the file is not %s", f.what)
	}
	return nil
}

// refuseForeign refuses what is no format at all.
func (in *input) refuseForeign() error {
	start := in.start()
	for _, kind := range foreign {
		if hasPrefixFold(start, kind.magic) && !beginsHTML(start) && !beginsSchedule(start) {
			return in.refuse(schema.CodeUnknownFormat, kind.hint, "the file is %s", kind.what)
		}
	}
	return nil
}

// refusePage refuses a page where rows were asked for.
func (in *input) refusePage() error {
	return in.refuse(schema.CodeUnknownFormat, "look where it comes from: an address may answer with a page, of a login or an error, "+
		"in the place of rows; if a table of it is meant, say --format html", "the file is HTML")
}

// beginsWith makes a test for a start, in letters of either size.
func beginsWith(prefix string) func([]byte) bool {
	return func(start []byte) bool { return hasPrefixFold(start, prefix) }
}

// beginsArchive reports whether a file begins as a zip archive does, with parts or without.
func beginsArchive(start []byte) bool {
	return bytes.HasPrefix(start, []byte("PK\x03\x04")) || bytes.HasPrefix(start, []byte("PK\x05\x06"))
}

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && strings.EqualFold(string(b[:len(prefix)]), prefix)
}
