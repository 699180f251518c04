package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/feed"
	"eventbatch/batch/night"
	"eventbatch/batch/notify"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/sheet"
)

// syncOne goes through one sync, which no other process can do at the same time, and tells
// how it went.
func (a *app) syncOne(ctx context.Context, job *syncJob, doc *report.Run) error {
	a.about.set(job.name, "")
	defer a.under(job)()
	s := syncing{app: a, job: job, doc: doc, begun: time.Now()}
	transport, err := a.feedTransport()
	if err != nil {
		return a.planFailed(ctx, doc, err)
	}
	defer transport.CloseIdleConnections()
	unlock, err := s.take()
	teller := job.teller(notify.Config{
		Keep: s.keeps(err), Transport: transport, UserAgent: userAgent(), TLS: &tls.Config{RootCAs: transport.TLSClientConfig.RootCAs},
	})
	if job.sync.dryRun {
		teller = nil
	}
	if err == nil {
		defer unlock() // it dies with the process
		s.log(night.Entry{})
		if teller != nil {
			s.warn(teller.Begin(ctx))
		}
		err = s.hold(ctx, transport)
	} else {
		err = a.planFailed(ctx, doc, err)
	}
	told := s.told(because(ctx, err))
	entry := night.Entry{Ended: time.Now(), Run: told.Run, Ending: s.ending(&told), Work: workOf(&told)}
	if teller != nil && !(job.restarts && isInterrupted(told.Err)) {
		s.warn(teller.End(context.WithoutCancel(ctx), told))
		entry.Told = teller.Heard()
	}
	s.log(entry)
	return err
}

// syncing is one night of one sync.
type syncing struct {
	*app

	job    *syncJob
	doc    *report.Run
	shelf  night.Shelf // nil where it cannot be opened
	memory *night.Memory
	begun  time.Time

	feed     *feed.Feed // nil where it could not be read
	bound    string
	rules    map[string]string
	grid     bool // the rows are cells of a grid
	troubles notify.Troubles
}

// warn says what went wrong beside the sync, which it does not fail.
func (s *syncing) warn(err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") { // several errors are a line each
		s.screen.Aside("warning: " + printable.Clean(line))
	}
}

// hold goes through the night while the sync is held, and remembers it.
func (s *syncing) hold(ctx context.Context, transport http.RoundTripper) (err error) {
	s.warn(feed.Sweep(s.job.folder))
	if s.memory, err = night.Load(s.shelf, s.job.kept); err != nil {
		return s.planFailed(ctx, s.doc, err)
	}
	err = s.night(ctx, transport)
	if s.job.sync.dryRun {
		return err
	}
	err = errors.Join(err, s.remember(ctx, err))
	s.prune(ctx)
	return err
}

// prune removes what is old, where the configuration says when that is.
func (s *syncing) prune(ctx context.Context) {
	what, asked := s.job.pruning()
	if !asked || ctx.Err() != nil {
		return
	}
	workspace, err := s.openWorkspace()
	if err == nil {
		_, err = workspace.Prune(ctx, what)
	}
	s.warn(err)
}

// night reads the feed, plans and sends.
func (s *syncing) night(ctx context.Context, transport http.RoundTripper) error {
	job := s.job
	job.defaults(s.memory)
	if err := job.send.verify(); err != nil {
		return err
	}
	conn, err := s.connect(&job.send)
	if err != nil {
		return err
	}
	defer conn.close()
	s.doc.Target.BaseURL = conn.BaseURL()
	if err := s.bind(conn); err != nil {
		return s.planFailed(ctx, s.doc, err)
	}
	if err := s.read(ctx, transport); err != nil {
		return s.planFailed(ctx, s.doc, err)
	}
	defer s.feed.Close() // the rows are planned
	if s.feed.Unchanged {
		s.doc.Rows = found.Rows{}
		s.say("%s: nothing new since %s\n", printable.Clean(job.name), s.memory.Done.At.Local().Format("02 Jan 2006 15:04"))
		if s.global.json {
			return s.end(s.doc, nil)
		}
		return nil
	}
	if err := s.cutOff(ctx); err != nil {
		return s.planFailed(ctx, s.doc, err)
	}
	if err := s.wait(ctx); err != nil {
		return s.planFailed(ctx, s.doc, err)
	}
	if s.names == nil {
		s.names = map[string]string{}
	}
	s.names[s.feed.Path] = s.feed.Name
	reports := job.plan.source.missing == string(batch.MissingReport)
	moved := s.memory.Moved(s.rules)
	if len(moved) > 0 {
		s.say("note: %s changed since the last night: nothing is cancelled tonight\n", strings.Join(moved, " and "))
		job.plan.source.missing = string(batch.MissingReport)
	}
	gone := s.memory.Gone
	way := session{app: s.app, conn: conn, doc: s.doc}
	planned, err := way.plan(ctx, planRequest{reading: job.reading, plan: job.plan, files: []string{s.feed.Path}, night: &nightRequest{
		sync: job.said, settles: !job.sync.dryRun,
		listing: batch.Listing{Within: job.send.maxDuration, Else: job.listElse},
		problem: s.problem, longGone: func(reading string, keys []string) (long map[string]bool) {
			gone, long = s.memory.Missed(s.begun, reading, keys)
			return long
		},
	}})
	if err == nil {
		s.seen(planned)
		if moved = s.memory.Moved(s.rules); len(moved) > 0 && !job.sync.accept && !job.sync.dryRun {
			err = s.tooMany(planned, moved)
		}
	}
	if err != nil {
		return s.planFailed(ctx, s.doc, s.guarded(err))
	}
	if job.sync.dryRun {
		return s.show(planned)
	}
	if err := planned.Leave(conn.leave, s.resumeCommand("apply", planned.Run.ID())); err != nil {
		return s.planFailed(ctx, s.doc, err)
	}
	s.memory.Gone, s.memory.Rules = gone, s.rules // whatever becomes of a row, they were seen
	s.noteMissing(planned, reports)
	s.noteUnfed(planned)
	err = way.send(ctx, planned, &job.send, notDone{s, planned.Run.Header().Sheets})
	s.sayNewlyLeft()
	return err
}

