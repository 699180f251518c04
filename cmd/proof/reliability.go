package main

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/batch/trial"
)

// row is a trial of the page: what is done, and the test that does it.
type row struct {
	N    int // on the page, from 1
	What string
	Dir  string // of the package
	Test string
	outcome
}

// chapter is a kind of trouble, with the trials that make it.
type chapter struct {
	Name string // by which the template has its words
	Rows []*row
}

const (
	command    = "cmd/eventbatch"
	story      = "batch"
	quota      = "batch/quota"
	model      = "batch/send"
	simulation = "batch/sim"
)

// chapters are all trials.
func chapters() []chapter {
	list := []chapter{
		{"killed", []*row{
			{What: "new events", Dir: command, Test: "TestKilledImportsCreateEachEventOnce"},
			{What: "guests, some of them mailed", Dir: command, Test: "TestKilledImportsAddAndMailEachGuestOnce"},
			{What: "coupons", Dir: command, Test: "TestKilledImportsCreateEachCouponOnce"},
			{What: "hosts, added and removed", Dir: command, Test: "TestKilledImportsAddAndRemoveEachHostOnce"},
			{What: "events with new tags, changed, undone", Dir: command, Test: "TestKilledImportsTagEachEventOnce"},
			{What: "tickets of guests, given, taken, undone", Dir: command, Test: "TestKilledImportsGiveEachTicketOnce"},
			{What: "a season on six sheets", Dir: command, Test: "TestKilledSeasonsAreMadeOnce"},
			{What: "an undo", Dir: command, Test: "TestKilledUndosPutBackWhatNobodyHasTouched"},
			{What: "an export", Dir: command, Test: "TestKilledExportsGoOn"},
			{What: "a night, at each request", Dir: command, Test: "TestANightKilledAtAnyRequestIsMadeGood"},
			{What: "a night, at a write to the disk", Dir: command, Test: "TestANightKilledAtAnyWriteIsMadeGood"},
			{What: "nights, while the feed changes", Dir: command, Test: "TestNightsKilledAgainAndAgain"},
			{What: "a night that is told to stop", Dir: command, Test: "TestAStoppedNightGoesOnTheNextNight"},
		}},
		{"disk", []*row{
			{What: "under the journal of a run", Dir: command, Test: "TestFailingDiskUnderTheJournal"},
			{What: "under a plan", Dir: command, Test: "TestFailingDiskUnderThePlan"},
			{What: "under the count of requests", Dir: command, Test: "TestFailingDiskUnderTheLedger"},
			{What: "under a night", Dir: command, Test: "TestANightOnAFullDisk"},
			{What: "a journal that lost its end", Dir: story, Test: "TestAJournalThatLostItsEndCreatesNothingTwice"},
			{What: "a copied folder of runs", Dir: story, Test: "TestACopiedFolderCreatesNothingTwice"},
			{What: "the same, with mails", Dir: story, Test: "TestACopiedFolderMailsNobodyTwice"},
		}},
		{"badday", []*row{
			{What: "events", Dir: story, Test: "TestEventsAreMadeOnceOnABadDay"},
			{What: "everything else", Dir: story, Test: "TestEverythingElseIsMadeOnceOnABadDay"},
			{What: "undo", Dir: story, Test: "TestAnUndoOnABadDayIsAsOnAnother"},
			{What: "export and back", Dir: story, Test: "TestAnExportOfABadDayGoesBack"},
			{What: "export while a person edits", Dir: story, Test: "TestAnExportWhileAPersonEditsLeavesNothingOut"},
			{What: "two people edit, of file and platform", Dir: story, Test: "TestTwoEditorsLoseNothing"},
			{What: "the same on a bad day", Dir: story, Test: "TestTwoEditorsLoseNothingOnABadDay"},
			{What: "lists lag behind what was sent", Dir: story, Test: "TestWhatWasJustSentOutweighsAList"},
			{What: "leave to mail", Dir: command, Test: "TestThePlanSaysWhomItMails"},
		}},
		{"together", []*row{
			{What: "an import, twice", Dir: command, Test: "TestSameImportTwiceAtOnce"},
			{What: "a plan, applied twice", Dir: command, Test: "TestPlanAppliedTwiceCreatesOnce"},
			{What: "two files with the same keys", Dir: command, Test: "TestTwoFilesWithTheSameKeysAtOnce"},
			{What: "two folders with the same keys", Dir: command, Test: "TestTwoWorkspacesWithTheSameKeysAtOnce"},
			{What: "two syncs and an import", Dir: command, Test: "TestTwoSyncsAndAnImportAtOnce"},
			{What: "four processes, one key", Dir: command, Test: "TestFourProcessesShareOneKey"},
			{What: "eight processes, one count", Dir: quota, Test: "TestEightProcessesStayUnderOneLimit"},
			{What: "processes killed as they count", Dir: quota, Test: "TestKillInTheMiddleDamagesNothing"},
			{What: "drawn schedules", Dir: quota, Test: "TestNoScheduleExceedsTheLimit"},
		}},
		{"workers", []*row{
			{What: "many disasters on end", Dir: command, Test: "TestWorkersOutliveDisasters"},
			{What: "each, and three at a time", Dir: command, Test: "TestWorkersOutliveEachDisasterAndThreeAtATime"},
			{What: "a full disk", Dir: command, Test: "TestWorkersWaitForRoomInTheDatabase"},
			{What: "one of two is killed", Dir: command, Test: "TestAKilledWorkerIsSucceeded"},
			{What: "one of two hangs", Dir: command, Test: "TestAStoppedWorkerIsSucceeded"},
			{What: "many calendars, nothing breaks", Dir: command, Test: "TestWorkersCarryManyCalendars"},
			{What: "plans beside workers", Dir: command, Test: "TestPlansBesideWorkersTripNoLimit"},
		}},
		{"histories", []*row{
			{What: "histories of one workspace", Dir: simulation, Test: "TestHistories"},
		}},
		{"model", []*row{
			{What: "all safeguards", Dir: model, Test: "TestTheModelHolds"},
			{What: "it comes to an end", Dir: model, Test: "TestTheModelComesToAnEnd"},
			{What: "without each safeguard", Dir: model, Test: "TestTheModelNeedsEverySafeguard"},
		}},
	}
	n := 0
	for _, c := range list {
		for _, r := range c.Rows {
			n++
			r.N = n
		}
	}
	return list
}

