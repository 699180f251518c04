package main

import (
	"eventbatch/batch/night"
	"eventbatch/batch/notify"
)

// log adds the night to the log of its sync. A dry run is none.
func (s *syncing) log(e night.Entry) {
	if s.job.sync.dryRun || s.shelf == nil {
		return
	}
	e.Sync, e.Source, e.Began = s.job.name, triedOut(s.job.sourceName(), s.global.sandbox), s.begun
	s.warn(night.Log(s.shelf, s.job.kept, e))
}

// ending returns how the night ended, in words that may be told.
func (s *syncing) ending(told *notify.Night) night.Ending {
	why, hint := notify.Words(told.Exit, told.Err, len(s.job.private()) > 0)
	return night.Ending{
		Exit: told.Exit.Code, Reason: told.Exit.Reason, State: string(notify.StateOf(told.Exit.Code, told.Changed)), Error: why, Hint: hint,
		Problems: told.Troubles.Words(s.job.private()),
	}
}

// workOf returns what the night has done.
func workOf(told *notify.Night) night.Work {
	rows := night.Counts{}
	rows.Add(told.Rows)
	return night.Work{Rows: rows, Requests: told.Requests.Sent + told.Requests.Reads, Throttled: told.Requests.Throttled}
}
