package service

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/report"
	"eventbatch/batch/secret"
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

// The kinds of owners of a quota.
const (
	calendarOwner     = "calendar"
	organizationOwner = "organization"
)

// nameless begins the id of an owner that is known by its key alone.
const nameless = "key "

// ownerName returns the name of an owner for people.
func ownerName(kind, id string) string {
	if strings.HasPrefix(id, nameless) {
		return "the key's " + kind
	}
	return kind + " " + id
}

// owners returns those whose quotas a request of the target uses, the shared one last
// (service: Limits). A calendar is the same owner whichever key reaches it.
func owners(connection *profile.Connection, target profile.Target, credential secret.Credential) []quota.Owner {
	limits := connection.Limits
	print := credential.Secret.Fingerprint()
	owner := func(kind, id string, limit int) quota.Owner {
		id = cmp.Or(id, nameless+print)
		return quota.Owner{Kind: kind, ID: connection.BaseURL + " " + id, Name: ownerName(kind, id), Limit: limit}
	}
	calendar := owner(calendarOwner, target.Calendar, limits.Calendar)
	if target.Kind != secret.Organization {
		return []quota.Owner{calendar}
	}
	organization := owner(organizationOwner, target.Organization, limits.Organization)
	if target.Calendar == "" || !limits.Nest {
		return []quota.Owner{organization}
	}
	return []quota.Owner{calendar, organization}
}
