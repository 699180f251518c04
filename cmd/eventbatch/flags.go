package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/mapping"
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
	f.StringVar(
		&g.store, "store", "",
		"`ADDRESS` of the database that remembers runs, such as postgres://localhost/agency (default: store of the profile)",
	)
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
	of                     *schema.Resource // no flag: what the rows of a call are about
	overlap, rows          string
	recurUntil, coversFrom string
	coversFromWeb          bool
	limit                  ordinal
	set, join              []string
}

func (r *readingFlags) register(f *pflag.FlagSet) {
	r.fileFlags.register(f)
	r.registerWhen(f)
	f.StringVar(
		&r.mapping, "mapping", "",
		"`FILE` that says which column feeds which field, a preset's name, or auto for the preset that the columns fit",
	)
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
	f.StringVar(
		&r.recurUntil, "recur-until", "",
		"read a series that has no end until this `DAY`, such as 2027-06-30 (default: a year from now)",
	)
	f.StringVar(&r.coversFrom, "covers-from", "", "`FOLDER` below which the pictures of cover_file lie (default: that of their file)")
	f.StringArrayVar(&r.set, "set", nil, "`FIELD=VALUE` for every row (repeatable)")
	f.BoolVar(&r.coversFromWeb, "covers-from-web", false, "fetch the pictures of cover_file that are https addresses")
}

// config returns the reading of the files. The mapping file is read here.
func (r *readingFlags) config(a *app, files []string, now time.Time) (mapping.Config, error) {
	c := mapping.Config{
		Files: files, Names: a.names, Stdin: a.stdin, Format: r.format, Encoding: r.encoding, RowsAt: r.rowsAt,
		Sheet: r.sheet, HeaderRow: int(r.headerRow), DateOrder: r.dateOrder, Timezone: r.timezone, Overlap: r.overlap,
		Limit: int(r.limit), Now: now,
	}
	var err error
	if c.Delimiter, err = r.writing(); err != nil {
		return c, err
	}
	if c.Resource, err = resourceSaid(r.resource, c.Resource); err != nil {
		return c, err
	}
	c.Resource = cmp.Or(r.of, c.Resource)
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
	for _, text := range r.set {
		assignment, err := mapping.ParseAssignment(text)
		if err != nil {
			return c, err
		}
		c.Set = append(c.Set, assignment)
	}
	for _, text := range r.join {
		join, err := mapping.ParseJoin(text)
		if err != nil {
			return c, err
		}
		c.Join = append(c.Join, join)
	}
	if r.mapping != "" {
		if c.Mapping, err = mapfile.Load(r.mapping); err != nil {
			return c, err
		}
		if err := c.Mapping.Finished(c.Files); err != nil {
			return c, err
		}
	}
	return c, nil
}

// resourceSaid returns the resource of a --resource, or else the one that is known without it.
func resourceSaid(word string, known *schema.Resource) (*schema.Resource, error) {
	r, ok := schema.ResourceNamed(word)
	switch {
	case ok:
		return r, nil
	case word != "":
		return nil, wrongWord("--resource", word, schema.ResourceNames())
	}
	return known, nil
}

// pictures returns where pictures come from, for what is checked and not sent.
func (r *readingFlags) pictures() batch.PictureConfig {
	return batch.PictureConfig{CoversFrom: r.coversFrom, Unfetched: r.coversFromWeb}
}

