package sim

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/source"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
)

// act is what a process does. It reports whether nothing is left to do, and why something is.
type act func(*process) (done bool, err error)

// imports imports the files of the process's machine.
func imports(p *process) (done bool, err error) {
	t := p.on.table
	if err := t.write(&p.w.setting); err != nil {
		return false, err
	}
	config := batch.PlanConfig{Options: p.compares(), Reading: mapping.Config{Files: []string{t.events()}}}
	if p.w.removes {
		config.Source = source.Config{Name: t.prefix, Missing: p.w.missing, NoRenames: true}
		config.Allow = []schema.Effect{schema.Cancels}
	}
	config.Resolves = p.w.resolves
	if done, err = p.plans(config, len(t.rows)); done && len(t.others) > 0 {
		return p.plans(batch.PlanConfig{
			Options: plan.Options{Slug: p.w.slug, Compare: "sent"}, Allow: schema.Leaves,
			Reading: mapping.Config{Files: []string{t.besides()}, Resource: p.w.further.resource},
		}, len(t.others))
	}
	if !done || len(t.guests) == 0 {
		return done, err
	}
	if p.w.tickets {
		if done, err = p.plans(batch.PlanConfig{
			Options: plan.Options{Slug: p.w.slug, Compare: "sent"},
			Reading: mapping.Config{Files: []string{t.kinds()}, Resource: catalog.TicketTypes},
		}, len(t.visited())*len(ticketTypes)); !done {
			return false, err
		}
	}
	return p.plans(batch.PlanConfig{
		Options: plan.Options{Slug: p.w.slug, Compare: "sent"}, Allow: []schema.Effect{schema.Mails},
		Reading: mapping.Config{Files: []string{t.people()}, Resource: catalog.Guests},
	}, len(t.guests))
}

// compares returns the options by which a process compares events: as its world does, or, where rows and platform have both changed
// though what was sent was compared, as the hint says.
func (p *process) compares() plan.Options {
	w := p.w
	switch options := (plan.Options{Slug: w.slug, Compare: w.compare}); {
	case w.compare == "live":
		options.First, options.OnConflict = w.conflict, w.conflict
		return options
	case p.on.table.disagrees:
		options.Compare, options.OnConflict = "live", plan.Mine
		return options
	default:
		return options
	}
}

// returns returns the act that exports all events, has somebody edit cells of that, and imports it.
func (w *world) returns(seed uint64) act {
	return func(p *process) (done bool, err error) {
		t := p.on.table
		if !t.exported {
			rows, err := p.exports()
			if err != nil || len(rows) < 2 {
				return err == nil, err
			}
			if w.branch { // lists show by then what another workspace has changed right before
				time.Sleep(10 * time.Second)
			}
			w.editExport(t, rows, rand.New(rand.NewPCG(seed, 0xe)))
			if err := write(t.export(), rows); err != nil {
				return false, err
			}
			t.exported = true
		}
		done, err = p.plans(batch.PlanConfig{
			Options: plan.Options{Slug: w.slug, Compare: "live", First: plan.Theirs, OnConflict: plan.Theirs},
			Reading: mapping.Config{Files: []string{t.export()}},
		}, -1)
		if done {
			w.checkReturned(t)
		}
		return done, err
	}
}

// put is what somebody has put into a cell of an export.
type put struct{ id, field, was, value string }

// editExport has somebody edit a row of an export.
func (w *world) editExport(t *table, rows [][]string, draw *rand.Rand) {
	t.puts = nil
	row := one(draw, rows[1:]...)
	id := row[slices.Index(rows[0], "event_id")]
	puts := func(field, cell string, said func(string) json.RawMessage) {
		at, value := slices.Index(rows[0], field), said(cell)
		t.puts = append(t.puts, put{id, field, string(said(row[at])), string(value)})
		row[at] = cell
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.returned[id] == nil {
			w.returned[id] = map[string][]string{}
		}
		w.returned[id][field] = append(w.returned[id][field], string(value))
	}
	number := func(cell string) json.RawMessage { return json.RawMessage(cell) }
	puts("max_capacity", fmt.Sprint(2000+draw.IntN(100)), number)
	if w.moves && draw.IntN(2) == 0 {
		puts("calendar_id", one(draw, w.calendars...), quoted)
	}
	if w.described && draw.IntN(2) == 0 {
		puts("description_md", described(draw), quoted)
	}
}

