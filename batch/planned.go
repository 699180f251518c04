package batch

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/send"
	"eventbatch/batch/service"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Planned is a run that is ready to be sent.
type Planned struct {
	counted

	Run *journal.Run
	// Resumed tells that the run was taken up before.
	Resumed bool
	// Refused names the calendars whose key was missing or refused while the plan
	// was made, each with the reason: their rows are blocked.
	Refused map[string]error
	// Guards are those that have a bound, up to the one that refuses the plan.
	Guards []report.Guard
	// Notes are what a person has to know of the plan besides.
	Notes []string
	// Decided is what the platform decides of the events that the run makes; not of those of a retry.
	Decided schema.Decided
	// KeyColumn and Fed are those of the reading; empty where a run was gone on with.
	KeyColumn string
	Fed       map[string]string
	// Lost says why the outcomes of some creates may be missing, so that each is looked
	// for before it is sent; empty where none are.
	Lost string
}

// counted is what a plan comes to: its rows, the requests that are left, and whom they reach.
type counted struct {
	report.Outlook
	// Requests is how many requests what is left takes at least, by calendar.
	Requests map[string]int

	named    int                    // updates of events that no run knows
	needs    map[schema.Effect]bool // what is left does
	told     bool                   // somebody is reached
	events   map[eventEffect]bool   // counted already
	reasons  map[report.ReasonCount]int
	requests plan.Requests
	paced    map[pace]int   // requests left of operations that have a pace
	covers   map[string]int // rows left with a picture, by its path
}

// pace is that of an operation in one calendar.
type pace struct {
	op       *schema.Operation
	calendar string
}

func newPlanned() *Planned {
	return &Planned{counted: counted{
		Outlook: report.Outlook{Rows: finding.Rows{}, Of: finding.Resources{}, Left: map[string]report.Kinds{}},
		needs:   map[schema.Effect]bool{}, events: map[eventEffect]bool{},
		Requests: map[string]int{}, reasons: map[report.ReasonCount]int{}, covers: map[string]int{}, paced: map[pace]int{},
	}}
}

// Finish forecasts when so many of the open rows will have been sent.
func (p *Planned) Finish(ctx context.Context, by *service.Service, rows int) time.Time {
	now := time.Now()
	return now.Add(max(by.Forecast(ctx, p.Spread(rows), now).Sub(now), p.Paces(rows)))
}

// Into fills in what the document of a run says of its plan.
func (p *Planned) Into(doc *report.Run) {
	doc.Rows, doc.Pictures, doc.Effects, doc.Guards = p.Rows, p.Pictures, &p.Effects, p.Guards
	doc.Resources, doc.Missing, doc.Notes, doc.Decided = p.Of.Several(), p.Missing, p.Notes, p.Decided
	if run := p.Run; run != nil { // nil of a plan that a guard has refused
		doc.Run, doc.Folder, doc.Resumed, doc.LeftBehind = run.ID(), run.Files().Folder, p.Resumed, run.Header().LeftBehind
		doc.Files = FilesOf(run)
	}
}

// FilesOf returns the files of a run as documents have them.
func FilesOf(run *journal.Run) report.Files {
	files := run.Files()
	return report.Files{Plan: files.Plan, Journal: files.Journal, Results: files.Results}
}

// Describe sums up what a run still has to send.
func Describe(run *journal.Run) (*Planned, error) {
	state, err := run.State()
	if err != nil {
		return nil, err
	}
	return sumUp(run, state)
}

func sumUp(run *journal.Run, state *journal.State) (*Planned, error) {
	planned := newPlanned()
	planned.Resumed, planned.Lost = state.Started, state.Lost
	outcomes := &outcomes{state: state}
	for op, err := range plan.Rows(run.Lines()) {
		if err != nil {
			return nil, err
		}
		planned.count(op, outcomes.of(outcomes.worst(op)), 1)
		for each := range op.All() {
			planned.ask(each, outcomes.of(each), 1)
		}
		if op.Missing {
			planned.missing(op)
		}
	}
	header := run.Header()
	planned.Notes, planned.Decided = header.Notes, header.Decided
	if n := header.Passed; n > 0 {
		pass(&header, planned.Rows, planned.Of)
		planned.reasons[report.ReasonCount{Action: string(plan.Unchanged), Reason: plan.Passed}] = n
	}
	return planned.of(run), nil
}