// fetched returns where pictures come from, and are kept that are fetched for a plan.
func (r *readingFlags) fetched(a *app) (batch.PictureConfig, error) {
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
	if r.resource != "" || r.of != nil {
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
	if c.Mapping != nil {
		text, err := c.Mapping.Encode()
		if err != nil {
			return nil, err
		}
		choices = append(choices, string(text))
	}
	for i := range c.Inputs {
		in := &c.Inputs[i]
		choices = append(choices, in.File, in.Sheet, in.Of().Name)
		if in.Mapping != nil {
			text, err := in.Mapping.Encode()
			if err != nil {
				return nil, err
			}
			choices = append(choices, string(text))
		}
	}
	return choices, nil
}

// writing checks what is said of how a text file is written, before any file is
// opened: a wrong word is a mistake of the command line, not of the file.
func (r *readingFlags) writing() (delimiter rune, err error) {
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
	last := len(words) - 1
	hint := "write " + strings.Join(words[:last], ", ") + " or " + words[last]
	if near := spelling.Nearest(word, words); near != "" {
		hint = "did you mean " + near + "?"
	}
	if name, flag := strings.CutPrefix(by, "--"); flag {
		return &usageError{err: fmt.Errorf("--%s: no %s %q", name, name, word), hint: hint}
	}
	return &usageError{err: fmt.Errorf("no %s %q", by, word), hint: hint}
}

// planFlags say what rows become.
type planFlags struct {
	slug          string
	compare       compareFlags
	skipInvalid   bool
	forgetMissing bool
	detailedExit  bool
	// replaceDefault has the platform's free ticket types give way to paid ones.
	replaceDefault bool
	guards         guardFlags
	source         sourceFlags
	owns           []string // no flag: fields about which the file is right, whatever the platform says
}

func (p *planFlags) register(f *pflag.FlagSet) {
	f.StringVar(
		&p.slug, "slug", "derive",
		"`HOW` new events get a slug: derive makes one from the key, keep leaves a blank one to the service",
	)
	p.compare.register(f)
	f.BoolVar(&p.skipInvalid, "skip-invalid", false, "leave out invalid rows instead of refusing the file")
	f.BoolVar(&p.forgetMissing, "forget-missing", false, "create events anew that were deleted from the service, as a run before has found")
	f.BoolVar(&p.detailedExit, "detailed-exitcode", false, "exit with 2 where there are changes")
	f.BoolVar(
		&p.replaceDefault, "replace-default", false,
		"take the platform's free ticket type of an event away once rows have brought paid ones, where no guest has it",
	)
	p.guards.register(f)
	p.source.register(f)
}

// options returns the options of a plan.
func (p *planFlags) options(r *readingFlags) (plan.Options, error) {
	if choices := flagWords["slug"]; !slices.Contains(choices, p.slug) {
		return plan.Options{}, wrongWord("--slug", p.slug, choices)
	}
	o := plan.Options{Operation: r.operation, Slug: p.slug, SkipInvalid: p.skipInvalid, ForgetMissing: p.forgetMissing, Owns: p.owns}
	o.ReplaceDefault = p.replaceDefault
	err := p.compare.into(&o)
	return o, err
}

// sendFlags say how a plan is carried out.
type sendFlags struct {
	yes         bool
	concurrency int
	pace        string
	share       string
	allow       []string
	maxErrors   string
	maxDuration time.Duration
	results     string
	fresh       time.Duration
	detach      bool
	impatient   bool // no flag: what is parked is told, not waited for
	leased      bool // no flag: whoever sends has the leases
	answered    func(*schema.Operation, []byte)
	concluded   func(*batch.Applied) // no flag: told once it is known what became of the run
	// detailedExit is a flag of planning: exit with 2 where there are changes.
	detailedExit bool
}

func (s *sendFlags) register(f *pflag.FlagSet) {
	s.fresh = live.Fresh
	f.BoolVar(&s.yes, "yes", false, "send without asking")
	s.registerAllow(f)
	f.StringVar(&s.results, "results", "", "write the results to this `FILE` too: CSV, or a workbook with the sheets of the input (.xlsx)")
	f.StringVar(&s.maxErrors, "max-errors", "", "stop when so many rows have failed: a `NUMBER` or a share such as 5%")
	f.DurationVar(&s.maxDuration, "max-duration", 0, "stop after this `TIME`, such as 90m; the run can be gone on with")
	s.registerPace(f)
}

// registerDetach registers the flag of commands that need not see the end.
func (s *sendFlags) registerDetach(f *pflag.FlagSet) {
	f.BoolVar(&s.detach, "detach", false, "leave the run to the workers of the store, and print its id (see worker)")
}

// registerPace registers what decides how fast requests leave.
func (s *sendFlags) registerPace(f *pflag.FlagSet) {
	f.IntVar(&s.concurrency, "concurrency", 10, "`REQUESTS` of one calendar under way at once")
	f.StringVar(&s.pace, "pace", autoPace, "most requests a second: auto, a `RATE` such as 20/s, or 0 for no bound but the quota; "+
		"auto is 50/s, or five times what the limits allow where that is more")
	f.StringVar(&s.share, "quota-share", "100%", "`PART` of the quota that may be used")
}

// autoPace has the pace follow the limits.
const autoPace = "auto"

// mustAsk reports whether a person is asked, who has to see the plan first.
func (s *sendFlags) mustAsk() bool { return !s.yes }

// verify refuses flags that do not go together.
func (s *sendFlags) verify() error {
	if _, _, err := s.pacing(); err != nil {
		return err
	}
	if s.maxDuration < 0 {
		return usagef("--max-duration: %s is not a time to take", s.maxDuration)
	}
	_, err := s.errorLimit(1)
	return err
}

// pacing reads --pace and --quota-share.
func (s *sendFlags) pacing() (pace, share float64, err error) {
	if pace, err = s.rate(); err != nil {
		return 0, 0, err
	}
	share, err = fraction(s.share)
	if err != nil || share <= 0 || share > 1 {
		return 0, 0, usagef("--quota-share: %q is not a share; write a number above 0 up to 1, or a percentage", s.share)
	}
	if s.concurrency < 1 || s.concurrency > 1000 {
		return 0, 0, usagef("--concurrency: %d is not between 1 and 1000", s.concurrency)
	}
	return pace, share, nil
}

// rate reads --pace.
func (s *sendFlags) rate() (float64, error) {
	if strings.EqualFold(strings.TrimSpace(s.pace), autoPace) {
		return quota.AutoPace, nil
	}
	pace, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s.pace), "/s"), 64)
	if err != nil || pace < 0 || math.IsInf(pace, 0) || math.IsNaN(pace) {
		return 0, usagef("--pace: %q is not a rate; write auto, or a number a second, such as 50/s", s.pace)
	}
	return pace, nil
}

// errorLimit reads --max-errors for a plan of so many rows that are sent; 0
// sets no limit.
func (s *sendFlags) errorLimit(rows int) (int, error) {
	if s.maxErrors == "" {
		return 0, nil
	}
	if strings.HasSuffix(s.maxErrors, "%") {
		share, err := fraction(s.maxErrors)
		if err != nil || share <= 0 || share > 1 || math.IsNaN(share) {
			return 0, usagef("--max-errors: %q is not a share; write a percentage above 0%% up to 100%%", s.maxErrors)
		}
		return max(1, int(math.Ceil(share*float64(rows)))), nil
	}
	n, err := strconv.Atoi(s.maxErrors)
	if err != nil || n < 1 {
		return 0, usagef("--max-errors: %q is neither a number from 1 nor a share such as 5%%", s.maxErrors)
	}
	return n, nil
}

// fraction reads 0.25 and 25%.
func fraction(text string) (float64, error) {
	if digits, ok := strings.CutSuffix(strings.TrimSpace(text), "%"); ok {
		f, err := strconv.ParseFloat(digits, 64)
		return f / 100, err
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && math.IsNaN(f) {
		err = fmt.Errorf("not a number")
	}
	return f, err
}
