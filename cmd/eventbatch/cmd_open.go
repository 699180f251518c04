package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
	"eventbatch/batch/source"
	"eventbatch/cmd/eventbatch/desk"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

type openCommand struct {
	*env

	reading readingFlags
	plan    planFlags
	send    sendFlags // of the leave, and of the pace
	port    int
	quietly bool
	looks   bool // and changes nothing
}

func newOpenCommand(a *env) *cobra.Command {
	c := &openCommand{env: a}
	cmd := &cobra.Command{
		Use: "open [FILE]",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return nil
			case len(args) == 1 && args[0] == "-":
				return usagef("standard input cannot be opened").hinted("save it to a file first")
			}
			return needOneFile(cmd, args)
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) > 0 && strings.HasPrefix(files[0], "-") { // it came behind --, which the command lines of the page lack
				files[0] = "./" + files[0]
			}
			return c.run(cmd.Context(), files)
		},
	}
	c.register(cmd.Flags())
	return cmd
}

func (c *openCommand) register(f *pflag.FlagSet) {
	c.reading.register(f)
	f.IntVar(&c.port, "port", 0, "port `N` of this machine to serve on (default: a free one)")
	c.plan.registerPage(f)
	c.send.registerAllow(f)
	c.send.registerPace(f)
	f.BoolVar(&c.looks, "read-only", false, "only look: nothing is answered, planned or sent in the page, and no file is written")
	f.BoolVar(&c.quietly, "no-browser", false, "print the link, and start no browser")
}

// openDoc is the document of open. It is written as soon as the page answers, and so without the command's end.
type openDoc struct {
	Command string `json:"command"`
	Address string `json:"address"`
	Link    string `json:"link"` // opens the page once, within two minutes
}

// idleLife is after what time a page ends at which nobody looks.
const idleLife = 8 * time.Hour

