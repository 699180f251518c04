package batch

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// questions puts what the planner asks to the service, or to a person.
type questions struct {
	live  *live.Cache
	place schema.Place // of the row at hand
	// unanswered is the error of a question for which no row is to blame: it ends the
	// planning.
	unanswered error
}

// settings returns the planner's settings, as far as they are options and questions.
func (q *questions) settings(ctx context.Context, config *PlanConfig) plan.Config {
	settings := plan.Config{
		Options: config.Options, Now: config.Reading.Now, Off: config.Service.Off,
		Native:       config.Service.Native(),
		Organization: config.Service.DefaultOrganization(),
		Resolve: func(calendar string) (string, error) {
			id, err := q.live.Resolve(ctx, calendar)
			if err != nil && !errors.Is(err, failure.Config) {
				q.unanswered = err
			}
			return id, err
		},
		Reached: sync.OnceValue(func() []string {
			ids, err := config.Service.Reached(ctx)
			_ = q.note(err) // where a key may not list them, nothing else is known
			return ids
		}),
	}
	settings.Parent = func(calendar, word string) (string, error) {
		id, err := q.live.Parent(ctx, calendar, word)
		return id, q.note(err)
	}
	settings.Listed = func(r *schema.Resource, event *plan.Event) (*plan.Listed, error) {
		found, err := q.live.Record(ctx, r, event)
		return found, q.note(err)
	}
	settings.Asked = func(r *schema.Resource, of *plan.Event) (json.RawMessage, error) {
		asked, err := q.live.Questions(ctx, r, of)
		return asked, q.note(err)
	}
	settings.Names = func(r *schema.Resource, calendar string) ([]string, error) {
		names, err := q.live.Names(ctx, r, calendar)
		return names, q.note(err)
	}
	if config.Options.Slug != "keep" {
		settings.Find = func(event plan.Event) ([]string, error) {
			ids, err := q.live.Find(ctx, event)
			return ids, q.note(err)
		}
	}
	settings.Live = func(event *plan.Event, whole bool) (map[string]json.RawMessage, bool, error) {
		members, complete, err := q.live.Event(ctx, event, whole)
		return members, complete, q.note(err)
	}
	if config.Service.Organized() {
		settings.Moved = func(event *plan.Event) (string, error) {
			calendar, err := q.live.Elsewhere(ctx, event)
			return calendar, q.note(err)
		}
	}
	if config.Ask != nil || config.Decisions != nil {
		settings.Ask = func(op *plan.Op, fields, items []plan.Change) string { return q.ask(ctx, config, op, fields, items) }
	}
	return settings
}

// ask returns who is right where the row and what is live have both changed, by the decisions that were made before, or
// else by a person.
func (q *questions) ask(ctx context.Context, config *PlanConfig, op *plan.Op, fields, items []plan.Change) string {
	who := config.Decisions.who(&op.Event, changeLines(op, fields, q.place))
	if who != "" || config.Ask == nil {
		return who
	}
	if items != nil {
		fields = items
	}
	who, err := config.Ask(ctx, Conflict{q.place.File, op.Row.Number, op.Event, changeLines(op, fields, q.place)})
	if err != nil {
		q.unanswered = err
	}
	return who
}

// note returns the error of a question, which ends the planning unless it says something of
// the calendar's key or of the row's event.
func (q *questions) note(err error) error {
	if err != nil && !live.Withheld(err) && !errors.Is(err, plan.ErrGone) && !failure.Is[*plan.SeveralError](err) {
		q.unanswered = err
	}
	return err
}
