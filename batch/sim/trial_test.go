package sim

import "eventbatch/batch/trial"

// struck says that a process has died, where it has.
func (w *world) struck(died bool, d death) {
	switch {
	case died && d.power:
		trial.Struck(w.t, 1, "power failure, simulated")
	case died:
		trial.Struck(w.t, 1, "kill -9, simulated")
	}
}

// say says what a history has come to: how many events there are of so many rows.
func (w *world) say(rows, events int) {
	trial.Say(w.t, trial.Histories, 1)
	trial.Fate(w.t, rows, events)
	stats := w.platform.Stats()
	for _, n := range stats.Requests {
		trial.Say(w.t, trial.Requests, n)
	}
	for _, n := range stats.Faults {
		trial.Say(w.t, trial.Answers, n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	trial.Say(w.t, trial.Edits, len(w.hand))
}
