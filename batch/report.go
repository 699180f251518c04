package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/secret"
	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/sheet"
)

// ReportConfig is a run, and who is told what became of its rows.
type ReportConfig struct {
	Run       *journal.Run
	Workspace journal.Store
	// Applied is what the sending came to that has just ended, nil where the journal
	// alone is asked.
	Applied *Applied
	// Told leaves the problems of the plan out: they were told when it was made.
	Told bool
	// Brief leaves out the cells, and the problems of rows that are as they should be. It
	// needs no more than lines where what the rows held was dropped.
	Brief  bool
	Report Reporting
	// ByEvent lists the events whose people the run has reached.
	ByEvent bool
	SiteURL string // of the event pages; empty where it is not known
	// Quotas names the quotas that a request to a calendar counts under; nil where
	// nobody asks when requests left.
	Quotas func(calendar string) []Quota
}

// Reported is what became of a run as a whole.
type Reported struct {
	State   *journal.State // nil where it could not be read
	Rows    finding.Rows
	Of      finding.Resources
	Summary *finding.Summary // but for its exit
	// Dropped says that problems are left out since what the rows held was dropped; nil where
	// none are.
	Dropped error
}

// Quota is the limit of a calendar or an organization.
type Quota struct {
	Owner  string
	Limit  int // requests a window
	Window time.Duration
}

// QuotasOf tells which quotas a calendar's requests count under, as far as a profile tells without a key (service: Limits).
func QuotasOf(p *profile.Connection) func(calendar string) []Quota {
	limits := p.Limits
	return func(calendar string) []Quota {
		quotas := []Quota{{Owner: "calendar " + calendar, Limit: limits.Calendar, Window: limits.Window}}
		target, err := p.Targets.For(calendar)
		if err != nil || target.Kind != secret.Organization || target.Organization == "" {
			return quotas
		}
		if !limits.Nest {
			quotas = nil
		}
		return append(quotas, Quota{Owner: "organization " + target.Organization, Limit: limits.Organization, Window: limits.Window})
	}
}

// Report goes once through the ops of a run, tells the sink what became of each row so
// far, and counts them: from the plan and the journal alone, nothing is asked of the
// service. What could be read before an error is in the Reported.
func Report(ctx context.Context, config ReportConfig) (*Reported, error) {
	header := config.Run.Header()
	summary := &finding.Summary{
		Command: header.Command, Made: time.Now(), Run: header.Run, BaseURL: header.Target.BaseURL, Sources: header.Sheets,
		LeftBehind: header.LeftBehind, Decided: header.Decided, Notes: header.Notes,
	}
	r := &reporter{config: &config, reported: &Reported{Rows: finding.Rows{}, Of: finding.Resources{}, Summary: summary}, summary: summary}
	err := r.run(ctx)
	summary.Totals, summary.Rows = r.reported.Rows.Totals(), r.reported.Rows
	state := r.reported.State
	summary.Broken = err != nil || state != nil && state.Tally().Open() > 0 && state.Ended != "" && state.Ended != "done"
	return r.reported, err
}

// Based reports whether the rows of a run have baselines: those that were compared with what
// is live, and those of an export.
func Based(header plan.Header) bool {
	return header.Options.Compare == "live" || slices.ContainsFunc(header.Sheets, func(s plan.Sheet) bool {
		return slices.Contains(s.Header, sheet.BaseColumn)
	})
}

// reporter goes through the ops of a run.
type reporter struct {
	config    *ReportConfig
	reported  *Reported
	summary   *finding.Summary
	planned   plan.Requests
	outcomes  *outcomes
	reached   reached
	past      *past    // nil where nobody asks what an update changes
	calendars []string // by op, of those that send; empty where nobody asks when requests left
}