// exports returns the events of the platform as an export writes them.
func (p *process) exports() (rows [][]string, err error) {
	reads := batch.Reads{Concurrency: 2}
	if len(p.w.calendars) > 1 {
		reads.Calendars = p.w.calendars
	}
	e, err := batch.Export(p.ctx, batch.ExportConfig{
		Service: p.service, Workspace: p.workspace, Resources: []*schema.Resource{catalog.Events}, Reads: reads,
	})
	if err != nil {
		return nil, err
	}
	if err := e.Read(p.ctx, nil); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	var text bytes.Buffer
	sheet := record.Sheet{Table: record.NewTable(catalog.Events, e.Named), Records: e.Records(catalog.Events)}
	if _, err := record.Write(&text, "csv", sheet); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	rows, err = csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text.Bytes(), []byte("\ufeff")))).ReadAll()
	return rows, errors.Join(err, e.Done())
}

// plans plans rows, and sends what comes of it. Below zero, rows may be conflicts too.
func (p *process) plans(config batch.PlanConfig, rows int) (done bool, err error) {
	config.Command, config.Service, config.Workspace, config.Reading.Now = "import", p.service, p.workspace, time.Now()
	var wrong []string
	config.Problem = func(problem schema.Problem, _ batch.Whose) { wrong = append(wrong, problem.Error()) }
	planned, err := batch.Plan(p.ctx, config)
	if err != nil {
		return false, fmt.Errorf("%w %q", err, wrong)
	}
	p.w.plans(p.on)
	p.on.table.disagrees = planned.Rows["conflict"] > 0
	if planned.Total() == 0 && (planned.Rows[finding.Unchanged] == rows || rows < 0 && planned.Rows["blocked"] == 0) {
		return true, nil
	}
	if planned.Total() == 0 && planned.Rows["blocked"] > 0 {
		return false, p.settles()
	}
	return false, p.sends(planned)
}

// sends sends a plan. The error says what came of it in any case.
func (p *process) sends(planned *batch.Planned) error {
	applied, err := p.applies(planned.Run)
	if err != nil {
		return fmt.Errorf("planned %v: %w", planned.Rows, err)
	}
	return fmt.Errorf("planned %v %v, came to %v", planned.Rows, planned.Reasons, applied.State.Tally())
}

func (p *process) applies(run *journal.Run) (*batch.Applied, error) {
	if w := p.w; !w.calm && p.draw(8) == 0 { // a plan is left for a while, and a person changes meanwhile what it is about to change
		if err := w.touchesOf(run, rand.New(rand.NewPCG(uint64(p.draw(1<<30)), 0x91a))); err != nil {
			return nil, err
		}
		time.Sleep(5 * time.Minute)
	}
	p.w.begins(p, run)
	return batch.Apply(p.ctx, batch.ApplyConfig{
		Run: run, Workspace: p.workspace, Service: p.service, Concurrency: p.w.concurrency,
	})
}

// settles goes on with what earlier runs have left, as those are told whose rows wait for it. The error says what was left.
func (p *process) settles() error {
	runs, err := p.workspace.Runs()
	if err != nil {
		return err
	}
	var left error
	for _, summary := range runs {
		if summary.Err != nil || summary.Tally.Open() == 0 {
			continue
		}
		run, err := p.workspace.Find(summary.ID)
		if err == nil {
			_, err = p.applies(run)
		}
		left = errors.Join(left, fmt.Errorf("run %s had left %v: %w", summary.ID, summary.Tally, err))
	}
	return left
}

