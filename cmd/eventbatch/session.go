package main

import (
	"cmp"
	"context"
	"errors"

	"eventbatch/batch"
	"eventbatch/batch/report"
	"eventbatch/mapping/failure"
)

// session is what a command works with that plans or sends: the way to the service, and the document of
// what becomes of a run.
type session struct {
	*env

	conn *connection
	doc  *report.Run
}

// newSession opens the way to the service for a command, which may read files. Where it sends, what could not be carried to
// its end is refused first.
func newSession(a *env, flags *sendFlags, sends bool, files ...string) (*session, error) {
	if sends {
		if err := canSend(a, flags, files); err != nil {
			return nil, err
		}
	}
	conn, err := a.connect(flags)
	return &session{env: a, conn: conn, doc: &report.Run{Command: a.command.Name()}}, err
}

func (s *session) close() { s.conn.close() }

// failed ends a command whose plan came to nothing: the document says why.
func (s *session) failed(ctx context.Context, err error) error {
	err = because(ctx, err)
	if invalid, ok := errors.AsType[*batch.InvalidError](err); ok {
		s.doc.Rows = invalid.Rows
	}
	return s.end(s.doc, err)
}

// keep ends a command that makes a plan and sends nothing.
func (s *session) keep(planned *batch.Planned, detailedExit bool) error {
	err := cmp.Or(planned.Stuck(), ending(planned.Rows.HeldBack(), detailedExit && planned.Total() > 0), s.kept(planned))
	if planned.Total() > 0 && !s.global.json {
		s.tell("checksum: %s\n", s.doc.Checksum)
		s.say("to send it: %s%s\n", s.resumeCommand("apply", planned.Run.ID()), planned.Allowing())
	}
	return s.end(s.doc, err)
}

// kept says in the document by which checksum the plan is applied, and no other.
func (s *session) kept(planned *batch.Planned) (err error) {
	if planned.Total() > 0 {
		s.doc.Checksum, err = planned.Run.Checksum()
	}
	return err
}

// refused ends a command whose plan nobody agrees to, which is kept.
func (s *session) refused(ctx context.Context, planned *batch.Planned, err error) error {
	return s.failed(ctx, errors.Join(err, s.kept(planned)))
}

// resend sends a run that needs no input, or shows it alone. prepare makes it, where anything has failed or been done.
func (s *session) resend(ctx context.Context, flags *sendFlags, dryRun bool, prepare func() (*batch.Planned, error)) error {
	if dryRun {
		s.tells()
	}
	planned, err := prepare()
	err = cmp.Or(err, s.conn.Yield())
	if failure.Is[*batch.NothingToRetryError](err) || failure.Is[*batch.NothingToUndoError](err) {
		s.doc.Target.BaseURL = s.conn.BaseURL()
		if !s.global.json {
			s.say("%s: nothing to send\n", err)
		}
		return s.end(s.doc, nil)
	}
	if err = s.describe(ctx, planned, err, flags.mustAsk()); err != nil {
		return s.failed(ctx, err)
	}
	if dryRun {
		return s.keep(planned, false)
	}
	return s.confirmAndSend(ctx, planned, flags)
}