func (r *reporter) run(ctx context.Context) (err error) {
	r.outcomes = &outcomes{sources: r.summary.Sources}
	if applied := r.config.Applied; applied != nil && applied.State != nil {
		r.outcomes.state, r.outcomes.blocked = applied.State, applied.Refused
	} else if r.outcomes.state, err = r.config.Run.State(); err != nil {
		return err
	}
	state := r.outcomes.state
	r.reported.State = state
	r.summary.Requests = finding.Requests{Made: state.Requests}
	r.reached.list = r.config.ByEvent
	if r.config.Report.Changes {
		r.past = newPast(r.config.Workspace)
	}
	if r.config.Quotas != nil {
		r.calendars = make([]string, r.config.Run.Len())
	}
	header := r.config.Run.Header()
	pass(&header, r.reported.Rows, r.reported.Of)
	ops := r.config.Run.Ops()
	if r.config.Brief {
		ops = r.config.Run.Lines()
	}
	for op, err := range plan.Rows(ops) {
		if err == nil && r.config.Brief && r.outcomes.of(r.outcomes.worst(op)).Bad() {
			for each := range op.All() {
				if err = r.config.Run.Load(each); errors.Is(err, journal.ErrDropped) {
					r.reported.Dropped, err = err, nil
				}
			}
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		r.row(op)
	}
	r.summary.Reached = r.reached.ended()
	if err := r.called(); err != nil || r.config.Quotas == nil {
		return err
	}
	if err := r.ahead(); err != nil {
		return err
	}
	return r.requests()
}

// called gives the events whose people were reached the names that rows of their own have: these may be
// unchanged, so that only the ids that were met tell which are wanted.
func (r *reporter) called() error {
	if r.summary.Reached == nil {
		return nil
	}
	at := map[string]*finding.EventReached{}
	for i := range r.summary.Reached.Events {
		if e := &r.summary.Reached.Events[i]; e.EventID != "" {
			at[e.EventID] = e
		}
	}
	if len(at) == 0 {
		return nil
	}
	past := cmp.Or(r.past, newPast(r.config.Workspace))
	for op, err := range r.config.Run.Lines() {
		if err != nil {
			return err
		}
		e := at[cmp.Or(r.reported.State.Ops[op.N].EventID, op.Event.ID)]
		if e == nil || !op.Of().Keyed() {
			continue
		}
		if name := op.Event.Name; name != "" {
			e.Name = name
		} else if json.Unmarshal(past.before(op)[catalog.Path(catalog.FieldName)], &name) == nil {
			e.Name = name
		}
	}
	return nil
}

// ahead says what is left to do.
func (r *reporter) ahead() error {
	if r.reported.State.Tally().Open() == 0 {
		return nil
	}
	planned, err := sumUp(r.config.Run, r.reported.State)
	if err != nil {
		return err
	}
	var lanes []quota.LaneForecast
	var window time.Duration
	for _, calendar := range slices.Sorted(maps.Keys(planned.Requests)) {
		lane := quota.LaneForecast{Requests: planned.Requests[calendar]}
		for _, q := range r.config.Quotas(calendar) {
			lane.Owners = append(lane.Owners, quota.Owner{ID: q.Owner, Limit: q.Limit})
			window = q.Window
		}
		lanes = append(lanes, lane)
	}
	now := time.Now()
	takes := max(quota.Forecast(lanes, now, window, 0, nil).Sub(now), planned.Paces(planned.Rows.Open()))
	r.summary.Ahead = planned.Ahead(planned.Total(), takes)
	return nil
}

// row hands one row on.
func (r *reporter) row(op *plan.Op) {
	row := r.outcomes.row(op)
	if r.config.Told {
		row.Problems = row.Problems[len(op.Problems):]
	}
	tally(op, row.Action, row.Status, 1, r.reported.Rows, r.reported.Of.Of(op.Of().Rows().Name))
	var told []string
	for each := range op.All() {
		if each.Action.Sends() {
			if words := r.reached.add(each, &r.reported.State.Ops[each.N]); words != "" {
				told = append(told, words)
			}
			r.summary.Requests.Planned += r.planned.Add(each, 1)
			if r.calendars != nil {
				r.calendars[each.N] = each.Event.Calendar
			}
		}
	}
	row.Told = strings.Join(told, ", ")
	if r.config.Report.Cells {
		describe(op, &row.Event)
	}
	row.Event.Base = op.Base
	if id := row.Event.ID; op.Says != "" && id != "" && row.Status.Agreed() {
		at := row.At
		if at.IsZero() {
			at = r.config.Run.Header().Created
		}
		row.Event.Base = baseline.Of(id, at, op.Says)
	}
	if r.config.SiteURL != "" && op.Of().Keyed() && op.Event.Slug != "" && row.Event.ID != "" && row.Status != finding.Cancelled {
		row.Event.URL = strings.TrimRight(r.config.SiteURL, "/") + "/" + op.Event.Slug
	}
	if r.past != nil {
		row.Changes = changesOf(r.past, op)
	}
	r.config.Report.Sink.Row(&row)
}

// describe completes an event by what a plan does not keep of it and the body of its
// request has.
func describe(op *plan.Op, e *finding.Event) {
	var body struct {
		Name, Timezone string
		StartAt        string `json:"start_at"`
		EndAt          string `json:"end_at"`
	}
	if len(op.Body) > 0 && json.Unmarshal(op.Body, &body) == nil {
		e.Name = cmp.Or(e.Name, body.Name)
		e.Start, e.End = local(body.StartAt, body.Timezone), local(body.EndAt, body.Timezone)
	}
	if e.Start.IsZero() && op.Event.StartAt != 0 {
		e.Start = time.UnixMilli(op.Event.StartAt).In(location(op.Event.Zone))
	}
}

// requests finds out when what was sent left, under which quotas. A process that was
// killed has left no count: what its journal holds is the least there was.
func (r *reporter) requests() error {
	sendings, err := r.config.Run.Sendings()
	if err != nil {
		return err
	}
	r.summary.Requests.Sent = max(r.summary.Requests.Sent, len(sendings))
	at := map[string]int{}
	for _, sending := range sendings {
		for _, q := range r.config.Quotas(r.calendars[sending.Op]) {
			i, known := at[q.Owner]
			if !known {
				i = len(r.summary.Usage)
				at[q.Owner] = i
				r.summary.Usage = append(r.summary.Usage, finding.Usage{Owner: q.Owner, Limit: q.Limit, Window: q.Window})
			}
			r.summary.Usage[i].Sent = append(r.summary.Usage[i].Sent, sending.At)
		}
	}
	return nil
}
