package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/api"
	"eventbatch/batch/feed"
	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
)

// What bounds a sync where nothing else was said.
const (
	syncDuration    = 6 * time.Hour
	syncMinRows     = "50%"
	syncMaxMail     = "100"
	syncFirstCreate = "200" // rows, where no night has been done yet
)

// syncOne goes through one sync, which no other process can do at the same time.
func (a *app) syncOne(ctx context.Context, job *syncJob, doc *report.Run) error {
	unlock, err := journal.LockFolder(job.folder)
	if err != nil {
		return a.planFailed(ctx, doc, err)
	}
	defer unlock() // it dies with the process
	a.about.set(job.name, "")
	s := syncing{app: a, job: job, doc: doc, begun: time.Now()}
	if s.memory, err = night.Load(job.folder); err != nil {
		return a.planFailed(ctx, doc, err)
	}
	err = s.night(ctx)
	if job.sync.dryRun {
		return err
	}
	return errors.Join(err, s.remember(ctx, err))
}

// syncing is one night of one sync.
type syncing struct {
	*app

	job    *syncJob
	doc    *report.Run
	memory *night.Memory
	begun  time.Time

	feed  *feed.Feed // nil where it could not be read
	bound string
	rules map[string]string
}

// night reads the feed, plans and sends.
func (s *syncing) night(ctx context.Context) error {
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
	if err := s.read(ctx, conn); err != nil {
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
	if s.names == nil {
		s.names = map[string]string{}
	}
	s.names[s.feed.Path] = s.feed.Name
	moved := s.memory.Moved(s.rules)
	if len(moved) > 0 {
		s.say("note: %s changed since the last night: nothing is cancelled tonight\n", strings.Join(moved, " and "))
	}
	planned, err := s.makePlan(ctx, conn, planRequest{
		command: "sync", reading: job.reading, plan: job.plan, files: []string{s.feed.Path}, allow: conn.leave, sparse: true,
	}, s.doc)
	if err == nil && len(moved) > 0 && !job.sync.accept && !job.sync.dryRun {
		err = tooMany(planned, moved, job.name)
	}
	if err != nil {
		return s.planFailed(ctx, s.doc, err)
	}
	if job.sync.dryRun {
		return s.show(planned)
	}
	if err := planned.Leave(conn.leave); err != nil {
		return s.planFailed(ctx, s.doc, err)
	}
	return s.send(ctx, conn, planned, &job.send, s.doc)
}

// show ends a dry run, as plan ends.
func (s *syncing) show(planned *batch.Planned) error {
	err := ending(planned.Rows, heldBack, s.job.plan.detailedExit && planned.Total() > 0)
	if s.global.json {
		return s.end(s.doc, err)
	}
	return err
}

// defaults fills in what a sync does where nothing was said.
func (j *syncJob) defaults(memory *night.Memory) {
	c, g := &j.plan.compare, &j.plan.guards
	if c.with = cmp.Or(c.with, "live"); c.with == "live" {
		c.who = cmp.Or(c.who, plan.Fail)
	}
	g.minRows, g.maxMail = cmp.Or(g.minRows, syncMinRows), cmp.Or(g.maxMail, syncMaxMail)
	if memory.Done == nil {
		g.maxCreate = cmp.Or(g.maxCreate, syncFirstCreate)
	}
	j.send.maxDuration = cmp.Or(j.send.maxDuration, syncDuration)
	j.send.yes = true
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
		key = strings.Join(reading.Mapping.Key, " ")
	}
	reading.Mapping, r.set = nil, nil
	choices, err := r.choices(&reading, s.global.Calendar)
	if err != nil {
		return err
	}
	s.rules = map[string]string{
		"the mapping": hash(string(mapped)), "the key column": hash(key), "the values set": hash(set...), "the reading": hash(choices...),
	}
	options, err := json.Marshal([]any{s.job.plan.slug, s.job.plan.compare, s.job.plan.skipInvalid, s.job.send.allow})
	if err != nil {
		return err
	}
	s.bound = hash(s.job.name, conn.BaseURL(), version(), string(options), strings.Join(slices.Sorted(maps.Values(s.rules)), " "))
	return nil
}

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// read gets the feed.
func (s *syncing) read(ctx context.Context, conn *connection) error {
	transport, err := api.NewTransport(api.TransportConfig{CAFile: conn.profile.CAFile})
	if err != nil {
		return err
	}
	defer transport.CloseIdleConnections()
	config := feed.Config{Source: s.job.source, Transport: transport, UserAgent: "eventbatch/" + version()}
	if !s.job.sync.dryRun && !s.job.sync.accept {
		config.Known = s.memory.Known(s.bound)
	}
	s.feed, err = feed.Open(ctx, config)
	return err
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
	return s.memory.Save(s.job.folder)
}

// tooMany refuses a plan in which a changed mapping moves more than a tenth of the rows.
func tooMany(planned *batch.Planned, moved []string, name string) error {
	changes, rows := 0, planned.Rows[found.Read]
	for _, action := range []plan.Action{plan.Create, plan.Update, plan.Cancel} {
		changes += planned.Rows[found.Status(action)]
	}
	if changes*10 <= rows {
		return nil
	}
	return failure.New(failure.Refused, fmt.Errorf(
		"nothing was sent: %s changed since the last night, and %s of %s would change",
		strings.Join(moved, " and "), report.Number(changes), report.Count(rows, "row"),
	), "look at the plan with --dry-run; if it is right, say eventbatch sync "+name+" --accept once")
}
