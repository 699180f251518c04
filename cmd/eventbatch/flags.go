package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// globalFlags are shared by every command.
type globalFlags struct {
	profile.Flags

	workspace  string
	store      string
	sandbox    bool
	badDay     ordinal
	json       bool
	quiet      bool
	verbose    bool
	noColor    bool
	noProgress bool
	logFormat  string
}

// connectionFlags are completed by the profile package, which knows their
// precedence over each other.
var connectionFlags = map[string]bool{
	"profile": true, "config": true, "base-url": true, "calendar": true,
	"key-kind": true, "key-file": true, "key-command": true, "ca-file": true,
}

func (g *globalFlags) register(f *pflag.FlagSet) {
	f.StringVar(&g.Profile, "profile", "", "profile of eventbatch.yaml to use, by its `NAME`")
	f.StringVar(&g.Config, "config", "", "configuration `FILE` to use instead of eventbatch.yaml")
	f.StringVar(&g.workspace, "workspace", "", "`FOLDER` that remembers runs (default: state.dir of eventbatch.yaml, else .eventbatch)")
	f.StringVar(&g.store, "store", "",
		"`ADDRESS` of the database that remembers runs, such as postgres://localhost/agency (default: store of the profile)")
	f.BoolVar(&g.sandbox, "sandbox", false, "use the built-in service in miniature, its data kept in the workspace")
	f.Var(&g.badDay, "bad-day", "have the sandbox lag, lose answers and be edited, as this `SEED` has it; a number from 1")
	f.BoolVar(&g.json, "json", false, "print one JSON document on standard output")
	f.BoolVar(&g.quiet, "quiet", false, "print errors only")
	f.BoolVarP(&g.verbose, "verbose", "v", false, "log every request, without keys")
	f.StringVar(&g.logFormat, "log-format", "text", "`FORMAT` of the lines on standard error: text, or json for an object a line")
	f.BoolVar(&g.noColor, "no-color", false, "print without colour")
	f.BoolVar(&g.noProgress, "no-progress", false, "show no moving line")
	f.StringVar(&g.BaseURL, "base-url", "", "`ADDRESS` of the service")
	f.StringVar(&g.Calendar, "calendar", "", "calendar of rows that name none, by its `ID`")
	f.StringVar(&g.KeyKind, "key-kind", "", "`KIND` of the key: calendar, organization or oauth")
	f.StringVar(&g.KeyFile, "key-file", "", "`FILE` that holds the key, readable by its owner only")
	f.StringVar(&g.KeyCommand, "key-command", "", "`COMMAND` that prints the key")
	f.StringVar(&g.CAFile, "ca-file", "", "`FILE` of certificates to trust besides the system's")
}

// readingFlags say how input is read.
type readingFlags struct {
	fileFlags

	mapping, operation     string
	mapped                 *mapfile.File // no flag: the mapping, where it is in no file
	overlap, rows          string
	recurUntil, coversFrom string
	coversFromWeb          bool
	limit                  ordinal
	set, join              []string
}

func (r *readingFlags) register(f *pflag.FlagSet) {
	r.fileFlags.register(f)
	r.registerWhen(f)
	f.StringVar(&r.mapping, "mapping", "",
		"`FILE` that says which column feeds which field, a preset's name, or auto for the preset that the columns fit")
	f.StringArrayVar(&r.join, "join", nil, "`TABLE=FILE` that the mapping looks rows up in, such as venues=venues.csv (repeatable)")
	f.StringVar(&r.operation, "operation", "", "`WHAT` rows without an action do: create, update or upsert (default upsert)")
	f.Var(&r.limit, "limit", "read `N` rows only")
	f.StringVar(&r.rows, "rows", "", "read these `ROWS` only, such as 2-40,77; of several sheets Guests!2-40")
}

// registerFolder registers what can be said of all files of a folder.
func (r *readingFlags) registerFolder(f *pflag.FlagSet) {
	r.fileFlags.registerFolder(f)
	r.registerWhen(f)
}

// registerWhen registers what else can be said of all files of a folder.
func (r *readingFlags) registerWhen(f *pflag.FlagSet) {
	f.StringVar(&r.overlap, "overlap", "", "`WHICH` of a time that a clock change makes twice: error, first or second (default error)")
	f.StringVar(&r.recurUntil, "recur-until", "",
		"read a series that has no end until this `DAY`, such as 2027-06-30 (default: a year from now)")
	f.StringVar(&r.coversFrom, "covers-from", "", "`FOLDER` below which the pictures of cover_file lie (default: that of their file)")
	f.StringArrayVar(&r.set, "set", nil, "`FIELD=VALUE` for every row (repeatable)")
	f.BoolVar(&r.coversFromWeb, "covers-from-web", false, "fetch the pictures of cover_file that are https addresses")
}