// further are arguments of the tests of a package by which their draws follow from the seed.
func further(dir string, f form) []string {
	switch dir {
	case simulation:
		return []string{fmt.Sprint("-sim.from=", f.Seed), fmt.Sprint("-sim.histories=", map[bool]int{false: 100, true: 10_000}[f.Long])}
	case story, quota:
		return []string{"-rapid.seed=" + fmt.Sprint(f.Seed), "-rapid.nofailfile"}
	}
	return nil
}

// reliability is what its page tells.
type reliability struct {
	form
	Chapters []chapter
	Took     time.Duration
}

func reliabilityOf(ctx context.Context, f form) (any, error) {
	page := reliability{form: f, Chapters: chapters()}
	begun := time.Now()
	for _, dir := range []string{model, quota, simulation, story, command} {
		of := tests{dir: dir, args: further(dir, f)}
		var rows []*row
		for _, c := range page.Chapters {
			for _, r := range c.Rows {
				if r.Dir == dir {
					of.names, rows = append(of.names, r.Test), append(rows, r)
				}
			}
		}
		all, err := of.run(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if err := r.settle(all, runtime.GOOS); err != nil {
				return nil, err
			}
		}
	}
	page.Took = time.Since(begun).Round(time.Second)
	return page, nil
}

// settle takes what a trial came to. One that passes and says nothing is none.
func (r *row) settle(all *result, system string) error {
	o := all.tests[r.Test]
	switch {
	case o == nil && system != "linux":
		r.outcome = *newOutcome()
		r.Skipped = "it needs Linux"
	case o == nil:
		return fmt.Errorf("there is no test %s in %s", r.Test, r.Dir)
	case o.Skipped == "" && (!o.Passed || len(o.Figures) == 0):
		return fmt.Errorf("%s says nothing of what it did", r.Test)
	default:
		r.outcome = *o
	}
	return nil
}

// Rows are those of all chapters.
func (p reliability) Rows() (list []*row) {
	for _, c := range p.Chapters {
		list = append(list, c.Rows...)
	}
	return list
}

// Chapter returns the rows of a kind of trouble.
func (p reliability) Chapter(name string) []*row {
	return p.Chapters[slices.IndexFunc(p.Chapters, func(c chapter) bool { return c.Name == name })].Rows
}

// All adds the figures of all trials up.
func (p reliability) All() *outcome {
	all := newOutcome()
	for _, r := range p.Rows() {
		for f, n := range r.Figures {
			all.count(f, n, "")
		}
		for with, n := range r.Strikes {
			all.Strikes[with] += n
		}
	}
	return all
}

// Kinds are what strikes were made with, the most frequent first.
func (o *outcome) Kinds() []string {
	return slices.SortedFunc(maps.Keys(o.Strikes), func(a, b string) int {
		return 2*(o.Strikes[b]-o.Strikes[a]) + strings.Compare(a, b)
	})
}

// Of is a figure as a cell has it: a dash where nobody has counted.
func (o *outcome) Of(name string) (string, error) {
	f := trial.Figure(name)
	if !slices.Contains(trial.Figures, f) {
		return "", fmt.Errorf("there is no figure %s", name)
	}
	n, counted := o.Figures[f]
	switch {
	case !counted:
		return "–", nil
	case f == trial.Pace:
		return fmt.Sprintf("%.2f ×", n), nil
	case f.Most():
		return fmt.Sprintf("%.1f", n), nil
	}
	return printable.Number(int(n)), nil
}
