package batch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/source"
	"eventbatch/mapping/failure"
)

// Guards refuse a whole plan that does more, or comes from less, than is expected.
type Guards struct {
	MaxCreate, MaxUpdate, MaxCancel, MinRows plan.Bound
	MaxMail                                  *int // people who are mailed or get a push notification
}

// ParseGuards returns what flags say, or the configuration. The error names the flag.
func ParseGuards(said *profile.SyncGuards) (g Guards, err error) {
	for _, bound := range []struct {
		flag, text string
		into       *plan.Bound
	}{
		{"max-create", said.MaxCreate, &g.MaxCreate},
		{"max-update", said.MaxUpdate, &g.MaxUpdate},
		{"max-cancel", said.MaxCancel, &g.MaxCancel},
		{"min-rows", said.MinRows, &g.MinRows},
	} {
		if bound.text == "" {
			continue
		}
		if *bound.into, err = plan.ParseBound(bound.text); err != nil {
			return g, fmt.Errorf("--%s: %q: %w", bound.flag, bound.text, err)
		}
	}
	if said.MaxMail != "" {
		people, err := strconv.Atoi(said.MaxMail)
		if err != nil || people < 0 {
			return g, fmt.Errorf("--max-mail: %q is not a number of people", said.MaxMail)
		}
		g.MaxMail = &people
	}
	return g, nil
}

// LimitCancels bounds the cancels where nobody has said how many are expected.
func (g *Guards) LimitCancels() {
	g.MaxCancel.OrElse("5")
}

// GuardError says which guard refused a plan.
type GuardError struct {
	Planned *Planned
	// Wider is the flag that lets the plan pass, and Look what has to be looked at before;
	// empty where there is none.
	Look, Wider string
	// Short is what it says without the keys that it quotes, which stand in the column KeyColumn where that is
	// known; empty where it quotes none.
	Short, KeyColumn string

	err error
}

func (e *GuardError) Error() string { return e.err.Error() }

// Unwrap returns the refusal.
func (e *GuardError) Unwrap() error { return e.err }

// check returns a [GuardError] where the plan is beyond a guard. A share of what cannot be
// known yet bounds nothing, which is noted in the plan.
func (g *Guards) check(planned *Planned, workspace journal.Store, header *plan.Header) error {
	usual, known := 0, false
	type guard struct {
		flag  string
		bound *plan.Bound
		does  string
		rows  int
		least bool // the bound is the fewest rows, not the most
	}
	guards := []guard{
		{"--max-create", &g.MaxCreate, "creates", planned.Rows[finding.Status(plan.Create)], false},
		{"--max-update", &g.MaxUpdate, "updates", planned.Rows[finding.Status(plan.Update)], false},
		{"--max-cancel", &g.MaxCancel, "cancels", planned.Rows[finding.Status(plan.Cancel)], false},
		{"--min-rows", &g.MinRows, "has", planned.Rows[finding.Read], true},
	}
	if slices.ContainsFunc(guards, func(g guard) bool { return g.bound.Relative() }) {
		var err error
		if usual, known, err = usualRows(workspace, header); err != nil {
			return err
		}
	}
	for _, guard := range guards {
		if guard.bound.Text == "" {
			continue
		}
		if guard.bound.Relative() && !known {
			if guard.bound.Unset {
				continue // nobody asked for it
			}
			planned.Notes = append(planned.Notes, fmt.Sprintf(
				"no run of this input has come to its end yet, so %s %s has nothing to count against", guard.flag, guard.bound.Text,
			))
			continue
		}
		limit := guard.bound.Of(usual)
		planned.Guards = append(planned.Guards, report.Guard{
			Name: strings.TrimPrefix(guard.flag, "--"), Bound: guard.bound.Text, Rows: guard.rows, Limit: limit,
		})
		if guard.least && guard.rows >= limit || !guard.least && guard.rows <= limit {
			continue
		}
		words := fmt.Sprintf("the plan %s %s, and %s is %s", guard.does, report.Count(guard.rows, "row"), guard.flag, guard.bound.Text)
		if guard.bound.Relative() {
			words += fmt.Sprintf(": %s of the %s that the input had at its highest of late", report.Number(limit), report.Number(usual))
		}
		return exceeded(planned, words, "look whether the input is whole; if it is", fmt.Sprintf("%s %d", guard.flag, guard.rows))
	}
	if g.MaxMail == nil {
		return nil
	}
	told := planned.Effects.Told
	planned.Guards = append(planned.Guards, report.Guard{
		Name: "max-mail", Bound: strconv.Itoa(*g.MaxMail), Rows: told, Limit: *g.MaxMail,
	})
	if told > *g.MaxMail {
		return exceeded(planned, fmt.Sprintf("the plan tells %s, and --max-mail is %d", report.Count(told, "person"), *g.MaxMail),
			"look whom it tells; if it is right", fmt.Sprintf("--max-mail %d", told))
	}
	return nil
}

// exceeded refuses a plan that a wider bound would let pass.
func exceeded(planned *Planned, words, look, wider string) error {
	planned.of(planned.Run)
	err := refuse(planned, words, look+", say "+wider)
	err.Look, err.Wider = look, wider
	return err
}

func refuse(planned *Planned, words, hint string) *GuardError {
	planned.of(planned.Run)
	return &GuardError{Planned: planned, err: failure.New(failure.Refused, errors.New("nothing was sent: "+words), hint)}
}

// doubted refuses a plan whose input looks wrong to its source.
func doubted(planned *Planned, e *source.DoubtfulError, keyColumn string) *GuardError {
	err := refuse(planned, e.Words, e.Hint)
	if e.Short != "" {
		err.Short, err.KeyColumn = strings.TrimSuffix(err.Error(), strings.TrimPrefix(e.Words, e.Short)), keyColumn
	}
	return err
}

// lateRuns is of how many runs the highest number of rows is looked for.
const lateRuns = 14

// usualRows returns the most rows that the input had in its last runs that came to their
// end. known is false where there was none. The input is known by its files.
func usualRows(workspace journal.Store, header *plan.Header) (rows int, known bool, err error) {
	runs, err := workspace.Runs()
	if err != nil {
		return 0, false, err
	}
	late := 0
	for i := range slices.Backward(runs) {
		s := &runs[i]
		done := s.Err == nil && s.Tally.Open() == 0 && (s.Ended == "done" || !s.Started)
		if !done || s.Header.Parent != "" || s.Header.Target.BaseURL != header.Target.BaseURL ||
			!sameInput(&s.Header, header) {
			continue
		}
		rows, known = max(rows, rowsIn(s.Header.Sheets)), true
		if late++; late == lateRuns {
			break
		}
	}
	return rows, known, nil
}

// sameInput reports whether two runs have one source. That of a run which names none, since it
// is of an earlier version or of no file, is known by what its sheets are called.
func sameInput(a, b *plan.Header) bool {
	if a.Source != "" && b.Source != "" {
		return a.Source == b.Source
	}
	return slices.EqualFunc(a.Sheets, b.Sheets, func(a, b plan.Sheet) bool { return a.File == b.File && a.Sheet == b.Sheet })
}

func rowsIn(sheets []plan.Sheet) (rows int) {
	for i := range sheets {
		rows += sheets[i].Rows
	}
	return rows
}
