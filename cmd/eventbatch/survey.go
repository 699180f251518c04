package main

import (
	"eventbatch/batch"
	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
)

// survey counts the rows of a run: what became of them so far, what is left to
// be done, with the pictures that leave the machine for it, and why the others send nothing.
func survey(run *journal.Run, words *report.PlanWords) error {
	outcomes, err := outcomesOf(run, nil)
	if err != nil {
		return err
	}
	counts, shown := map[report.ReasonCount]int{}, map[string]bool{}
	words.Rows = report.Planned(run.Header().Counts)
	for op, err := range run.Ops() {
		if err != nil {
			return err
		}
		out := outcomes.Of(op)
		words.Rows.Settle(out)
		open := out.Status == report.Pending || out.Status == report.InDoubt
		if open && op.Action.Sends() && op.Cover != nil && !shown[op.Cover.Path] {
			shown[op.Cover.Path] = true
			words.Pictures = append(words.Pictures, report.Picture{Path: op.Cover.Path, Size: op.Cover.Size})
		}
		switch {
		case op.Action == plan.Invalid:
			counts[report.ReasonCount{Action: op.Action, Reason: "left out"}]++
		case !op.Action.Sends():
			counts[report.ReasonCount{Action: op.Action, Reason: op.Reason}]++
		case open && op.Action == plan.Create:
			words.Create++
		case open && op.Action == plan.Update:
			words.Update++
			if op.Reason == plan.FoundAgain {
				words.Found++
			}
		case open:
			words.Cancel++
		}
	}
	for r, n := range counts {
		r.Rows = n
		words.Reasons = append(words.Reasons, r)
	}
	words.Reasons = report.Reasons(words.Reasons)
	return nil
}

// outcomesOf tells what became of a run: from the sending that just ended, or
// from the journal.
func outcomesOf(run *journal.Run, applied *batch.Applied) (*report.Outcomes, error) {
	if applied != nil && applied.State != nil {
		return &report.Outcomes{State: applied.State, Blocked: applied.Refused}, nil
	}
	state, err := run.State()
	if err != nil {
		return nil, err
	}
	return &report.Outcomes{State: state}, nil
}

// count counts the rows of a run by what became of them.
func count(run *journal.Run, outcomes *report.Outcomes) (report.Rows, error) {
	rows := report.Planned(run.Header().Counts)
	for op, err := range run.Lines() {
		if err != nil {
			return rows, err
		}
		rows.Settle(outcomes.Of(op))
	}
	return rows, nil
}
