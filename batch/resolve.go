package batch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/mapping/failure"
)

// Verdict is what a person has found out about one row in doubt.
type Verdict struct {
	// Row is the row as a person names it: 14, or events.csv:14 and
	// book.xlsx:Sheet!14 where several files have such a row.
	Row string
	// EventID is the event that the row made, empty where it made none.
	EventID string
}

// ResolveConfig is a run with the verdicts on its rows in doubt.
type ResolveConfig struct {
	Run       *journal.Run
	Workspace journal.Store
	Service   *service.Service
	Verdicts  []Verdict
}

// Resolve records what a person has found out about rows that stay in doubt: the
// event that a row made becomes its own, a row that made none is sent with the
// rest. Each event is looked at first. Nothing else is sent.
func Resolve(ctx context.Context, config ResolveConfig) error {
	verdicts, err := config.match()
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		if v.EventID == "" {
			continue
		}
		if err := config.look(ctx, v); err != nil {
			return err
		}
	}
	unlock, err := config.Workspace.Lock(ctx, journal.Runs)
	if err != nil {
		return err
	}
	return errors.Join(config.record(ctx, verdicts), unlock())
}

// verdict is a verdict with its op.
type verdict struct {
	Verdict

	op *plan.Op
}

func (v *verdict) refuse(hint, format string, args ...any) error {
	return failure.New(failure.Usage, fmt.Errorf("row "+v.Row+": "+format, args...), hint)
}

// match finds the op of each verdict.
func (c *ResolveConfig) match() ([]verdict, error) {
	verdicts := make([]verdict, len(c.Verdicts))
	for i, v := range c.Verdicts {
		verdicts[i].Verdict = v
	}
	sheets := c.Run.Header().Sheets
	for op, err := range c.Run.Ops() {
		if err != nil {
			return nil, err
		}
		for i := range verdicts {
			v := &verdicts[i]
			switch {
			case op.Part > 0, !names(v.Row, &sheets[op.Row.Sheet], op.Row.Number):
			case v.op != nil:
				return nil, v.refuse(
					"name its file too, such as "+sheets[op.Row.Sheet].File+":"+strconv.Itoa(op.Row.Number),
					"several files have such a row",
				)
			default:
				v.op = op
			}
		}
	}
	seen, events := map[int]bool{}, map[string]bool{}
	for i := range verdicts {
		v := &verdicts[i]
		switch {
		case v.op == nil:
			return nil, v.refuse("rows are named as the spreadsheet shows them", "the run has no such row")
		case seen[v.op.N]:
			return nil, v.refuse("", "it is settled twice")
		case v.EventID != "" && events[v.EventID]:
			return nil, v.refuse("", "event %s is given to two rows", v.EventID)
		}
		seen[v.op.N], events[v.EventID] = true, true
	}
	return verdicts, nil
}

// names reports whether a person's word for a row means that one.
func names(word string, sheet *plan.Sheet, number int) bool {
	digits, place := word, ""
	if i := strings.LastIndexAny(word, ":!"); i >= 0 {
		place, digits = word[:i], word[i+1:]
	}
	if digits != strconv.Itoa(number) {
		return false
	}
	if place == "" || sheet.Sheet != "" && place == sheet.Sheet {
		return true
	}
	if sheet.Sheet != "" {
		place = strings.TrimSuffix(place, ":"+sheet.Sheet)
	}
	// The results name a file by as much of its path as tells it from the others.
	return strings.HasSuffix("/"+filepath.ToSlash(sheet.File), "/"+filepath.ToSlash(place))
}

// look makes sure that an event is there, and may be the row's: people mistype ids.
func (c *ResolveConfig) look(ctx context.Context, v verdict) error {
	t, err := live.Of(ctx, c.Service, v.op.Event.Calendar)
	if err != nil {
		return err
	}
	event, err := t.Event(ctx, v.EventID)
	switch own := &v.op.Event; {
	case api.Unshown(err):
		return v.refuse(
			"copy the id from the service; the row made no event if there is none of its name",
			"the service shows no event %s to the key of calendar %s", v.EventID, own.Calendar,
		)
	case err != nil:
		return err
	case event.Calendar() != "" && event.Calendar() != own.Calendar:
		return v.refuse("", "event %s is of calendar %s, the row of %s", v.EventID, event.Calendar(), own.Calendar)
	case plan.Plain(event.Name()) != plan.Plain(own.Name) && event.Start().UnixMilli() != own.StartAt:
		return v.refuse("", "event %s is another one: %q at %s", v.EventID, event.Name(), event.Start().Format(time.RFC3339))
	}
	return nil
}

// record writes the verdicts down, all or none. The workspace is locked. The keys
// of this process do not matter, since nothing is sent.
func (c *ResolveConfig) record(ctx context.Context, verdicts []verdict) (err error) {
	memory, err := c.Workspace.Memory(c.Service.BaseURL())
	if err != nil {
		return err
	}
	defer memory.Close()
	before, err := c.Run.State()
	if err != nil {
		return err
	}
	target := c.Run.Header().Target
	target.BaseURL = c.Service.BaseURL()
	j, state, err := c.Run.Attach(journal.Attachment{Target: target, By: c.Service.Version(), Turn: memory.Turn()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	ctx = context.WithoutCancel(ctx) // from here on it takes an instant, and is done whole
	if refusal := c.fit(memory, state, verdicts); refusal != nil {
		if before.Ended == "" {
			return refusal
		}
		// To take the run up began it anew: without an end it would be unfinished.
		return errors.Join(refusal, j.Commit(ctx, journal.Record{Type: journal.End, Code: before.Ended}))
	}
	for _, v := range verdicts {
		code := journal.AdoptedByHand
		if v.EventID == "" {
			code = "not-created-by-hand"
		}
		if err := j.Append(journal.Record{Type: journal.Resolved, Op: v.op.N, EventID: v.EventID, Code: code}); err != nil {
			return err
		}
	}
	return j.Commit(ctx, journal.Record{Type: journal.End, Code: "settled-by-hand"})
}

// fit refuses the first verdict that does not fit what is known of its row, and all of them where that cannot be read.
func (c *ResolveConfig) fit(memory *journal.Memory, state *journal.State, verdicts []verdict) error {
	for i := range verdicts {
		v, was := &verdicts[i], &state.Ops[verdicts[i].op.N]
		known, taken := memory.Event(v.EventID)
		switch {
		case was.Status != journal.Sent && was.Status != journal.InDoubt:
			return v.refuse("", "it is not in doubt: it is %s", strings.ReplaceAll(was.Status.String(), "_", " "))
		case was.Kind() != plan.Create, !v.op.Of().Keyed():
			return v.refuse(
				"eventbatch apply "+c.Run.ID()+" looks at its event and goes on by itself",
				"only rows that create an event are settled by hand",
			)
		case v.EventID != "" && taken:
			return v.refuse("", "event %s is that of another row, which run %s sent", v.EventID, known.Run)
		}
	}
	return memory.Err()
}
