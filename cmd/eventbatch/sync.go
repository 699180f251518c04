package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"strings"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/feed"
	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/notify"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/work"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// run goes through one night of the sync, and shows it.
func (j *syncJob) run(ctx context.Context, doc *report.Run) error {
	j.about.Set(j.name, "")
	defer j.under()()
	h := &syncHost{session: session{env: j.env, doc: doc}, job: j}
	transport, err := j.feedTransport()
	if err != nil {
		return h.failed(ctx, err)
	}
	defer transport.CloseIdleConnections()
	rows, err := batch.Sync(ctx, h.syncConfig(transport))
	if h.sent {
		return err // the document is written
	}
	if doc.Rows == nil {
		doc.Rows = rows
	}
	if err != nil {
		if h.planned != nil {
			err = errors.Join(err, h.kept(h.planned))
		}
		return h.failed(ctx, err)
	}
	if j.sync.dryRun {
		err = ending(doc.Rows.HeldBack(), j.plan.detailedExit && doc.Requests.Planned > 0)
	}
	return j.end(doc, err)
}

// syncHost goes through a sync for this command, and shows it on the screen or in its document.
type syncHost struct {
	session

	job     *syncJob
	planned *batch.Planned // nil before there is a plan
	sent    bool
}

// syncConfig returns what the arguments and the configuration say of the sync.
func (h *syncHost) syncConfig(transport *http.Transport) batch.SyncConfig {
	job := h.job
	c := batch.SyncConfig{
		Sync:   night.Sync{Name: job.name, Kept: job.kept, Folder: job.folder},
		Source: job.sourceName(), Logged: night.TriedOut(job.sourceName(), h.global.sandbox),
		Feed:     feed.Config{Source: job.source, Transport: transport, UserAgent: userAgent(), Again: h.askedAgain},
		Duration: job.send.maxDuration, Accept: job.sync.accept, Dry: job.sync.dryRun, Restarts: job.restarts,
		Host: h, Screen: h,
	}
	said := job.said
	if said == nil {
		return c
	}
	c.Feed.Secrets = said.Secrets
	c.Notify = &notify.Config{
		Settings: said.Notify, Mail: said.Mail, Secrets: said.Secrets, Transport: transport, UserAgent: userAgent(),
		TLS: &tls.Config{RootCAs: transport.TLSClientConfig.RootCAs},
	}
	if said.Keep != (profile.SyncKeep{}) {
		kept := func(d time.Duration) time.Duration {
			if d > 0 {
				return d
			}
			return journal.Always
		}
		c.Prune = &journal.Pruning{Source: job.plan.source.Name, Keep: kept(said.Keep.Runs), Bodies: kept(said.Keep.Bodies)}
	}
	return c
}

// Store opens the workspace, or the database.
func (h *syncHost) Store() (journal.Store, error) { return h.openWorkspace() }

// Connect opens the way to the service, and reads what the flags say of the plan.
func (h *syncHost) Connect() (_ *batch.SyncPlan, err error) {
	job := h.job
	if err := job.send.verify(); err != nil {
		return nil, err
	}
	if h.conn, err = h.connect(&job.send); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			h.conn.close()
		}
	}()
	h.doc.Target.BaseURL = h.conn.BaseURL()
	p := &batch.SyncPlan{Keys: h.conn.profile.KeysFor(), Leave: job.send.allow, Close: h.conn.close}
	if p.PlanConfig, err = h.config(h.request(nil)); err != nil {
		return nil, err
	}
	p.Guards, _ = job.plan.guards.guards() // the night knows whether it cancels
	p.Rules, err = h.readBy(p.Reading)
	return p, err
}

// readBy returns what decides, besides the feed, what its rows say.
func (h *syncHost) readBy(reading mapping.Config) (rules night.Rules, err error) {
	r := h.job.reading
	rules.Set = r.set
	if m := reading.Mapping; m != nil {
		rules.Key = m.Key
		if rules.Mapping, err = m.Encode(); err != nil {
			return rules, err
		}
	}
	reading.Mapping, r.set = nil, nil
	rules.Reading, err = r.choices(&reading, h.global.Calendar)
	return rules, err
}

// request returns what the night's plan is asked for by the command line.
func (h *syncHost) request(files []string) *planRequest {
	return &planRequest{sync: h.job.said, reading: h.job.reading, plan: h.job.plan, files: files}
}

// Handed returns the run of another feed that workers are to end.
func (h *syncHost) Handed(ctx context.Context, source, sha256 string) (string, error) {
	if h.db == nil {
		return "", nil
	}
	return work.Handed(ctx, h.db, h.shared, source, sha256)
}

// Plan plans the feed, and shows the plan.
func (h *syncHost) Plan(ctx context.Context, config batch.PlanConfig) (planned *batch.Planned, err error) {
	h.names = config.Reading.Names
	h.planned, err = h.planBy(ctx, config, h.request(config.Reading.Files))
	return h.planned, err
}

// Send sends the plan, and shows what becomes of it.
func (h *syncHost) Send(ctx context.Context, planned *batch.Planned, within time.Duration, rows found.Sink) (*batch.Sent, error) {
	flags := h.job.send
	flags.maxDuration, h.sent = within, true
	err := h.send(ctx, planned, &flags, rows)
	return &batch.Sent{Rows: h.doc.Rows, Requests: h.doc.Requests.Made}, err
}

// Say says what goes as it should, and Aside what else somebody has to know.
func (h *syncHost) Say(words string)   { h.say("%s\n", words) }
func (h *syncHost) Aside(words string) { h.screen.Aside(words) }

// LeftBehind says what the feed has and nothing takes; a document has it anyway.
func (h *syncHost) LeftBehind(list []schema.LeftBehind) {
	if !h.global.json {
		h.sayLeftBehind(list)
	}
}

// Apply returns the command that sends a run.
func (h *syncHost) Apply(run string) string { return h.resumeCommand("apply", run) }

// Again returns the command of this night with flags more, or these alone where it cannot be
// written: an address is not told whole.
func (h *syncHost) Again(flags string) string {
	if h.job.said == nil && h.job.source.Path != h.job.name {
		return flags
	}
	command := h.resumeCommand("sync", spelling.Quoted(printable.Clean(h.job.name)))
	if h.command.Name() == "sync" {
		command += h.flagsOfItsOwn(append(strings.Fields(flags), "--dry-run")...)
	} else if h.global.sandbox { // by init
		command += " --sandbox"
	}
	return command + " " + flags
}

// Exit returns how a night ends that has come to an error. What is wrong with rows is told by themselves.
func (h *syncHost) Exit(ctx context.Context, err error, rows found.Rows) found.Exit {
	exit := h.exit(because(ctx, err))
	switch {
	case failure.Is[*sheet.Error](err) || failure.Is[*mapping.HeaderError](err):
		exit.Error, exit.Hint = unread, ""
	case exit.Code == exitPartial && exit.Error == "":
		exit.Error = report.Shortfall(rows)
	}
	return exit
}