// pass counts the unchanged rows of a plan that have no op.
func pass(h *plan.Header, rows finding.Rows, of finding.Resources) {
	events := h.Passed
	for name, n := range h.PassedOf {
		of.Of(name).Add(string(plan.Unchanged), finding.Unchanged, n)
		events -= n
	}
	if events > 0 {
		of.Of(catalog.Events.Name).Add(string(plan.Unchanged), finding.Unchanged, events)
	}
	rows.Add(string(plan.Unchanged), finding.Unchanged, h.Passed)
}

// add counts an op of a plan that is being made.
func (c *counted) add(op *plan.Op) {
	c.count(op, statusOf(op.RowAction(), new(journal.OpState)), 1)
	for each := range op.All() {
		c.ask(each, finding.Pending, 1)
	}
}

// changeLines describes what the comparing of a row has shown.
func changeLines(op *plan.Op, changes []plan.Change, at schema.Place) (lines []finding.ChangeLine) {
	for i := range changes {
		c := &changes[i]
		line := finding.ChangeLine{
			File: at.File, Sheet: at.Sheet, Row: op.Row.Number, Key: op.Event.Key, EventID: op.Event.ID,
			Field: c.Field, Base: agreed(op, c, changes), Live: known(op, c, c.Live),
			Mine: placed(op, c.Field, c.Mine, op.Event.Zone), Decision: string(c.Decision), Why: c.Why,
		}
		if timed(op, c.Field) {
			line.Zone, line.ZoneWas = op.Event.Zone, op.Event.ZoneWas
		}
		lines = append(lines, line)
	}
	return lines
}

// missing notes a key that is gone from its source.
func (p *Planned) missing(op *plan.Op) {
	line := report.MissingLine{
		Calendar: op.Event.Calendar, Key: op.Event.Key, EventID: op.Event.ID, Name: op.Event.Name,
		Action: string(op.Action), Reason: op.Reason,
	}
	if op.Event.StartAt != 0 {
		line.StartAt = new(time.UnixMilli(op.Event.StartAt).In(location(op.Event.Zone)))
	}
	p.Missing = append(p.Missing, line)
}

// agreed returns what the two sides of a change last agreed on, a time in the zone that they agreed on with it; nil where that
// is not known.
func agreed(op *plan.Op, c *plan.Change, changes []plan.Change) *string {
	if c.Base == nil {
		return nil
	}
	zone := op.Event.LiveZone()
	if i := slices.IndexFunc(changes, func(c plan.Change) bool { return c.Field == catalog.Path(catalog.FieldTimezone) }); i >= 0 {
		if base := changes[i].Base; base != nil {
			zone = cellText(base)
		}
	}
	return new(placed(op, c.Field, c.Base, zone))
}

// known returns a value as a cell holds it, nil where there is none.
func known(op *plan.Op, c *plan.Change, value json.RawMessage) *string {
	if value == nil {
		return nil
	}
	return new(cellOf(op, c.Field, value))
}

// block counts an op as blocked that was added as one that sends.
func (c *counted) block(op *plan.Op, reason string) {
	c.ask(op, finding.Pending, -1)
	if op.Part > 0 { // of a row that is counted by its first
		return
	}
	c.count(op, finding.Pending, -1)
	op.Action, op.Reason = plan.Blocked, reason
	c.count(op, finding.Blocked, 1)
}

// ask counts n times the requests of an op that is left.
func (c *counted) ask(op *plan.Op, status finding.Status, n int) {
	if op.Action.Sends() && (status == finding.Pending || status == finding.InDoubt) {
		requests := c.requests.Add(op, n)
		c.Requests[op.Event.Calendar] += requests
		if !op.Of().Keyed() {
			if o := catalog.OperationNamed(op.Operation); o != nil && o.Pace.Most > 0 {
				c.paced[pace{o, op.Event.Calendar}] += requests
			}
		}
	}
}

// tally counts n times the row of an op, or the key that is gone and has none.
func tally(op *plan.Op, action string, status finding.Status, n int, in ...finding.Rows) {
	for _, rows := range in {
		if rows.Add(action, status, n); op.Missing {
			rows[finding.Read] -= n
			rows[finding.Missing] += n
		}
	}
}

