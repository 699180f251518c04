package work

import (
	"encoding/json"
	"fmt"
	"time"

	"eventbatch/batch/postgres"
	"eventbatch/mapping/failure"
)

// Rules are what a command that leaves a run to the workers says of how it is sent.
type Rules struct {
	Concurrency int           `json:"concurrency"`
	MaxErrors   int           `json:"max_errors,omitempty"` // rows that may fail; 0 means any number
	Failed      int           `json:"failed,omitempty"`     // before, which do not count
	Fresh       time.Duration `json:"fresh"`
}

// RulesOf returns the rules of a share.
func RulesOf(share *postgres.Share) (rules Rules, err error) {
	if err := json.Unmarshal(share.Rules, &rules); err != nil {
		return rules, failure.New(failure.Stale, fmt.Errorf("reading the rules of run %s: %w", share.Run, err), "")
	}
	return rules, nil
}

// Reached reports whether so many rows have failed that the run stops.
func (r *Rules) Reached() bool { return r.MaxErrors > 0 && r.Failed >= r.MaxErrors }
