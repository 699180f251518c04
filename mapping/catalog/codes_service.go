package catalog

import (
	"eventbatch/mapping/schema"
)

var serviceCodes = []CodeInfo{
	{
		schema.CodeKeyExists, schema.Error, "the key has an event already",
		"The action is CREATE, and an earlier run has created an event for this key. Creating it again would make a second one. Use " +
			"UPSERT or UPDATE to change it, or another key for another event. Or the event was made elsewhere since the plan: it is left " +
			"as it is, and the next import of the row compares the two.",
		"spring-017 is evt-9aQ2 since run 20260501-1",
	},
	{
		schema.CodeKeyMissing, schema.Error, "nothing is known by this name",
		"The action is UPDATE or CANCEL, or the row names the event of a guest, and nothing goes by that name: no run of this " +
			"workspace, no id, no slug that finds it. Correct the cell, fill event_id, or use UPSERT to create what is missing.",
		"spring-999 with action UPDATE",
	},
	{
		schema.CodeKeyConflict, schema.Error, "the key belongs to another event",
		"The row's event_id is not the event that an earlier run remembers for its key. One of the two is wrong, and changing the wrong " +
			"event is worse than changing none. Correct the one that is wrong.",
		"spring-017 is evt-9aQ2, the row says evt-7bK1",
	},
	{
		schema.CodeKeyOfOtherSource, schema.Error, "the key is another source's",
		"An event has one source: the feed or file that made it, under the name given with --source. The row has the key of an event " +
			"that another source has made, so that the two would change it in turn. Give the row a key of its own, or name the event " +
			"in event_id to edit it; --take-over NAME hands the keys of a source on to the one that follows it.",
		"members-17 is of source members, and the row of source guests",
	},
	{
		schema.CodeNoCalendar, schema.Error, "no calendar is given",
		"The profile has several calendars, and the row does not say which one is meant. Fill calendar_id, or give --calendar for all " +
			"rows.",
		"a row without calendar_id under an organization key",
	},
	{
		schema.CodeUnknownCalendar, schema.Error, "no key serves the calendar",
		"The row names a calendar that no key of the profile can reach, or that no organization of the keys has by that id, slug or " +
			"name, or has several of. Correct calendar_id, or add a key for it under keys in the profile.",
		"calendar_id cal-9 with keys for cal-1 and cal-2",
	},
	{
		schema.CodeNoCredential, schema.Error, "the calendar's key could not be read",
		"The profile names a source for the key, and the source gave none: a variable that is not set, a file that others may read, a " +
			"command that failed. Rows of this calendar are not sent, others are. Run eventbatch doctor.",
		"env:MAIN_KEY is not set",
	},
	{
		schema.CodeOperationOff, schema.Error, "the profile switches the request off",
		"The row needs a request that the operations of the profile say is not to be made. Nothing else is sent in its place. Take the " +
			"row out, give it the action SKIP, or take the operation out of the profile's list.",
		"the profile says events/cancel: off, and row 12 says CANCEL",
	},
	{
		schema.CodeBlocked, schema.Error, "something else has to come first",
		"The row waits for another row or run that did not succeed, such as the creation of the event that it changes. It was not sent. " +
			"Mend what it waits for, then run the command again.",
		"row 12 changes the event that row 5 failed to create",
	},
	{
		schema.CodeConflict, schema.Error, "the row and the platform have both changed the field",
		"Since the file and the platform last agreed, the field was changed in the file and, to another value, on the platform. The row " +
			"was not sent. Write the value that is right into the cell, or say which side is right for all rows: --on-conflict mine or " +
			"theirs; where nothing is known of what they last agreed on, --first mine or theirs. A row whose event was " +
			"changed after the plan was made is a conflict too: import the file again.",
		"the file says 150 seats, the platform 140, and it was 120",
	},
	{
		schema.CodeNotUndone, schema.Warning, "an undo leaves the field as it is",
		"Since the run that is undone, somebody has changed the field on the platform, or a later run has sent it: putting it back would " +
			"undo that too. Or nobody knows what the field was before. Where it should go back all the same, import a row with the " +
			"value that it should have.",
		"the run sent 150, the platform has 140, it was 120",
	},
	{
		schema.CodeServiceRejected, schema.Error, "the service did not accept the row",
		"The service answered that it does not take a value, in the words of the message. Where it named a field, the problem stands on " +
			"the cell that the field came from. Correct the cell and run the results file or retry.",
		"start_at: Invalid input",
	},
	{
		schema.CodeSlugTaken, schema.Error, "the slug belongs to something else",
		"Another event or a calendar has this slug already, so the event could not get it. Choose another slug, or leave the cell blank.",
		"spring-tea is taken by another event",
	},
	{
		schema.CodeMoreThanPlanned, schema.Error, "a cancellation would reach more than the plan knew",
		"The plan said how many guests a cancellation tells, and whether orders are refunded. When the row's turn came, more guests " +
			"had registered or somebody had paid, so the event was left as it is. Look at the event, then import the file once " +
			"more: its plan knows of them.",
		"0 guests when the plan was made, 180 when the row's turn came",
	},
	{
		schema.CodeNotAllowed, schema.Error, "the key may not touch the event",
		"The service answers this way both for an event that belongs to somebody else and for one that does not exist. Check event_id " +
			"and calendar_id. If the event was deleted, --forget-missing has the next import create it anew.",
		"evt-9aQ2: forbidden",
	},
	{
		schema.CodeWrongCredential, schema.Error, "the service does not know the key",
		"The key was refused, so no row of its calendar can be sent. It may be mistyped, withdrawn, or of another service. Run " +
			"eventbatch doctor, mend the key and run the command again: it goes on where it stopped.",
		"401 Unauthorized",
	},
	{
		schema.CodeWrongAddress, schema.Error, "this is not the service",
		"The address answered with a redirect or with something that is not JSON, so base_url is wrong or something stands between. The " +
			"run was stopped; redirects are never followed, for the key would go with them.",
		"200 OK with a log-in page",
	},
	{
		schema.CodeGaveUp, schema.Error, "the row could not be delivered",
		"Every attempt failed on the way or with an error of the service itself, and the limit of attempts was reached. Nothing says " +
			"that the row is wrong. Run the command again later: it goes on where it stopped.",
		"five attempts, the last one 503 Service Unavailable",
	},
	{
		schema.CodeInDoubt, schema.Error, "nobody knows whether the row was carried out",
		"The request left, the answer was lost, and looking did not settle it: more than one event fits. Sending it again could create " +
			"a second one. Look at the calendar, then settle the row: eventbatch apply RUN --adopt ROW=EVENT_ID if the event is there, " +
			"eventbatch apply RUN --not-created ROW if it is not.",
		"connection reset after the request, two events of that name at that time",
	},
	{
		schema.CodePending, schema.Error, "the row was not sent",
		"The run stopped before the row's turn. The row is neither good nor bad. Run the same command again: it goes on with this row.",
		"--max-errors was reached",
	},
	{
		schema.CodeUnreadableJournal, schema.Error, "the run's record is damaged",
		"Lines of the journal that were safely on the disk are missing or changed, so what was sent cannot be told for certain. Nothing " +
			"is sent from this run. Restore the folder, or start a new run under a key or slug that finds the events.",
		"journal.jsonl: the chain breaks at line 4012",
	},
}
