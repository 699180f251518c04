package service

import (
	"cmp"
	"strings"

	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/batch/secret"
)

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

// nameOf names whoever's quota is used by all that these are owners of.
func nameOf(owners []quota.Owner) string {
	owner := owners[len(owners)-1]
	return owner.Kind + " " + owner.ID
}

// countedBy names what counts a request of owners.
func countedBy(owners []quota.Owner) []string {
	names := make([]string, len(owners))
	for i := range owners {
		names[i] = nameOf(owners[i : i+1])
	}
	return names
}
