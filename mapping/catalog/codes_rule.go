package catalog

import (
	"eventbatch/mapping/schema"
)

var ruleCodes = []CodeInfo{
	{
		schema.CodeWrongOperation, schema.Error, "the operation does not take the field",
		"Some fields go with one operation only: ticket_types with create, event_id and suppress_email with update. The row's action " +
			"asks for the other one. Leave the cell blank, or change the action.",
		"action CREATE with suppress_email",
	},
	{
		schema.CodeOnlyChanges, schema.Warning, "rows that can only change an event that exists",
		"The rows name an event by their key or slug and lack what a new event needs. Whether the event exists is known to " +
			"the workspace and to the service, which a check does not ask: plan does, and refuses the rows whose event is not found.",
		"a key and a capacity, without name and start_at",
	},
	{
		schema.CodeFieldLeftOut, schema.Warning, "the operation has no use for the field, which is left out",
		"The field means something to the other operation only. suppress_email keeps guests from being mailed about a change, " +
			"and a new event has no guests. ticket_types are made together with their event: they are left out, with this warning, " +
			"where the row's event turns out to exist and the cell is not what the event was made with. The row is sent without the field.",
		"a row that creates an event, with suppress_email",
	},
	{
		schema.CodeEndBeforeStart, schema.Error, "the event ends before it starts",
		"end_at is not later than start_at. Often the day of the end was forgotten for an event that goes past midnight, or morning and " +
			"evening changed places. Correct one of the two.",
		"start_at 2026-05-01T22:00Z, end_at 2026-05-01T01:00Z",
	},
	{
		schema.CodeEndNotMoved, schema.Warning, "the start may change and the end does not",
		"The row updates start_at and leaves end_at alone, so the event keeps its old end, which may now be before the start. Give both " +
			"if the event moves.",
		"an update with start_at only",
	},
	{
		schema.CodeEmbedLost, schema.Warning, "a description replaces what its Markdown does not say",
		"Somebody has put something into the description on the event's page that Markdown cannot say, such as another event. An " +
			"update replaces the whole description, and that is lost. Leave the cell as it was, or embed it again afterwards.",
		"a description_md that was changed, of an event whose description embeds another event",
	},
	{
		schema.CodeInThePast, schema.Warning, "a time is in the past",
		"start_at is before now. That is allowed, for a record of what has been, but more often the year is wrong. A new blast whose " +
			"scheduled_for is before now is an error: the service refuses it.",
		"start_at 2025-05-01T18:00Z in a programme for 2026",
	},
	{
		schema.CodeExclusiveFields, schema.Error, "two fields exclude each other",
		"The row sets fields that the service does not take together, such as create_meeting with meeting_url or a location, cover_url " +
			"with cover_file, or an object as a whole together with its parts. Keep one.",
		"create_meeting zoom with meeting_url https://…",
	},
	{
		schema.CodeHalfCoordinate, schema.Error, "half of a coordinate",
		"A coordinate is a latitude and a longitude, the service takes both or neither. Fill the other one, or leave both blank.",
		"coordinate.latitude 53.8 alone",
	},
	{
		schema.CodeIncompleteObject, schema.Error, "a part of an object is missing",
		"The row gives some parts of an object and leaves out one that the object cannot do without. The message names it. Fill it, or " +
			"leave the whole object blank.",
		"geo_address_json.type google without place_id",
	},
	{
		schema.CodeDelayWithoutOn, schema.Error, "a feedback delay without the switch",
		"The service takes feedback_email only with enabled in it, so a delay alone cannot be sent. Fill feedback_email.enabled with " +
			"true or false.",
		"feedback_email.delay PT2H alone",
	},
	{
		schema.CodeImageHostUnchecked, schema.Warning, "pictures cannot be checked",
		"cover_url has to lie on the service's image host, and the profile does not say which host that is. The service will refuse " +
			"wrong ones. Set image_cdn_base in the profile.",
		"a profile without image_cdn_base",
	},
	{
		schema.CodeWrongImageHost, schema.Error, "the picture lies on another host",
		"The service takes pictures of its own image host only. Put the picture into cover_file to have it uploaded, or use the address " +
			"that an upload gave.",
		"cover_url https://example.org/tea.jpg",
	},
	{
		schema.CodeBadPicture, schema.Error, "the picture file cannot be used",
		"cover_file names a file that is not there, cannot be read, or is neither JPEG nor PNG. Paths are relative to the table's own " +
			"folder. Correct the path or convert the picture.",
		"covers/tea.webp",
	},
	{
		schema.CodeNothingToDo, schema.Warning, "the row asks for nothing",
		"The row names an event and sets no field of it, so there is nothing to send. It is counted as skipped. Fill a cell, or set the " +
			"action to SKIP to say that this is right.",
		"a row with event_id alone",
	},
	{
		schema.CodeRowGone, schema.Warning, "a row is not in the file any more",
		"A feed has no row any more for events that a sync made from it: they stay, unless the sync says missing: cancel. Or a workbook " +
			"that was exported, which remembers which records it had: one of them has no row any more. Nothing is sent for it: it " +
			"stays on the platform as it is. Put its row back with CANCEL, or DELETE, in the column Action to take it away; eventbatch " +
			"export writes a workbook that has all again.",
		"the row of an event was deleted in the spreadsheet program",
	},
	{
		schema.CodeForeignBase, schema.Warning, "the baseline is not that of the row",
		"An exported row remembers in _base what it said, so that only the cells that were touched are sent. Here it is damaged, or was " +
			"copied from another row, or was taken away, as where a workbook is saved as CSV: the row is read as if it had been " +
			"written by hand, and one whose cells are not as on the platform is a conflict, unless --first says who is right.",
		"a row that was pasted over another one",
	},
	{
		schema.CodeBlankedCell, schema.Warning, "a cell was emptied since the export",
		"The export had a value in this cell. A blank cell leaves its field as it is, here as in any other file, so nothing is taken " +
			"away. Write <clear> or <empty> where the field may be cleared or emptied, or put the value back.",
		"a blank max_capacity that the export had as 120",
	},
	{
		schema.CodeNoKey, schema.Warning, "the row has no key",
		"The row has no key, no event_id and no slug. It is recognised by its content only, so a later change of name or start would " +
			"create a second event. Add a column with an id of your own and call it key.",
		"a row with name, start_at and timezone alone",
	},
	{
		schema.CodeDuplicateKey, schema.Error, "two rows have the same key",
		"A key names one event, and both rows claim it. The first one's place is in the message. Give each its own key, or take one row " +
			"out.",
		"spring-017 in rows 18 and 44",
	},
	{
		schema.CodeDuplicateEventID, schema.Error, "two rows change the same event",
		"Both rows name the same event, and the later one would undo what the earlier one did. Merge them into one row.",
		"evt-9aQ2 in rows 5 and 12",
	},
	{
		schema.CodeDuplicateSlug, schema.Error, "two rows want the same slug",
		"A slug is the address of one page, so the second create would fail. Letter case makes no difference. Change one of the two.",
		"spring-tea in rows 3 and 30",
	},
	{
		schema.CodeDuplicateCreate, schema.Error, "two rows would create the same event",
		"Both rows have the same name, start and calendar, and no keys that tell them apart. If they are two events, give each a key; " +
			"if not, take one out.",
		"Tea, 2026-05-01T18:00Z in rows 3 and 4",
	},
	{
		schema.CodeUnknownEvent, schema.Warning, "a row belongs to an event that the workbook does not have",
		"The word looks like the keys of the workbook's events, and no row of them has it. It may be a slip, or the key of an event that " +
			"was imported before: the plan looks it up, and refuses the row where it finds nothing. An event id or a slug can stand " +
			"there too.",
		"spring-71 on the sheet Guests, and spring-017 on the sheet Events",
	},
	{
		schema.CodeEventLeftOut, schema.Warning, "a row belongs to an event that is left out",
		"The event's own row says SKIP, or is left out by a filter, so that this workbook does not make it. The plan refuses what " +
			"belongs to it unless the event was imported before. Set the action of these rows to SKIP too, or let the event in.",
		"a guest of spring-017, whose row has the action SKIP",
	},
	{
		schema.CodeEventCancelled, schema.Error, "a row belongs to an event that is cancelled",
		"The event's own row says CANCEL, and events come before what belongs to them, so nothing could be added to this one any more. " +
			"Set the action of the row to SKIP, or leave the event be.",
		"a coupon of spring-017, whose row has the action CANCEL",
	},
}