// config returns the reading of the files. The mapping file is read here.
func (r *readingFlags) config(a *env, files []string, now time.Time) (mapping.Config, error) {
	c := mapping.Config{
		Files: files, Names: a.names, Stdin: a.stdin, Format: r.format, Encoding: r.encoding, RowsAt: r.rowsAt,
		Sheet: r.sheet, HeaderRow: int(r.headerRow), DateOrder: r.dateOrder, Timezone: r.timezone, Overlap: r.overlap,
		Limit: int(r.limit), Now: now,
	}
	err := noMapping(files)
	if err != nil {
		return c, err
	}
	if c.Delimiter, err = r.writing(); err != nil {
		return c, err
	}
	if c.Resource, err = resourceSaid(r.resource); err != nil {
		return c, err
	}
	if r.operation != "" {
		operation, ok := schema.ParseActions(r.operation)
		if !ok {
			return c, wrongWord("--operation", r.operation, flagWords["operation"])
		}
		c.Operation = operation
	}
	if r.rows != "" {
		if c.Rows, err = mapping.ParseRowSet(r.rows); err != nil {
			return c, err
		}
	}
	if r.recurUntil != "" {
		day, err := time.Parse(time.DateOnly, r.recurUntil)
		if err != nil {
			return c, usagef("--recur-until: %q is not a day; write it as 2027-06-30", r.recurUntil)
		}
		c.Horizon = day.Add(24*time.Hour - time.Second)
	}
	if info, err := os.Stat(r.coversFrom); r.coversFrom != "" && (err != nil || !info.IsDir()) {
		return c, usagef("--covers-from: there is no folder %s", r.coversFrom)
	}
	if c.Set, err = parseAll(r.set, mapping.ParseAssignment); err != nil {
		return c, err
	}
	if c.Join, err = parseAll(r.join, mapping.ParseJoin); err != nil {
		return c, err
	}
	if r.mapping != "" {
		if c.Mapping, err = mapfile.Load(r.mapping); err != nil {
			return c, err
		}
		if err := c.Mapping.Finished(c.Files); err != nil {
			return c, err
		}
	}
	c.Mapping = cmp.Or(c.Mapping, r.mapped)
	return c, nil
}

