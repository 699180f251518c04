package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

type migrateCommand struct {
	*env

	reading readingFlags
	plan    planFlags
	send    sendFlags
	dryRun  bool

	session *session
	request planRequest
	planned *batch.Planned
	unknown error // that a file is not known
}

func newMigrateCommand(a *env) *cobra.Command {
	c := &migrateCommand{env: a}
	folder := needOne("folder", "the folder that the exports lie in", "")
	cmd := newCommand("migrate FOLDER", folder, func(ctx context.Context, args []string) error { return c.run(ctx, args[0]) })
	c.reading.registerFolder(cmd.Flags())
	c.plan.register(cmd.Flags())
	c.send.register(cmd.Flags())
	cmd.Flags().BoolVar(&c.dryRun, "dry-run", false, "print the balance, and send nothing")
	return cmd
}

func (c *migrateCommand) run(ctx context.Context, dir string) error {
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return usagef("%s is no folder", dir).hinted("a single file goes by eventbatch import " + spelling.Quoted(dir))
	} else if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, syscall.ENOENT)
	}
	if c.dryRun {
		c.send.yes = true // nobody has to be asked
	}
	s, err := newSession(c.env, &c.send, true)
	if err != nil {
		return err
	}
	defer s.close()
	c.session = s
	if c.dryRun {
		store, err := c.openWorkspace()
		if err != nil {
			return err
		}
		dry, err := files.OpenDry(store)
		if err != nil {
			return err
		}
		defer func() { _ = dry.Close() }() // a folder for what is passing
		c.request.store, s.doc.Dry = dry, true
	}
	if err := c.planFolder(ctx, dir); err != nil {
		return s.failed(ctx, err)
	}
	if c.dryRun {
		changes := c.plan.detailedExit && c.planned.Total() > 0
		return c.tell(s.end(s.doc, cmp.Or(c.unknown, c.planned.Stuck(), ending(c.planned.Rows.HeldBack(), changes))))
	}
	if !c.send.yes {
		c.show()
	}
	c.send.detailedExit = c.plan.detailedExit
	c.send.concluded = func(applied *batch.Applied) { c.balance(context.WithoutCancel(ctx), applied) }
	return c.tell(s.confirmAndSend(ctx, c.planned, &c.send))
}

// planFolder finds out what the files are, and plans them.
func (c *migrateCommand) planFolder(ctx context.Context, dir string) error {
	delimiter, err := c.reading.writing()
	if err != nil {
		return err
	}
	found, err := mapping.ReadFolder(ctx, dir, sheet.Options{Encoding: c.reading.encoding, Delimiter: delimiter})
	if err != nil {
		return err
	}
	if c.unknown = c.know(found); c.unknown != nil && !c.dryRun {
		return c.unknown
	}
	if len(found.Inputs) == 0 {
		return cmp.Or(c.unknown, failure.New(failure.Invalid, fmt.Errorf("%s holds no file of rows", dir), ""))
	}
	var files []string
	for _, in := range found.Inputs {
		if !slices.Contains(files, in.File) {
			files = append(files, in.File)
		}
	}
	slices.Sort(files)
	c.request = planRequest{
		reading: c.reading, plan: c.plan, files: files, inputs: found.Inputs, folder: dir, now: time.Now(),
		ask: c.send.mustAsk(), store: c.request.store,
	}
	if c.dryRun {
		c.request.plan.SkipInvalid = true // they are in the balance
	}
	if err := c.ask(ctx); err != nil {
		return err
	}
	if c.planned, err = c.session.plan(ctx, c.request); err != nil {
		return err
	}
	c.balance(ctx, nil)
	return nil
}

// know says what each file is read as. The error is that one is not known.
func (c *migrateCommand) know(found *mapping.Folder) error {
	for _, passed := range found.Passed {
		c.session.doc.Notes = append(c.session.doc.Notes, passed.Name+" is not read: "+passed.Why)
		c.say("note: %s is not read: %s\n", printable.Clean(passed.Name), passed.Why)
	}
	for i := range found.Inputs {
		in := &found.Inputs[i]
		by := "by its own headers"
		if in.Mapping != nil {
			by = "by " + cmp.Or(in.Mapping.Preset(), in.Mapping.Name())
		}
		name := printable.Clean(schema.Place{File: in.File, Sheet: in.Sheet}.String())
		c.say("%s: %s, %s\n", name, in.Of().Name, by)
		for _, join := range in.Join {
			c.say("%s: %s, which %s is read with\n", printable.Clean(join.File), join.Name, name)
		}
	}
	if len(found.Unknown) == 0 {
		return nil
	}
	problems := report.Problems{Screen: c.wordScreen(), Rest: func() string { return "--json prints every one" }}
	for i := range found.Unknown {
		u := &found.Unknown[i]
		said, or := "eventbatch map "+spelling.Quoted(u.File), "; or move it out of the folder"
		if u.Sheet != "" {
			said, or = said+" --sheet "+spelling.Quoted(u.Sheet), "; or hide the sheet"
		}
		p := u.Problem(said + " -o " + spelling.Quoted(mappingName(u.File)) + or)
		c.session.doc.Problems = append(c.session.doc.Problems, p)
		problems.Problem(p)
	}
	words := report.Count(len(found.Unknown), "file") + " of the folder cannot be read; nothing was sent"
	return cmp.Or(c.showProblems(&problems, nil, ""), failure.New(failure.Invalid, errors.New(words), ""))
}

// balance sets what the files hold against what is made of them.
func (c *migrateCommand) balance(ctx context.Context, applied *batch.Applied) {
	reading, err := c.session.read(&c.request)
	if err == nil {
		c.session.doc.Balance, err = batch.Balance(ctx, reading, c.planned.Run, applied)
	}
	if err != nil {
		c.screen.Aside("warning: the balance cannot be drawn: " + printable.Clean(err.Error()))
	}
}

// tell prints the balance at the end.
func (c *migrateCommand) tell(err error) error {
	if c.global.json || c.global.quiet {
		return err
	}
	return errors.Join(err, c.show())
}

func (c *migrateCommand) show() error { return report.Balance(c.stdout, c.session.doc.Balance) }
