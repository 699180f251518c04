package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/feed"
	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/notify"
	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/source"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// What bounds a sync where nothing else was said.
const (
	SyncDuration    = 6 * time.Hour
	SyncMinRows     = "50%"
	SyncMaxMail     = 100
	SyncFirstCreate = "200" // rows, where no night has been done yet
)

// SyncConfig is one sync: where its rows come from, by whom they are read and sent, and who is told.
type SyncConfig struct {
	night.Sync

	Source   string        // what its runs call their source
	Logged   string        // what the log of the nights calls it
	Feed     feed.Config   // but for what is known of it, and its folder
	Duration time.Duration // that a night may take; 0 means [SyncDuration]
	Accept   bool          // what a changed mapping, value or column moves, or a last line without an end
	Dry      bool          // the plan is shown, and nothing is sent or remembered
	Restarts bool          // elsewhere, where it is interrupted: nobody is told of that
	Notify   *notify.Config
	Prune    *journal.Pruning // what goes after a night; nil prunes nothing
	Host     SyncHost
	Screen   SyncScreen
}

// SyncHost is whoever has a sync gone through. Its methods are called in this order as far as a night comes, each once but
// for Handed.
type SyncHost interface {
	// Store opens what remembers runs, and nights.
	Store() (journal.Store, error)
	// Connect returns how the rows of this night are planned.
	Connect() (*SyncPlan, error)
	// Handed returns the run of another feed that workers are to end before this one can be planned; empty where
	// there is none. It is asked until then.
	Handed(ctx context.Context, source, sha256 string) (run string, err error)
	// Plan plans as [Plan] does, and shows it.
	Plan(ctx context.Context, config PlanConfig) (*Planned, error)
	// Send sends as [Apply] does, and tells as [Report] does what became of the rows: rows is told too.
	Send(ctx context.Context, planned *Planned, within time.Duration, rows finding.Sink) (*Sent, error)
}

// SyncScreen shows people what a night has to say beside its plan and its rows.
type SyncScreen interface {
	Say(words string)   // what goes as it should
	Aside(words string) // what else somebody has to know
	LeftBehind(list []schema.LeftBehind)
	// Again returns the command that goes through this night once more with flags, and Apply the one that sends a run.
	Again(flags string) string
	Apply(run string) string
	// Exit returns what an error means: how the night ends, in words that quote no row.
	Exit(ctx context.Context, err error, rows finding.Rows) finding.Exit
}

// SyncPlan is how the rows of a night are planned.
type SyncPlan struct {
	PlanConfig             // but for what the night knows: the files, and what is gone
	Rules      night.Rules // by which the feed is read
	Keys       []string    // what those of the connection are for
	Leave      []string    // to do something to people and money, as the flags and the sync say it
	Close      func()
}

// Sent is what became of the rows of a night.
type Sent struct {
	Rows     finding.Rows
	Requests journal.Made
}

// Sync goes through one night of a sync, which no other process can do at the same time, and tells how it went. A feed
// that has not changed since a night that was done ends it at once. It returns what became of the rows, as far as it
// came: nil where none were planned.
func Sync(ctx context.Context, config SyncConfig) (finding.Rows, error) {
	s := syncRun{SyncConfig: &config, begun: time.Now()}
	store, err := config.Host.Store()
	if err == nil {
		s.texts = night.StoreOf(store)
	}
	keep := s.keeper(store, err)
	release := func() {}
	if err == nil {
		var held night.Store
		if held, release, err = config.Take(store); err == nil {
			s.texts = held
		}
	}
	teller := s.teller(keep)
	if err == nil {
		defer release()
		s.log(night.Entry{})
		if teller != nil {
			s.warn(teller.Begin(ctx))
		}
		err = s.hold(ctx, store)
	}
	told := s.told(ctx, err)
	entry := night.Entry{Ended: time.Now(), Run: told.Run, Ending: s.ending(&told), Work: workOf(&told)}
	if teller != nil && !(config.Restarts && errors.Is(err, context.Canceled)) {
		s.warn(teller.End(context.WithoutCancel(ctx), told))
		entry.Told = teller.Heard()
	}
	s.log(entry)
	return s.rows, err
}

