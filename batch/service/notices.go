package service

import (
	"fmt"
	"sync"

	"eventbatch/batch/quota"
	"eventbatch/batch/report"
)

// notices tells in words what the service says of a quota, each limit once.
type notices struct {
	config *Config

	mu     sync.Mutex
	limits map[string]bool // that were told
}

// tell hands on a notice. A wait that is not borne is told by the error that it ends with.
func (n *notices) tell(notice quota.Notice) {
	words, waits := "", false
	switch {
	case notice.Limit > 0:
		n.mu.Lock()
		of := fmt.Sprint(notice.Owner.Kind, notice.Limit)
		if !n.limits[of] {
			words = fmt.Sprintf("the service allows %s %s in %s, not %s as the profile says", notice.Owner.Name,
				report.Count(notice.Limit, "request"), report.Span(n.config.Connection.Limits.Window), report.Number(notice.Owner.Limit))
		}
		n.limits[of] = true
		n.mu.Unlock()
	case n.config.Patience == 0:
		words, waits = (&quota.ThrottledError{Owner: notice.Owner, Until: notice.Until}).Error()+"; Ctrl-C stops, and nothing is lost", true
	}
	if words != "" && n.config.Notice != nil {
		n.config.Notice(words, waits)
	}
}
