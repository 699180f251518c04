package catalog

import (
	"eventbatch/mapping/schema"
)

var valueCodes = []CodeInfo{
	{
		schema.CodeMissingValue, schema.Error, "a value that is needed is blank",
		"A create needs name, start_at and timezone, an update needs its event_id or a key or slug that finds it. Fill the cell, or " +
			"give the value for all rows with --set.",
		"name is blank",
	},
	{
		schema.CodeNotNullable, schema.Error, "the field cannot be cleared",
		"<clear> sends null, and the service takes null only for some fields, such as max_capacity and the dates of a coupon: " +
			"eventbatch fields says which. Leave the cell blank to leave the field alone, or write the value it should have.",
		"visibility <clear>",
	},
	{
		schema.CodeNotEmptyable, schema.Error, "the field cannot be an empty text",
		"<empty> sends an empty text, which has a meaning only for texts such as the description and the three e-mail messages. Leave " +
			"the cell blank to leave the field alone.",
		"name <empty>",
	},
	{
		schema.CodeBadAction, schema.Error, "the action is not known",
		"The action decides whether a row creates, changes, cancels or deletes, so no other word is guessed at. Write CREATE, UPDATE, " +
			"UPSERT, CANCEL or SKIP, DELETE for hosts, INVITE for guests, or leave the cell blank for UPSERT.",
		"REMOVE",
	},
	{
		schema.CodeBadText, schema.Error, "the text cannot be used",
		"The text has characters in it that the field cannot hold, or does not fit the field otherwise. The message says which. Correct " +
			"the cell.",
		"a name with a control character in it",
	},
	{
		schema.CodeBadID, schema.Error, "the id cannot be used",
		"Ids and keys are short texts on one line. This one has a line end or an invisible character in it, most often from copying. " +
			"Enter it again.",
		"evt-9aQ2 with a line end inside",
	},
	{
		schema.CodeBadEmail, schema.Error, "the value is not an e-mail address",
		"A guest or host is known by one e-mail address: a name, an @ and a domain, without words around it. Correct the cell.",
		"Ada <ada@example.org>",
	},
	{
		schema.CodeBadEnum, schema.Error, "the value is not one of the allowed ones",
		"The field takes a fixed list of words; letter case and spaces in the place of hyphens are forgiven. Fonts and themes that the " +
			"service has retired are rejected too. Write one of the list (eventbatch fields with the name of the field prints it), or " +
			"map your own words under values in the mapping.",
		"visibility Everyone",
	},
	{
		schema.CodeBadNumber, schema.Error, "the value is not a number",
		"Numbers are written in digits, with a point before decimals, without a unit and without separators between thousands. Whole " +
			"numbers have no decimals.",
		"1,200 guests",
	},
	{
		schema.CodeOutOfRange, schema.Error, "the number is out of range",
		"Latitudes go from -90 to 90, longitudes from -180 to 180; capacities and prices are not negative; a list of options has at " +
			"most 250 items. A start more than five years ahead is let through with a warning. A latitude that is too large has often " +
			"changed places with the longitude.",
		"coordinate.latitude 151.2",
	},
	{
		schema.CodeBadBool, schema.Error, "the value is neither true nor false",
		"Write true or false. Yes, no, y, n, on, off, 1 and 0 are understood in any letter case, other words are not guessed at.",
		"maybe",
	},
	{
		schema.CodeBadURL, schema.Error, "the value is not a web address",
		"The field takes one whole address that begins with https:// or http:// and has a host. Spaces in it are written %20; user " +
			"names and passwords do not belong in it.",
		"meet.example.com/tea",
	},
	{
		schema.CodeBadColor, schema.Error, "the value is not a color",
		"The service takes # followed by three or six hexadecimal digits; names of colors are not understood. The page shows a shade of " +
			"it that can be read well.",
		"orange",
	},
	{
		schema.CodeBadSlug, schema.Error, "the value is not a slug",
		"A slug is the last part of the event page's address: 3 to 50 characters without spaces, slashes and the like. Write letters, " +
			"digits and hyphens, or leave the cell blank.",
		"Spring Tea!",
	},
	{
		schema.CodeBadZone, schema.Error, "the time zone is not known",
		"The service takes IANA names such as Europe/Berlin. Abbreviations do not say whether the clock changes: EST is New York in " +
			"winter and Panama all year. Write the name that the hint offers, or another one of the list.",
		"EST5EDT",
	},
	{
		schema.CodeBadDuration, schema.Error, "the value is not a duration",
		"Durations are written as in ISO 8601: PT30M, PT2H, P1D. The feedback e-mail's delay goes from PT0M, at once, to P7D. Months " +
			"and years have no fixed length and are refused.",
		"2 hours",
	},
	{
		schema.CodeBadJSON, schema.Error, "the JSON cannot be read",
		"A cell that holds an object or an array has to be JSON to the letter: straight double quotes, no comma before a closing " +
			"bracket. Spreadsheets like to turn quotes into curly ones. The character where it breaks off is named.",
		"{“enabled”: true}",
	},
	{
		schema.CodeBadObject, schema.Error, "the JSON has the wrong shape",
		"The JSON can be read, but a field in it is missing, unknown, there twice or of the wrong kind. The message begins with its " +
			"path. eventbatch fields shows an example of each field.",
		"registration_questions[2].options: missing",
	},
	{
		schema.CodeBadDate, schema.Error, "the value is not a date that exists",
		"The text is not a date in a form that is understood, or its day or month does not exist. Write 2026-05-01, or tell with " +
			"--date-order how your dates are written.",
		"2026-02-30",
	},
	{
		schema.CodeBadTime, schema.Error, "the value is not a time",
		"The text is not a time of day in a form that is understood, or a date is there without its time. Write 18:30, 6:30 PM, or a " +
			"whole date-time such as 2026-05-01T18:30:00+02:00.",
		"25:00",
	},
	{
		schema.CodeAmbiguousDate, schema.Error, "the date can be read in two ways",
		"03/04/2026 is a day in March for some and in April for others. Nothing is guessed cell by cell: only a column in which some " +
			"day is beyond 12 proves its order. Say it with --date-order dmy or mdy, or in the mapping.",
		"03/04/2026",
	},
	{
		schema.CodeDoubtfulOrder, schema.Warning, "the event takes months, and days with day and month exchanged",
		"Another date of the column proves that the day comes first, or the month, and the dates of this row are read so too. The event " +
			"then takes a month or longer; in the other order it would take days. Somebody may have typed the row in that order. " +
			"Write its dates as 2027-03-01 if they did; nothing is to be done if the event is that long.",
		"04/01/2027 to 04/03/2027 below 13/05/2027",
	},
	{
		schema.CodeNoZone, schema.Error, "the time has no zone",
		"A time on the clock is not an exact moment until its time zone is known. " +
			"Fill the row's timezone, give --timezone for all rows that have none, or write the offset into the time. " +
			"Where nothing in the file says a zone, that is told once for the file, with the number of its rows.",
		"2026-05-01 18:30 in a row without timezone",
	},
	{
		schema.CodeDSTGap, schema.Error, "the time does not exist on that day",
		"The clocks were put forward over this time, so no clock of the zone ever showed it. The hint names what the time is before and " +
			"after the change. Correct the time.",
		"2026-03-08 02:30 in America/New_York",
	},
	{
		schema.CodeDSTOverlap, schema.Error, "the time exists twice on that day",
		"The clocks were put back over this time, so it came twice, an hour apart. The hint names both. Write the one that is meant " +
			"with its offset, or decide for all rows with --overlap first or second.",
		"2026-11-01 01:30 in America/New_York",
	},
	{
		schema.CodeClockChange, schema.Warning, "the clocks change within hours that were added",
		"An expression adds a length to a time, and the clocks of the row's zone are put forward or back in between. The length is " +
			"counted in real hours, as an event takes them, so that the clock shows an hour more or less than it would on other days. " +
			"Where a day or a week is meant by the calendar, write start_at.AddDate(0, 0, 1) in the mapping.",
		"start_at + duration(\"8h\") from 22:00 to 07:00",
	},
	{
		schema.CodeWholeDay, schema.Warning, "a time of day is not read in a row of whole days",
		"The column that all_day names says that the event takes the whole day, and a cell of the row has a time of day all the same. " +
			"The event is from 00:00 to 00:00. Take the yes out of that column if the event is at that time, or the time out of the row.",
		"19:00 beside yes in All day",
	},
	{
		schema.CodeForeignOffset, schema.Warning, "the offset is not that of the event's time zone",
		"The time names an offset from UTC that the clocks of the row's time zone do not have on that day. " +
			"A date-time with its offset is one moment whatever the zone, and is sent as it stands; " +
			"the event's page shows it by the zone's own clock. Leave the offset out if that clock was meant.",
		"2027-01-07T19:00:00+02:00 in Europe/Berlin, where it is 18:00",
	},
	{
		schema.CodeFixedZone, schema.Warning, "the time zone is an offset, which has no summer time",
		"UTC+1 is accepted for what it is: a zone whose clocks are one hour ahead of UTC all year. In most of Europe and North America " +
			"an event of summer is then an hour off. Name the place's zone, such as Europe/Berlin, where its clocks change.",
		"UTC+1",
	},
	{
		schema.CodeBadHTML, schema.Error, "the HTML cannot be turned into Markdown",
		"The text is longer or has more elements inside each other than any description has, which most often means that it is damaged. " +
			"Shorten it, or put Markdown into the column.",
		"a description of 2 MB",
	},
}
