package send

import (
	"errors"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/mapping/schema"
)

// finish records a row's end and tells the observer.
func (l *lane) finish(t *Task, record journal.Record) error {
	record.Op = t.Op.N
	if t.Op.Event.Key != "" && (t.Op.Group != "" || len(t.Op.After) > 0 || len(t.with) > 0) { // the intent of several rows names no key
		record.Key, record.Hash = t.key(), t.Op.Hash
	}
	if err := l.tell(t, record); err != nil {
		return err
	}
	l.open.Add(-1)
	if l.Observer != nil && !t.again {
		l.Observer.Settled(t.Op, &record)
	}
	if record.Type != journal.Fail {
		return nil
	}
	l.run.fail(1)
	return nil
}

// tell records the outcome of a task and lets those go on that wait for it, unless its answer has turned
// out to be none.
func (l *lane) tell(t *Task, outcome journal.Record) error {
	if has := t.claim; has != nil {
		l.claims.mu.Lock()
		defer l.claims.mu.Unlock()
		if has.told = true; has.rival {
			return l.doubtClaim(has)
		}
	}
	if err := l.Journal.Append(outcome); err != nil {
		return l.broken(err)
	}
	l.queue.settle(t.Op.N, outcome.EventID, outcome.Type)
	return nil
}

// note records something that does not end the row.
func (l *lane) note(t *Task, record journal.Record) error {
	record.Op = t.Op.N
	if err := l.Journal.Append(record); err != nil {
		return l.broken(err)
	}
	return nil
}

// doubt records that the outcome of an attempt is unknown.
func (l *lane) doubt(t *Task, reason error) error {
	t.Doubt, t.lost = true, true
	return l.note(t, journal.Record{Type: journal.Doubt, Error: reason.Error(), Status: api.StatusOf(reason)})
}

// fail records the service's refusal with its reasons, field by field.
func (l *lane) fail(t *Task, code string, reason error) error {
	record := journal.Record{Type: journal.Fail, Code: code, Error: reason.Error(), Status: api.StatusOf(reason), EventID: t.EventID}
	if rejected, ok := errors.AsType[*api.RejectedError](reason); ok {
		for _, p := range rejected.Problems {
			record.Fields = append(record.Fields, journal.FieldError{Path: p.Path, Reason: p.Reason})
		}
		if rejected.Message != "" {
			record.Error = rejected.Message
		}
	}
	return l.finish(t, record)
}

// resolved records that the attempt in doubt did nothing.
func (l *lane) resolved(t *Task, code string) error {
	t.Doubt = false
	return l.note(t, journal.Record{Type: journal.Resolved, Code: code})
}

// adopt records that an attempt in doubt made this event, as the code says.
func (l *lane) adopt(t *Task, id, code string) error {
	t.Doubt = false
	return l.finish(t, journal.Record{Type: journal.Resolved, EventID: id, Code: code})
}

// giveUp leaves the row in doubt, for a later process or a person.
func (l *lane) giveUp(t *Task) error {
	return l.finish(t, journal.Record{
		Type: journal.Doubt, Code: string(schema.CodeInDoubt),
		Error: "it is not certain whether the request was carried out",
	})
}

// rejection returns the code under which a refusal is reported.
func rejection(reason error) string {
	if gone(reason) {
		return string(schema.CodeNotAllowed)
	}
	return string(schema.CodeServiceRejected)
}

// gone reports whether an answer means that an event does not exist (any more). Unlike [api.Unshown] it asks for one that
// says so: another refusal may be about what was sent.
func gone(reason error) bool {
	if _, ok := errors.AsType[*api.ForbiddenError](reason); ok {
		return true
	}
	return api.Missing(reason)
}
