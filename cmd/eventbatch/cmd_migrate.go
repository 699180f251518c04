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
	m := migration{migrateCommand: c, session: s}
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
		m.request.store, s.doc.Dry = dry, true
	}
	if err := m.planFolder(ctx, dir); err != nil {
		return s.failed(ctx, err)
	}
	if c.dryRun {
		return m.tell(m.end())
	}
	if !c.send.yes {
		m.show()
	}
	c.send.detailedExit = c.plan.detailedExit
	c.send.concluded = func(applied *batch.Applied) { m.balance(context.WithoutCancel(ctx), applied) }
	return m.tell(s.confirmAndSend(ctx, m.planned, &c.send))
}

// migration is one going of migrate.
type migration struct {
	*migrateCommand

	session *session
	request planRequest
	planned *batch.Planned
	unknown error // that a file is not known
}

// planFolder finds out what the files are, and plans them.
func (m *migration) planFolder(ctx context.Context, dir string) error {
	delimiter, err := m.reading.writing()
	if err != nil {
		return err
	}
	found, err := mapping.ReadFolder(ctx, dir, sheet.Options{Encoding: m.reading.encoding, Delimiter: delimiter})
	if err != nil {
		return err
	}
	if m.unknown = m.know(found); m.unknown != nil && !m.dryRun {
		return m.unknown
	}
	if len(found.Inputs) == 0 {
		return cmp.Or(m.unknown, failure.New(failure.Invalid, fmt.Errorf("%s holds no file of rows", dir), ""))
	}
	var files []string
	for _, in := range found.Inputs {
		if !slices.Contains(files, in.File) {
			files = append(files, in.File)
		}
	}
	slices.Sort(files)
	m.request = planRequest{
		reading: m.reading, plan: m.plan, files: files, inputs: found.Inputs, folder: dir, now: time.Now(),
		ask: m.send.mustAsk(), store: m.request.store,
	}
	if m.dryRun {
		m.request.plan.SkipInvalid = true // they are in the balance
	}
	if err := m.ask(ctx); err != nil {
		return err
	}
	if m.planned, err = m.session.plan(ctx, m.request); err != nil {
		return err
	}
	m.balance(ctx, nil)
	return nil
}

// know says what each file is read as. The error is that one is not known.
func (m *migration) know(found *mapping.Folder) error {
	for _, passed := range found.Passed {
		m.session.doc.Notes = append(m.session.doc.Notes, passed.Name+" is not read: "+passed.Why)
		m.say("note: %s is not read: %s\n", printable.Clean(passed.Name), passed.Why)
	}
	for i := range found.Inputs {
		in := &found.Inputs[i]
		by := "by its own headers"
		if in.Mapping != nil {
			by = "by " + cmp.Or(in.Mapping.Preset(), in.Mapping.Name())
		}
		name := printable.Clean(schema.Place{File: in.File, Sheet: in.Sheet}.String())
		m.say("%s: %s, %s\n", name, in.Of().Name, by)
		for _, join := range in.Join {
			m.say("%s: %s, which %s is read with\n", printable.Clean(join.File), join.Name, name)
		}
	}
	if len(found.Unknown) == 0 {
		return nil
	}
	problems := report.Problems{Screen: m.wordScreen(), Rest: func() string { return "--json prints every one" }}
	for i := range found.Unknown {
		u := &found.Unknown[i]
		said, or := "eventbatch map "+spelling.Quoted(u.File), "; or move it out of the folder"
		if u.Sheet != "" {
			said, or = said+" --sheet "+spelling.Quoted(u.Sheet), "; or hide the sheet"
		}
		p := u.Problem(said + " -o " + spelling.Quoted(mappingName(u.File)) + or)
		m.session.doc.Problems = append(m.session.doc.Problems, p)
		problems.Problem(p)
	}
	words := report.Count(len(found.Unknown), "file") + " of the folder cannot be read; nothing was sent"
	return cmp.Or(m.showProblems(&problems, nil, ""), failure.New(failure.Invalid, errors.New(words), ""))
}

// balance sets what the files hold against what is made of them.
func (m *migration) balance(ctx context.Context, applied *batch.Applied) {
	reading, err := m.session.read(&m.request)
	if err == nil {
		m.session.doc.Balance, err = batch.Balance(ctx, reading, m.planned.Run, applied)
	}
	if err != nil {
		m.screen.Aside("warning: the balance cannot be drawn: " + printable.Clean(err.Error()))
	}
}

// end ends a migration that sends nothing.
func (m *migration) end() error {
	changes := m.plan.detailedExit && m.planned.Total() > 0
	return m.env.end(m.session.doc, cmp.Or(m.unknown, m.planned.Stuck(), ending(m.planned.Rows.HeldBack(), changes)))
}

// tell prints the balance at the end.
func (m *migration) tell(err error) error {
	if m.global.json || m.global.quiet {
		return err
	}
	return errors.Join(err, m.show())
}

func (m *migration) show() error { return report.Balance(m.stdout, m.session.doc.Balance) }