func (c *openCommand) run(ctx context.Context, files []string) error {
	if err := lookAt(files); err != nil {
		return err
	}
	if c.port < 0 || c.port > 65535 {
		return usagef("--port: %d is no port of a machine; write a number up to 65535", c.port)
	}
	opening, err := c.verify(files)
	if err != nil { // what the flags say wrong is said here, and not on the page
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)))
	if err != nil {
		return fmt.Errorf("serving the page: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	var saying sync.WaitGroup
	defer saying.Wait()
	defer stop()
	config := desk.Config{
		Command: "eventbatch runs", Document: c.document, Make: c.makeFile(files), Idle: idleLife,
		Warn: func(words string) { c.say("warning: %s\n", words) },
		Told: func(session *desk.Session) { saying.Go(func() { c.sayRows(ctx, session) }) },
	}
	if !c.looks {
		config.Sending = c.sending(strings.Join(files, "")) // one at most
	}
	if len(files) > 0 {
		editing, err := c.editing(files[0])
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		config.File, config.Command = files[0], "eventbatch check "+spelling.Quoted(files[0])+c.flagsAlso(new(readingFlags).register)
		config.Editing, config.Mapping = editing, c.mapping(files[0], config.Command, editing)
		config.Marked = markedName(ctx, files, opening)
		if config.Session, err = config.Mapping.Read(ctx, config.Mapping.Kept); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	page := desk.New(config)
	defer func() { _ = page.Close() }() // its files have no names, and go with it
	if err := c.open(page, listener, files); err != nil {
		return errors.Join(err, listener.Close())
	}
	if c.canAsk("") {
		go c.links(ctx, page, listener) // which ends with a line, or with the process
	}
	if config.Session != nil {
		config.Told(config.Session)
	}
	err = page.Serve(ctx, listener)
	if n, line := page.Unkept(); n > 0 {
		c.say("in no file yet: %s, which this writes to one:\n%s\n", report.Count(n, "answer"), line)
	}
	return err
}

// verify refuses flags that do not go together, and returns how the file is opened.
func (c *openCommand) verify(files []string) (sheet.Options, error) {
	config, err := c.reading.checked(c.env, files)
	if err != nil {
		return sheet.Options{}, err
	}
	guards, err := c.plan.guards.guards()
	if err != nil {
		return sheet.Options{}, err
	}
	if _, err := c.plan.source.config(&c.reading, &guards); err != nil {
		return sheet.Options{}, err
	}
	if _, err := c.reading.choices(&config, c.global.Calendar); err != nil {
		return sheet.Options{}, err
	}
	if len(c.send.allow) > 0 && c.looks {
		return sheet.Options{}, usagef("--allow is for what is sent, and --read-only sends nothing").hinted("leave one of the two out")
	}
	if _, err := c.send.leave(&profile.Connection{}); err != nil {
		return sheet.Options{}, err
	}
	return config.Opening(), c.send.verify()
}

// mapping returns how the page comes to a mapping of a file: by the command map.
func (c *openCommand) mapping(file, checking string, editing desk.Editing) desk.Mapping {
	save := mappingName(file)
	m := desk.Mapping{
		By: c.reading.mapping,
		Map: func(ctx context.Context, answers []desk.Answer) desk.Mapped {
			var words []string
			for _, a := range answers {
				words = append(words, "--answer="+a.ID+"="+a.Value)
			}
			return desk.MappedBy(c.maps(ctx, file, editing.Edits, words...))
		},
		Read: func(ctx context.Context, mapping string) (*desk.Session, error) {
			reading, err := c.readBy(mapping, save)
			if err != nil {
				return nil, err
			}
			return c.session(ctx, file, reading, editing)
		},
		Same: mapfile.Same,
		Lines: func(answers []desk.Answer) (string, string, string) {
			var asking strings.Builder
			asking.WriteString("eventbatch map " + spelling.Quoted(file) + c.flagsAlso(new(fileFlags).register))
			for _, a := range answers {
				asking.WriteString(" --answer " + spelling.Quoted(a.ID+"="+a.Value))
			}
			return asking.String(), " -o " + spelling.Quoted(save), checking + " --mapping " + spelling.Quoted(save)
		},
	}
	if c.reading.mapping != mapfile.AutoName { // which map proposes by itself
		m.Shown = func(ctx context.Context) []byte { return c.maps(ctx, file, editing.Edits, "--mapping="+m.By) }
	}
	if m.By != "" || secret.IsAddress(file) {
		return m
	}
	if !c.looks {
		m.Save = save
	}
	switch beside := keptBeside(file); {
	case beside.Mapping != nil:
		m.By, m.Kept = beside.Name, beside.Text
		c.say("%s is read by %s, which lies beside it\n", c.screen.Path(file), c.screen.Path(beside.Name))
	case beside.Name != "":
		m.Unfinished, m.Unread = beside.Text, printable.Clean(beside.Why.Error())
		c.say("warning: %s is not read by %s, which lies beside it: %s\n", c.screen.Path(file), c.screen.Path(beside.Name), m.Unread)
	}
	return m
}

// maps returns the document of the command map for a file, as it is edited on the page.
func (c *openCommand) maps(ctx context.Context, file string, edits *desk.Edits, words ...string) []byte {
	var lay func(string, *sheet.Row)
	if edits != nil {
		_ = edits.Sum(ctx) // which finds those of before
		lay = edits.Lay
	}
	return c.documentOf(ctx, lay, slices.Concat([]string{"map"}, c.wordsAlso(new(fileFlags).register), words, []string{"--", file})...)
}

// readBy returns how rows are read: by a mapping, or as they are where it is empty. save is what it would be called.
func (c *openCommand) readBy(mapping, save string) (reading readingFlags, err error) {
	if reading = c.reading; mapping != "" {
		reading.mapped, err = mapfile.Decode([]byte(mapping), save)
	}
	return reading, err
}

// editing returns how the page edits a file: its copy is written by the command fix.
func (c *openCommand) editing(file string) (e desk.Editing, err error) {
	if c.looks || secret.IsAddress(file) {
		return e, nil
	}
	folder, err := c.folder()
	if err != nil {
		return e, err
	}
	config, err := c.reading.config(c.env, []string{file}, time.Now())
	if err != nil {
		return e, err
	}
	e.Copy = source.MendedCopy(file)
	e.Edits = desk.NewEdits(folder, file, config.Opening())
	e.Mend = func(ctx context.Context, edits, text string) error {
		reading, err := c.readBy(text, mappingName(file))
		if err != nil {
			return err
		}
		fix := &fixCommand{env: c.within(io.Discard), reading: reading, output: e.Copy, force: true, unasked: true}
		fix.edits = edits
		err = fix.run(ctx, file)
		if errors.Is(err, failure.Invalid) || failure.Is[*mapping.HeaderError](err) { // which it may be still
			return nil
		}
		return err
	}
	flags := c.flagsAlso(new(readingFlags).register)
	e.Line = func(edits, mapping string, over bool) string {
		line := "eventbatch fix " + spelling.Quoted(file) + flags
		if mapping != "" {
			line += " --mapping " + spelling.Quoted(mapping)
		}
		line += " -o " + spelling.Quoted(e.Copy) + " --edits " + spelling.Quoted(edits) + " --yes"
		if over {
			line += " --force"
		}
		return line
	}
	e.Rows = func(command, rows string) string {
		return strings.Replace(command, " --rows "+spelling.Quoted(c.reading.rows), "", 1) + " --rows " + spelling.Quoted(rows)
	}
	e.Checking = func(command string) string {
		return strings.Replace(command, " "+spelling.Quoted(file), " "+spelling.Quoted(e.Copy), 1)
	}
	return e, nil
}

// within returns what a command needs that is carried out in this process.
func (c *openCommand) within(out io.Writer) *env {
	a := newEnv(c.vars, strings.NewReader(""), out, io.Discard)
	a.global, a.command = c.global, c.command
	a.global.json = true
	return a
}

// session reads a file for the page, by the command check.
func (c *openCommand) session(ctx context.Context, file string, reading readingFlags, editing desk.Editing) (*desk.Session, error) {
	return desk.NewSession(editing.Edits, func(s *desk.Session) []byte {
		check := &checkCommand{reading: reading, desk: s}
		if s.Sum(ctx); editing.Edits != nil && editing.Edits.Any() { // the rows are those of the copy
			_, _ = editing.Edits.Written() // the line that writes it names them; where they cannot be, it says so
			return c.check(ctx, file, map[string]string{file: editing.Copy}, check)
		}
		return c.check(ctx, file, nil, check)
	})
}

// check returns what the command check prints under --json, which is carried out in this process. names are what files are
// called where that is not as they are.
func (c *openCommand) check(ctx context.Context, file string, names map[string]string, check *checkCommand) []byte {
	var text bytes.Buffer
	check.env = c.within(&text)
	check.names = names
	check.page.register(pflag.NewFlagSet("", pflag.ContinueOnError)) // for what it is by itself
	if _, err := check.checkOnce(ctx, []string{file}); err != nil && text.Len() == 0 {
		_ = report.WriteEnded(&text, "end", "check", check.exit(err)) // into memory
	}
	return text.Bytes()
}

// document returns what a command prints under --json, which is carried out in this process.
func (c *openCommand) document(ctx context.Context, args ...string) []byte {
	return c.documentOf(ctx, nil, args...)
}

// documentOf returns the same about a file over whose rows other cells are laid; nil: none are.
func (c *openCommand) documentOf(ctx context.Context, lay func(sheet string, row *sheet.Row), args ...string) []byte {
	var text bytes.Buffer
	a := newEnv(c.vars, strings.NewReader(""), &text, io.Discard)
	a.edited = lay
	a.do(ctx, slices.Concat(args[:1], c.given(), []string{"--json"}, args[1:]))
	return text.Bytes()
}

// open opens the browser, or says where the page is.
func (c *openCommand) open(page *desk.Desk, listener net.Listener, files []string) error {
	link := page.Link(listener)
	address, _, _ := strings.Cut(link, "#")
	if c.global.json || c.quietly || !desk.Browse(c.vars, link) {
		c.say("the link works once, for two minutes; stop it with Ctrl-C\n")
		if c.global.json {
			return report.WriteJSON(c.stdout, "open", openDoc{"open", address, link})
		}
		_, err := fmt.Fprintln(c.stdout, link)
		return err
	}
	what := "the page"
	if len(files) > 0 {
		what = files[0]
	}
	c.say("%s is open in your browser: %s\n", what, address)
	c.say("Only on this machine; nothing leaves it until you send. No page? Press Enter for a link that works once.\n")
	return nil
}

// links prints another link for each line that a person writes.
func (c *openCommand) links(ctx context.Context, page *desk.Desk, listener net.Listener) {
	for {
		if _, err := c.person().Line(ctx); err != nil {
			return
		}
		c.say("%s\n", page.Link(listener))
	}
}

// sayRows says what is in the file, once it was read.
func (c *openCommand) sayRows(ctx context.Context, session *desk.Session) {
	read, invalid, err := session.Summary(ctx)
	switch {
	case err != nil:
	case read == 0: // none is, before questions are answered
		c.say("Ctrl-C ends\n")
	default:
		c.say("%s · %s with mistakes · Ctrl-C ends\n", report.Count(read, "row"), report.Number(invalid))
	}
}
