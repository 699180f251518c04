package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
)

// ReportConfig is a run, and the report that is to be drawn up of it.
type ReportConfig struct {
	Run       *journal.Run
	Workspace *journal.Workspace
	Report    Reporting
	SiteURL   string // of the event pages; empty where it is not known
	// Quotas names the quotas that a request to a calendar counts under.
	Quotas func(calendar string) []Quota
	// Exit gives how the run stands: err is why the report could not be completed.
	Exit func(err error, rows report.Rows, state *journal.State) finding.Exit
}

// Quota is the limit of a calendar or an organization.
type Quota struct {
	Owner  string
	Limit  int // requests a window
	Window time.Duration
}

// Report draws up what became of a run so far, from its plan and journal alone:
// nothing is asked of the service. The report is ended whatever happens; why it
// could not be written is told apart from why the run could not be read.
func Report(ctx context.Context, config ReportConfig) (unreported, err error) {
	header := config.Run.Header()
	summary := &finding.Summary{
		Command: header.Command, Version: config.Report.Version, Made: time.Now(),
		Run: header.Run, BaseURL: header.Target.BaseURL,
	}
	for _, s := range header.Sources {
		summary.Sources = append(summary.Sources, finding.Source{
			File: s.File, Sheet: s.Sheet, SHA256: s.SHA256, Header: s.Header, HeaderRow: s.Row, Rows: s.Rows,
		})
	}
	r := &reporter{config: &config, header: &header, summary: summary, rows: report.Planned(header.Counts)}
	err = r.run(ctx)
	summary.Totals = totals(&r.rows)
	state := r.state()
	summary.Exit = config.Exit(err, r.rows, state)
	summary.Broken = err != nil || state != nil && state.Tally().Open() > 0 && state.Ended != "" && state.Ended != "done"
	return ended(config.Report.Sink, summary, r.fail), err
}

// reporter goes through the ops of a run.
type reporter struct {
	config    *ReportConfig
	header    *plan.Header
	summary   *finding.Summary
	outcomes  *report.Outcomes
	rows      report.Rows
	past      *past    // nil where nobody asks what an update changes
	calendars []string // by op, of those that send
	fail      error    // of the sink
}

func (r *reporter) state() *journal.State {
	if r.outcomes == nil {
		return nil
	}
	return r.outcomes.State
}

func (r *reporter) run(ctx context.Context) error {
	state, err := r.config.Run.State()
	if err != nil {
		return err
	}
	r.outcomes = &report.Outcomes{State: state}
	if r.config.Report.Cells {
		if r.past, err = recallPast(ctx, r.config.Workspace, r.config.Run, state); err != nil {
			return err
		}
	}
	r.calendars = make([]string, r.config.Run.Len())
	for op, err := range r.config.Run.Ops() {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		r.row(op)
	}
	return r.requests(state)
}

// row hands one row on.
func (r *reporter) row(op *plan.Op) {
	out := r.outcomes.Of(op)
	r.rows.Settle(out)
	if op.Action.Sends() {
		r.calendars[op.N] = op.Event.Calendar
		r.summary.Requests.Planned += op.Requests
	}
	if r.fail != nil {
		return
	}
	source := r.header.Sources[op.Row.Source]
	row := finding.Row{
		Source: op.Row.Source, File: source.File, Sheet: source.Sheet, Number: op.Row.Number, Line: op.Row.Line, Cells: op.Cells,
		Action: string(op.Action), Status: string(out.Status), Reason: op.Reason, Event: r.event(op, &out),
		Problems: append(op.Problems, r.outcomes.Problems(op, r.header.Sources)...),
	}
	if out.Error != "" && out.Status != report.Invalid {
		row.Reason = out.Error
	}
	if r.past != nil && op.Action == plan.Update {
		row.Changes = r.past.changes(op, &r.outcomes.State.Ops[op.N])
	}
	r.fail = r.config.Report.Sink.Row(&row)
}

// event gives the event that an op is about. What a plan does not keep of it
// stands in the body of its request.
func (r *reporter) event(op *plan.Op, out *report.Outcome) finding.Event {
	e := finding.Event{Calendar: op.Event.Calendar, Key: op.Event.Key, ID: out.EventID, Name: op.Event.Name}
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
	if r.config.SiteURL != "" && op.Event.Slug != "" && out.EventID != "" && out.Status != report.Cancelled {
		e.URL = strings.TrimRight(r.config.SiteURL, "/") + "/" + op.Event.Slug
	}
	return e
}

// requests tells when what was sent left, under which quotas. A process that was
// killed has left no count: what its journal holds is the least there was.
func (r *reporter) requests(state *journal.State) error {
	sendings, err := r.config.Run.Sendings()
	if err != nil {
		return err
	}
	r.summary.Requests.Sent = max(state.Requests.Sent, len(sendings))
	r.summary.Requests.Reads, r.summary.Requests.Throttled = state.Requests.Reads, state.Requests.Throttled
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

// totals are the rows by what became of them. All but the first add up to it.
func totals(r *report.Rows) []finding.Total {
	return []finding.Total{
		{Word: "read", Rows: r.Read},
		{Word: "created", Rows: r.Created},
		{Word: "updated", Rows: r.Updated},
		{Word: "cancelled", Rows: r.Cancelled},
		{Word: "unchanged", Rows: r.Unchanged},
		{Word: "skipped", Rows: r.Skipped},
		{Word: "invalid", Rows: r.Invalid},
		{Word: "failed", Rows: r.Failed},
		{Word: "in_doubt", Rows: r.InDoubt},
		{Word: "blocked", Rows: r.Blocked},
		{Word: "pending", Rows: r.Pending},
	}
}