// lastRun returns the newest run of a machine that is so; empty where there is none.
func (w *world) lastRun(m *machine, is func(journal.Summary) bool) (id string) {
	workspace, err := files.OpenWorkspace(m.folder)
	var runs []journal.Summary
	if err == nil {
		runs, err = workspace.Runs()
	}
	if err != nil {
		w.fail("%v", err)
	}
	for _, summary := range runs {
		if summary.Err == nil && is(summary) {
			id = summary.ID
		}
	}
	return id
}

// touches has a person change again what the last run of a machine has changed.
func (w *world) touches(m *machine, draw *rand.Rand) error {
	id := w.lastRun(m, func(s journal.Summary) bool { return s.Started })
	workspace, err := files.OpenWorkspace(m.folder)
	if id == "" || err != nil {
		return err
	}
	run, err := workspace.Find(id)
	if err != nil {
		return err
	}
	return w.touchesOf(run, draw)
}

// touchesOf has a person change what a run changes, or has changed.
func (w *world) touchesOf(run *journal.Run, draw *rand.Rand) error {
	for op, err := range run.Ops() {
		if err != nil {
			return err
		}
		var body map[string]json.RawMessage
		if op.Action != plan.Update || !op.Of().Keyed() || json.Unmarshal(op.Payload.Body, &body) != nil {
			continue
		}
		for _, field := range []string{"max_capacity", "description_md", "name"} {
			if _, sent := body[field]; sent && (field != "name" || w.slug == "derive") {
				w.puts(op.Event.ID, field, draw)
				return nil
			}
		}
	}
	return nil
}

// undoes returns the act that takes the last run of a machine back.
func (w *world) undoes(m *machine) act {
	id := w.lastRun(m, func(s journal.Summary) bool { return s.Started })
	return func(p *process) (done bool, err error) {
		if id == "" {
			return true, nil
		}
		run, err := p.workspace.Find(id)
		if err != nil {
			return false, err
		}
		planned, err := batch.Undo(p.ctx, batch.UndoConfig{
			Run: run, Workspace: p.workspace, Service: p.service, Allow: []schema.Effect{schema.Cancels},
		})
		if _, nothing := errors.AsType[*batch.NothingToUndoError](err); nothing {
			return true, w.checkUndone(run, nil)
		}
		if err != nil {
			return false, err
		}
		if planned.Total() > 0 || planned.Rows["blocked"] > 0 {
			return false, errors.Join(w.takesBack(run), p.sends(planned))
		}
		if _, err := p.applies(planned.Run); err != nil {
			return false, err
		}
		return true, w.checkUndone(run, planned.Run)
	}
}

// retries returns the act that tries again what has failed in the last run of a machine in which something has.
func (w *world) retries(m *machine) act {
	id := w.lastRun(m, func(s journal.Summary) bool { return s.Tally[journal.Failed]+s.Tally[journal.Blocked] > 0 })
	return func(p *process) (done bool, err error) {
		if id == "" {
			return true, nil
		}
		run, err := p.workspace.Find(id)
		if err != nil {
			return false, err
		}
		planned, err := batch.Retry(p.ctx, batch.RetryConfig{Run: run, Workspace: p.workspace, Service: p.service})
		if err != nil {
			return false, err
		}
		return planned.Total() == 0, p.sends(planned)
	}
}

// loses has somebody lose a workspace, or go on in a copy of it in another place, while nothing is under way.
func (w *world) loses(m *machine, source *rand.Rand) {
	w.flying.Wait()
	time.Sleep(3 * time.Minute)
	copied := w.slug == "keep" || source.IntN(2) == 0 // without slugs nothing tells the events of one workspace from those of none
	// Nothing finds an event on another calendar whose row has another name since, which is part of its slug.
	copied = copied || w.moves
	if err := m.moves(copied); err != nil {
		w.fail("%v", err)
	}
	if !copied {
		m.table.slept = slept{}
	}
	for _, r := range append(m.table.rows, m.table.removed...) {
		r.lost = r.lost || !copied
	}
}
