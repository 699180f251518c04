package main

import (
	"eventbatch/batch/api"
	"eventbatch/batch/journal"
)

// remedies are what helps against failures that have no hint of their own. What
// is known of them elsewhere is to ask doctor.
var remedies = []struct {
	is   func(error) bool
	hint string
}{
	{
		is[*api.UnauthorizedError],
		"the service does not know this key: it may be mistyped, withdrawn, of another service, or of another kind than --key-kind says",
	},
	{is[*api.ForbiddenError], "the service knows the key but lets it see nothing here: check its calendar, and what it was made for"},
	{is[*api.RejectedError], "the service takes the key but not the question: check base_url, and the names under headers in the profile"},
	{is[*api.NotSentError], "check the address, the network and any proxy: nothing answers there"},
	{is[*api.UnknownOutcomeError], "the service is there but fails: try again later"},
	{is[*api.RateLimitedError], "other programs use the same quota up: try again in a minute"},
	{is[*journal.DamagedError], "restore the run's folder from a backup, or set it aside"},
}

func remedy(err error) string {
	for _, r := range remedies {
		if r.is(err) {
			return r.hint
		}
	}
	return ""
}