// syncRun is one night of one sync.
type syncRun struct {
	*SyncConfig

	begun    time.Time
	texts    night.Store // nil where it cannot be opened
	memory   *night.Memory
	plan     *SyncPlan
	feed     *feed.Feed // nil where it could not be read
	bound    string
	rules    map[string]string
	run      *journal.Run // nil where there is none
	rows     finding.Rows
	requests finding.Requests
	troubles notify.Troubles
}

// hold goes through the night while the sync is held, and remembers it.
func (s *syncRun) hold(ctx context.Context, store journal.Store) (err error) {
	s.warn(feed.Sweep(s.Folder))
	if s.memory, err = night.Load(s.texts, s.Kept); err != nil {
		return err
	}
	err = s.night(ctx)
	if s.Dry {
		return err
	}
	err = errors.Join(err, s.remember(ctx, err))
	if s.Prune != nil && ctx.Err() == nil {
		_, failed := store.Prune(ctx, *s.Prune)
		s.warn(failed)
	}
	return err
}

// remember writes down how the night ended.
func (s *syncRun) remember(ctx context.Context, err error) error {
	n := night.Night{Begun: s.begun, Ended: time.Now(), Reason: s.Screen.Exit(ctx, err, s.rows).Reason, Run: s.runID()}
	switch {
	case s.feed == nil:
		s.memory.End(n, feed.State{}, "", nil)
	case s.feed.Unchanged:
		s.memory.Idle(n)
	default:
		s.memory.End(n, s.feed.State, s.bound, s.rules)
	}
	return s.memory.Save(s.texts, s.Kept)
}