// parseAll parses the values of a flag that is given several times.
func parseAll[T any](texts []string, parse func(text string) (T, error)) (all []T, err error) {
	for _, text := range texts {
		one, err := parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// checked returns the reading of files that are checked, with the rules of single values that depend on the profile. A
// check needs no connection: a profile that is not there leaves them out.
func (r *readingFlags) checked(a *env, files []string) (mapping.Config, error) {
	config, err := r.config(a, files, time.Now())
	if err != nil {
		return config, err
	}
	conn, err := a.loadProfile()
	if err == nil {
		config.Rules.ImageBase = conn.ImageBase
	}
	return config, err
}

// resourceSaid returns the resource of a --resource; nil where none is said.
func resourceSaid(word string) (*schema.Resource, error) {
	r, ok := catalog.ResourceNamed(word)
	switch {
	case ok:
		return r, nil
	case word != "":
		return nil, wrongWord("--resource", word, catalog.ResourceNames())
	}
	return nil, nil
}

// pictures returns where pictures come from, for what is checked and not sent.
func (r *readingFlags) pictures() batch.PictureConfig {
	return batch.PictureConfig{CoversFrom: r.coversFrom, Unfetched: r.coversFromWeb}
}

// fetched returns where pictures come from, and are kept that are fetched for a plan.
func (r *readingFlags) fetched(a *env) (batch.PictureConfig, error) {
	from := batch.PictureConfig{CoversFrom: r.coversFrom}
	if !r.coversFromWeb {
		return from, nil
	}
	folder, err := a.workspaceFolder()
	from.Web = &batch.WebPictures{Folder: filepath.Join(folder, "covers")}
	return from, err
}

// choices returns the flags that decide what becomes of a file, in one form.
func (r *readingFlags) choices(c *mapping.Config, calendar string) ([]string, error) {
	choices := []string{
		r.operation, r.sheet, r.format, r.headerRow.String(), r.encoding, r.delimiter, r.dateOrder, r.timezone,
		r.overlap, r.recurUntil, r.rows, r.limit.String(), "calendar=" + calendar,
	}
	choices = append(append(choices, r.set...), r.join...)
	if r.resource != "" {
		choices = append(choices, "resource="+c.Resource.Name)
	}
	if r.rowsAt != "" {
		choices = append(choices, "rows-at="+r.rowsAt)
	}
	if r.coversFrom != "" {
		choices = append(choices, "covers-from="+r.coversFrom)
	}
	if r.coversFromWeb {
		choices = append(choices, "covers-from-web")
	}
	var err error
	say := func(m *mapfile.File) {
		if m != nil && err == nil {
			var text []byte
			text, err = m.Encode()
			choices = append(choices, string(text))
		}
	}
	say(c.Mapping)
	for i := range c.Inputs {
		in := &c.Inputs[i]
		choices = append(choices, in.File, in.Sheet, in.Of().Name)
		say(in.Mapping)
	}
	return choices, err
}

// writing checks what is said of how a text file is written, before any file is
// opened: a wrong word is a mistake of the command line, not of the file.
func (r *fileFlags) writing() (delimiter rune, err error) {
	if formats := flagWords["format"]; r.format != "" && !slices.Contains(formats, strings.ToLower(r.format)) {
		return 0, wrongWord("--format", r.format, formats)
	}
	if _, err := sheet.ParseEncoding(r.encoding); r.encoding != "" && err != nil {
		return 0, wrongWord("--encoding", r.encoding, flagWords["encoding"])
	}
	if r.delimiter == "" {
		return 0, nil
	}
	if delimiter, err = sheet.ParseDelimiter(r.delimiter); err != nil {
		return 0, wrongWord("--delimiter", r.delimiter, append(flagWords["delimiter"], "one character"))
	}
	return delimiter, nil
}

// wrongWord refuses a word where one of a list is asked for: by a flag, or by a
// command's argument.
func wrongWord(by, word string, words []string) error {
	hint := cmp.Or(spelling.DidYouMean(word, words), "write "+spelling.Series(words, "or"))
	if name, flag := strings.CutPrefix(by, "--"); flag {
		return usagef("--%s: no %s %q", name, name, word).hinted(hint)
	}
	return usagef("no %s %q", by, word).hinted(hint)
}

// oneOf refuses a word that a flag does not take.
func oneOf(flag, word string) error {
	if slices.Contains(flagWords[flag], word) {
		return nil
	}
	return wrongWord("--"+flag, word, flagWords[flag])
}

// flagWords are what flags with a choice take.
var flagWords = map[string][]string{
	"operation": {"create", "update", "upsert"}, "format": sheet.FormatNames(),
	"date-order": {"mdy", "dmy", "ymd"},
	"encoding": {
		"utf-8", "utf-16le", "utf-16be", "windows-1252", "ansi", "windows-1250", "windows-1251", "iso-8859-2", "iso-8859-15",
		"macintosh", "ibm850", "shift_jis", "euc-jp", "euc-kr", "gbk", "gb18030", "big5",
	},
	"delimiter": {"comma", "semicolon", "tab", "pipe"}, "resource": catalog.ResourceNames(),
	"overlap": {"error", "first", "second"}, "slug": {"derive", "keep"}, "compare": plan.Comparisons,
	"first": plan.Sides, "on-conflict": {plan.Fail, plan.Mine, plan.Theirs},
	"log-format": {"text", jsonLogs},
	"key-kind":   {"calendar", "organization", "oauth"}, "pace": {autoPace}, "allow": {"mail", "cancel", "refund", "charge"},
	"missing": plan.Missings,
}

// fileFlags say what a file is: to every command that reads it, and to map.
type fileFlags struct {
	resource, sheet, format                          string
	encoding, delimiter, rowsAt, timezone, dateOrder string
	headerRow                                        ordinal
}

func (o *fileFlags) register(f *pflag.FlagSet) {
	o.registerFolder(f)
	f.StringVar(&o.resource, "resource", "",
		"`WHAT` the rows are about: "+strings.Join(catalog.ResourceNames(), ", ")+" (default: what the sheet's name says, else events)")
	f.StringVar(&o.sheet, "sheet", "",
		"sheet to read: a `NAME` or a pattern such as 'Spring*' (default: those named after resources, else the first)")
	f.StringVar(&o.format, "format", "",
		"`FORMAT` of the files: "+strings.Join(sheet.FormatNames(), ", ")+", which reads a file or a folder of payloads (default: found)")
	f.Var(&o.headerRow, "header-row", "`ROW` that holds the headers (default: found)")
}

// registerFolder registers what can be said of all files of a folder.
func (o *fileFlags) registerFolder(f *pflag.FlagSet) {
	f.StringVar(&o.encoding, "encoding", "", "encoding of a text file that is not UTF-8, by its `NAME`")
	f.StringVar(&o.rowsAt, "rows-at", "", "`PATH` to the rows of a JSON document, such as data.days[].events[] (default: found)")
	f.StringVar(&o.delimiter, "delimiter", "",
		"`CHARACTER` between the cells of a text file, or comma, semicolon, tab or pipe (default: found)")
	f.StringVar(&o.dateOrder, "date-order", "", "`ORDER` of dates such as 03/04/2026: mdy, dmy or ymd")
	f.StringVar(&o.timezone, "timezone", "", "time `ZONE` of rows that name none, such as Europe/Paris")
}