// guarded returns an error of the plan with the command that lets it pass, where a wider bound does.
func (s *syncing) guarded(err error) error {
	e, ok := errors.AsType[*batch.GuardError](err)
	if !ok || e.Wider == "" {
		return err
	}
	hint := e.Look + ", say once: " + s.again(e.Wider)
	if s.memory.Done == nil && s.job.plan.guards.maxCreate == syncFirstCreate {
		hint = "a first night creates " + syncFirstCreate + " rows at most: " + hint
	}
	return failure.New(failure.Refused, err, hint)
}

// show ends a dry run, as plan ends.
func (s *syncing) show(planned *batch.Planned) error {
	err := ending(planned.Rows, heldBack, s.job.plan.detailedExit && planned.Total() > 0)
	if s.global.json {
		return s.end(s.doc, err)
	}
	return err
}

// bind names what decides, besides the feed, what becomes of its rows.
func (s *syncing) bind(conn *connection) error {
	r := s.job.reading
	reading, err := r.config(s.app, nil, s.begun)
	if err != nil {
		return err
	}
	mapped, key, set := []byte(nil), "", r.set
	if reading.Mapping != nil {
		if mapped, err = reading.Mapping.Encode(); err != nil {
			return err
		}
		key, s.grid = strings.Join(reading.Mapping.Key, " "), len(reading.Mapping.Grid.Columns) > 0
	}
	reading.Mapping, r.set = nil, nil
	choices, err := r.choices(&reading, s.global.Calendar)
	if err != nil {
		return err
	}
	s.rules = map[string]string{
		"the mapping": hash(string(mapped)), "the key column": hash(key), "the values set": hash(set...),
		"the reading": hash(choices...),
	}
	p := &s.job.plan
	s.bound = hash(
		s.job.name, conn.BaseURL(), calendarsOf(conn.profile), version(),
		p.slug, p.compare.with, p.compare.who, p.compare.onConflict, p.source.missing,
		strconv.FormatBool(p.skipInvalid), strconv.FormatBool(p.replaceDefault),
		strings.Join(p.owns, " "), strings.Join(s.job.send.allow, " "),
		strings.Join(slices.Sorted(maps.Values(s.rules)), " "),
	)
	return nil
}

// calendarsOf returns what the keys of a profile are for.
func calendarsOf(p *profile.Connection) string {
	var list []string
	for i := range p.Keys {
		list = append(list, string(p.Keys[i].Kind), p.Keys[i].Calendar, p.Keys[i].Organization)
	}
	return strings.Join(list, " ")
}

// seen adds the columns to the rules: where nothing else does, they say which cell feeds which
// field.
func (s *syncing) seen(planned *batch.Planned) {
	if !s.columned() {
		return
	}
	var columns []string
	for _, sheet := range planned.Run.Header().Sheets {
		columns = append(append(columns, sheet.Sheet), sheet.Header...)
	}
	s.rules["the columns"] = hash(columns...)
}

// columned reports whether the feed has columns that stay: those of a grid are rows of their own.
func (s *syncing) columned() bool {
	return !s.grid && sheet.Columned(s.job.reading.format, strings.ToLower(filepath.Ext(s.feed.Path)))
}

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// remember writes down how the night ended.
func (s *syncing) remember(ctx context.Context, err error) error {
	code := exitCode(because(ctx, err))
	n := night.Night{Begun: s.begun, Ended: time.Now(), Reason: exits[code].reason, Run: s.doc.Run}
	switch {
	case s.feed == nil:
		s.memory.End(n, feed.State{}, "", nil)
	case s.feed.Unchanged:
		s.memory.Idle(n)
	default:
		s.memory.End(n, s.feed.State, s.bound, s.rules)
	}
	return s.memory.Save(s.shelf, s.job.kept)
}

// tooMany refuses a plan in which a changed mapping moves more than a tenth of the rows, or would
// were the file right.
func (s *syncing) tooMany(planned *batch.Planned, moved []string) error {
	changes, rows := planned.Rows[found.Conflict], planned.Rows[found.Read]
	for _, action := range []plan.Action{plan.Create, plan.Update, plan.Cancel} {
		changes += planned.Rows[found.Status(action)]
	}
	if changes*10 <= rows {
		return nil
	}
	accepts := "--accept"
	if slices.ContainsFunc(planned.Compared, func(c found.ChangeLine) bool {
		return c.Decision == string(plan.InConflict) && c.Base == nil
	}) {
		accepts += " --first mine" // of what the feed says for the first time
	}
	return failure.New(failure.Refused, fmt.Errorf(
		"nothing was sent: %s changed since the last night, and %s of %s would change",
		strings.Join(moved, " and "), report.Number(changes), report.Count(rows, "row"),
	), "look at the plan with --dry-run; if it is right, say once: "+s.again(accepts))
}

// again returns the command of this night with flags more, or these alone where it cannot be
// written: an address is not told whole.
func (s *syncing) again(flags string) string {
	if s.job.said == nil && s.job.source.Path != s.job.name {
		return flags
	}
	command := s.resumeCommand("sync", quoted(printable.Clean(s.job.name)))
	if s.command.Name() == "sync" {
		command += s.flagsOfItsOwn(append(strings.Fields(flags), "--dry-run")...)
	} else if s.global.sandbox { // by init
		command += " --sandbox"
	}
	return command + " " + flags
}