// night reads the feed, plans and sends.
func (s *syncRun) night(ctx context.Context) (err error) {
	if s.plan, err = s.Host.Connect(); err != nil {
		return err
	}
	defer s.plan.Close()
	s.defaults()
	s.bind()
	if err := s.read(ctx); err != nil {
		return err
	}
	defer s.feed.Close() // the rows are planned
	if s.feed.Unchanged {
		s.rows = finding.Rows{}
		s.Screen.Say(printable.Clean(s.Name) + ": nothing new since " + shownTime(s.memory.Done.At))
		return nil
	}
	if err := s.cutOff(ctx); err != nil {
		return err
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	reports := s.plan.Source.Missing.Reports()
	planned, gone, err := s.planned(ctx)
	if err != nil || s.Dry {
		return s.guarded(err)
	}
	if err := planned.Leave(s.plan.Allow, s.Screen.Apply(planned.Run.ID())); err != nil {
		return err
	}
	s.memory.Gone, s.memory.Rules = gone, s.rules // whatever becomes of a row, they were seen
	s.noteMissing(planned, reports)
	s.noteUnfed(planned)
	sent, err := s.Host.Send(ctx, planned, s.Duration, unfinishedRows{s, planned.Run.Header().Sheets})
	if sent != nil {
		s.rows = sent.Rows
		s.requests.Made = sent.Requests
	}
	s.sayNewlyLeft(planned)
	return err
}

// shownTime returns a time as people are shown it.
func shownTime(at time.Time) string { return at.Local().Format("02 Jan 2006 15:04") }

// defaults fills in what a sync does where nothing was said.
func (s *syncRun) defaults() {
	o, g := &s.plan.Options, &s.plan.Guards
	s.plan.Listing.Else = o.Compare == "" // nobody asked for it: another comparison will do
	if o.Compare = cmp.Or(o.Compare, "live"); o.Compare == "live" {
		o.First = cmp.Or(o.First, plan.Fail)
	}
	g.MinRows.OrElse(SyncMinRows)
	if g.MaxMail == nil {
		g.MaxMail = new(SyncMaxMail)
	}
	if s.memory.Done == nil {
		g.MaxCreate.OrElse(SyncFirstCreate)
	}
	s.plan.Source.Missing = cmp.Or(s.plan.Source.Missing, source.Report)
	s.Duration = cmp.Or(s.Duration, SyncDuration)
	s.plan.Sparse, s.plan.Resolves = true, !s.Dry
}

// bind names what decides, besides the feed, what becomes of its rows.
func (s *syncRun) bind() {
	p := &s.plan.PlanConfig
	s.rules = s.plan.Rules.Hashes()
	s.bound = night.Hash( // in the order in which the memory of earlier nights has it
		s.Name, p.Service.BaseURL(), strings.Join(s.plan.Keys, " "), p.Service.Version(),
		p.Options.Slug, p.Options.Compare, p.Options.First, p.Options.OnConflict, string(p.Source.Missing),
		strconv.FormatBool(p.Options.SkipInvalid), strconv.FormatBool(p.Options.ReplaceDefault),
		strings.Join(p.Options.Owns, " "), strings.Join(s.plan.Leave, " "),
		strings.Join(slices.Sorted(maps.Values(s.rules)), " "),
	)
}

// planned plans the feed. It returns the keys that are gone by now too.
func (s *syncRun) planned(ctx context.Context) (planned *Planned, gone map[string]night.Absence, err error) {
	p := &s.plan.PlanConfig
	if moved := s.memory.Moved(s.rules); len(moved) > 0 {
		s.Screen.Say("note: " + strings.Join(moved, " and ") + " changed since the last night: nothing is cancelled tonight")
		p.Source.Missing = source.Report
	}
	if p.Source.Missing == source.Cancel {
		p.Guards.LimitCancels()
	}
	gone = s.memory.Gone
	p.Source.LongGone = func(reading string, keys []string) (long map[string]bool) {
		gone, long = s.memory.Missed(s.begun, reading, keys)
		return long
	}
	p.Reading.Now, p.Listing.Within, p.Problem = time.Now(), s.Duration, s.problem
	planned, err = s.Host.Plan(ctx, *p)
	if guard, ok := errors.AsType[*GuardError](err); ok {
		s.count(guard.Planned)
	}
	if invalid, ok := errors.AsType[*InvalidError](err); ok {
		s.rows = invalid.Rows
	}
	if err != nil {
		return nil, nil, err
	}
	s.count(planned)
	if s.columned() {
		var columns []string
		for _, sheet := range planned.Run.Header().Sheets {
			columns = append(append(columns, sheet.Sheet), sheet.Header...)
		}
		s.rules[night.ColumnsRule] = night.Hash(columns...)
	}
	if moved := s.memory.Moved(s.rules); len(moved) > 0 && !s.Accept && !s.Dry {
		err = s.tooMany(planned, moved)
	}
	return planned, gone, err
}

// count notes what a plan comes to.
func (s *syncRun) count(planned *Planned) {
	asked := s.plan.Service.Requests()
	s.rows, s.run = planned.Rows, planned.Run
	s.requests = finding.Requests{Planned: planned.Total(), Made: asked}
}

// columned reports whether the feed has columns that stay: those of a grid are rows of their own.
func (s *syncRun) columned() bool {
	r := &s.plan.Reading
	grid := r.Mapping != nil && len(r.Mapping.Grid.Columns) > 0
	return !grid && sheet.Columned(r.Format, strings.ToLower(filepath.Ext(s.feed.Path)))
}

// guarded returns an error of the plan with the command that lets it pass, where a wider bound does.
func (s *syncRun) guarded(err error) error {
	e, ok := errors.AsType[*GuardError](err)
	if !ok || e.Wider == "" {
		return err
	}
	hint := e.Look + ", say once: " + s.Screen.Again(e.Wider)
	if s.memory.Done == nil && s.plan.Guards.MaxCreate.Text == SyncFirstCreate {
		hint = "a first night creates " + SyncFirstCreate + " rows at most: " + hint
	}
	return failure.New(failure.Refused, err, hint)
}

// tooMany refuses a plan in which a changed mapping moves more than a tenth of the rows, or would
// were the file right.
func (s *syncRun) tooMany(planned *Planned, moved []string) error {
	changes, rows := planned.Rows[finding.Conflict], planned.Rows[finding.Read]
	for _, action := range []plan.Action{plan.Create, plan.Update, plan.Cancel} {
		changes += planned.Rows[finding.Status(action)]
	}
	if changes*10 <= rows {
		return nil
	}
	accepts := "--accept"
	if slices.ContainsFunc(planned.Compared, func(c finding.ChangeLine) bool {
		return c.Decision == string(plan.InConflict) && c.Base == nil
	}) {
		accepts += " --first mine" // of what the feed says for the first time
	}
	return failure.New(failure.Refused, fmt.Errorf(
		"nothing was sent: %s changed since the last night, and %s of %s would change",
		strings.Join(moved, " and "), report.Number(changes), report.Count(rows, "row"),
	), "look at the plan with --dry-run; if it is right, say once: "+s.Screen.Again(accepts))
}