// count counts n times the row of an op.
func (c *counted) count(op *plan.Op, status finding.Status, n int) {
	does := op.RowAction()
	action, name := string(does), op.Of().Rows().Name
	tally(op, action, status, n, c.Rows, c.Of.Of(name))
	switch {
	case does == plan.Invalid:
		c.reasons[report.ReasonCount{Action: action, Reason: "left out"}] += n
	case !does.Sends():
		c.reasons[report.ReasonCount{Action: action, Reason: op.Reason}] += n
	case status == finding.Pending || status == finding.InDoubt:
		if c.Left[action] == nil {
			c.Left[action] = report.Kinds{}
		}
		c.Left[action][name] += n
		if n > 0 {
			c.tell(op)
		}
		switch op.Reason {
		case plan.FoundAgain:
			c.Found += n
		case plan.NamesEvent:
			c.named += n
		}
		if op.Cover != nil {
			if c.covers[op.Cover.Path] == 0 {
				c.Pictures = append(c.Pictures, report.Picture{Path: op.Cover.Path, Size: op.Cover.Size})
			}
			c.covers[op.Cover.Path] += n
		}
	}
}

// eventEffect is an effect on the people of one event.
type eventEffect struct {
	effect schema.Effect
	event  string
	after  int // the number of the op that makes the event, from 1; 0 where it is there
}

// tell counts the effects of an op. One that is blocked afterwards has none.
func (c *counted) tell(op *plan.Op) {
	e := op.RowEffects()
	for _, effect := range e.Leave() {
		c.needs[effect] = true
	}
	if len(e.Leave()) > 0 {
		if c.told && c.Resource != op.Resource {
			c.Resource = finding.Several
		} else {
			c.Resource, c.told = op.Resource, true
		}
	}
	add := func(r *finding.Reach, effect schema.Effect) {
		of := eventEffect{effect: effect, event: op.Event.Parent}
		if of.event == "" && len(op.After) > 0 {
			of.after = 1 + op.After[0]
		}
		switch {
		case !op.Of().Keyed() && (of == eventEffect{effect: effect} || c.events[of]):
		default:
			c.events[of] = true
			r.Events++
		}
		if r.Guests += e.People; !e.Counted {
			r.Uncounted++
		}
	}
	for _, effect := range e.Of {
		add(c.Effects.Of(effect), effect)
	}
	if e.Has(schema.Mails) && !e.Has(schema.Cancels) {
		add(&c.Effects.Asked, "")
	}
	if e.Has(schema.Mails) || e.Has(schema.Pushes) {
		c.Effects.Told += e.People
	}
}

// of completes the counting of a run.
func (p *Planned) of(run *journal.Run) *Planned {
	p.Run, p.Reasons = run, report.Reasons(p.reasons)
	p.Pictures = slices.DeleteFunc(p.Pictures, func(picture report.Picture) bool { return p.covers[picture.Path] == 0 })
	return p
}

// Total returns the sum of the requests.
func (c *counted) Total() int {
	n := 0
	for _, requests := range c.Requests {
		n += requests
	}
	return n
}

// Stuck returns an error where nothing is left to send because keys are missing or
// refused.
func (p *Planned) Stuck() error {
	if p.Total() > 0 || len(p.Refused) == 0 {
		return nil
	}
	return &send.CredentialError{Calendars: p.Refused}
}

// Paces returns how long the paces of operations hold up so many of the open rows, which are
// taken to be spread as the whole was: the first come at once.
func (c *counted) Paces(rows int) (longest time.Duration) {
	for by, requests := range c.paced {
		left := requests * rows / max(1, c.Rows.Open())
		longest = max(longest, time.Duration((left-1)/by.op.Pace.Most)*by.op.Pace.Per)
	}
	return longest
}

// Spread returns how many requests so many of the open rows take, by calendar: they are
// taken to be spread as the whole was.
func (c *counted) Spread(rows int) map[string]int {
	left, open := make(map[string]int, len(c.Requests)), c.Rows.Open()
	for calendar, requests := range c.Requests {
		left[calendar] = (requests*rows + open - 1) / max(1, open)
	}
	return left
}
