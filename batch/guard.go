package batch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/source"
	"eventbatch/mapping/failure"
)

// Bound is a number of rows, or a share of the rows that the source usually has. The zero
// Bound bounds nothing.
type Bound struct {
	text  string // as it was given
	n     int
	share float64
	unset bool // nobody gave it: a default
}

// ParseBound reads 30 and 30%.
func ParseBound(text string) (Bound, error) {
	text = strings.TrimSpace(text)
	if digits, ok := strings.CutSuffix(text, "%"); ok {
		share, err := strconv.ParseFloat(digits, 64)
		if err != nil || share < 0 || share > 1000 || math.IsNaN(share) {
			return Bound{}, errors.New("it is no share; write a percentage such as 30%")
		}
		return Bound{text: text, share: share / 100}, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return Bound{}, errors.New("it is neither a number nor a share such as 30%")
	}
	return Bound{text: text, n: n}, nil
}

// of returns the number of rows that the bound means. It is rounded up, and a share is at
// least one row.
func (b *Bound) of(usual int) int {
	if !b.relative() {
		return b.n
	}
	return max(1, int(math.Ceil(b.share*float64(usual)-1e-9)))
}

// number returns the number of rows that the bound is, -1 where it is a share, or bounds nothing.
func (b *Bound) number() int {
	if b.text == "" || b.relative() {
		return -1
	}
	return b.n
}

func (b *Bound) relative() bool { return strings.HasSuffix(b.text, "%") }

// Guards refuse a whole plan that does more, or comes from less, than is expected.
type Guards struct {
	MaxCreate, MaxUpdate, MaxCancel, MinRows Bound
	MaxMail                                  *int // people who are mailed or get a push notification
}

// LimitCancels bounds the cancels where nobody has said how many are expected.
func (g *Guards) LimitCancels() {
	if g.MaxCancel.text == "" {
		g.MaxCancel = Bound{text: "5", n: 5}
	}
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
		bound *Bound
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
	if slices.ContainsFunc(guards, func(g guard) bool { return g.bound.relative() }) {
		var err error
		if usual, known, err = usualRows(workspace, header); err != nil {
			return err
		}
	}
	for _, guard := range guards {
		if guard.bound.text == "" {
			continue
		}
		if guard.bound.relative() && !known {
			if guard.bound.unset {
				continue // nobody asked for it
			}
			planned.Notes = append(planned.Notes, fmt.Sprintf(
				"no run of this input has come to its end yet, so %s %s has nothing to count against", guard.flag, guard.bound.text,
			))
			continue
		}
		limit := guard.bound.of(usual)
		planned.Guards = append(planned.Guards, report.Guard{
			Name: strings.TrimPrefix(guard.flag, "--"), Bound: guard.bound.text, Rows: guard.rows, Limit: limit,
		})
		if guard.least && guard.rows >= limit || !guard.least && guard.rows <= limit {
			continue
		}
		words := fmt.Sprintf("the plan %s %s, and %s is %s", guard.does, report.Count(guard.rows, "row"), guard.flag, guard.bound.text)
		if guard.bound.relative() {
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
