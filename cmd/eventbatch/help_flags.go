package main

import "eventbatch/batch/manual"

// flagGroups are the parts of a long list of flags.
var flagGroups = []manual.FlagGroup{
	{
		Title: "What is read",
		Flags: "mapping resource sheet timezone set | date-order operation rows limit join feed format encoding delimiter " +
			"header-row rows-at overlap recur-until covers-from covers-from-web body",
	},
	{
		Title: "What is compared",
		Flags: "compare on-conflict | decisions first slug source missing rename take-over rebind fresh forget-missing checksum",
	},
	{
		Title: "What may happen",
		Flags: "allow yes dry-run skip-invalid | accept replace-default keep-created adopt not-created fields " +
			"max-create max-update max-cancel max-mail min-rows",
	},
	{
		Title: "What is shown",
		Flags: "report output | results title logo for watch json quiet verbose log-format no-color no-progress detailed-exitcode",
	},
	{Title: "Limits", Flags: "| max-errors max-duration pace quota-share concurrency detach"},
	{
		Title: "Connection",
		Flags: "profile calendar sandbox key-file store workspace | config base-url key-kind key-command ca-file bad-day",
	},
}
