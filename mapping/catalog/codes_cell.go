package catalog

import (
	"eventbatch/mapping/schema"
)

var cellCodes = []CodeInfo{
	{
		schema.CodeRaggedRow, schema.Error, "a row has more cells than the header",
		"The row holds values in columns that have no name, which most often means that a text with the delimiter in it is not in " +
			"quotes, and that values have moved into wrong columns. Put the text in quotes, or name the column.",
		"Tea, cake and talk,2026-05-01T18:00Z under name,start_at",
	},
	{
		schema.CodeBadEvent, schema.Error, "an event of a calendar cannot be read",
		"A line of the iCalendar file breaks the format or says what is not understood, so that the event could be sent with a wrong " +
			"time " +
			"or a text that was cut. The message says what is wrong with the line. The other events of the file are not affected. " +
			"Export the calendar again, or correct the event where it comes from.",
		"RRULE:FREQ=WEEKLY;UNTL=20271231",
	},
	{
		schema.CodeStruckRows, schema.Warning, "rows that are struck through are read too",
		"Half of the cells of the rows, or more, are struck through in the spreadsheet, which often says that an event is called off. " +
			"They are read like the others. Delete them, write SKIP or CANCEL in a column action, or struck_rows: skip in the mapping.",
		"rows that are struck through are read like the others: 4, 9",
	},
	{
		schema.CodeHiddenRows, schema.Warning, "hidden rows are read too",
		"Rows that a filter or a person has hidden are rows like any other, and are sent. If they should stay out, delete them, set " +
			"their action to SKIP, or choose rows with --rows or a filter in the mapping.",
		"14 hidden rows, the first one is 23",
	},
	{
		schema.CodeHiddenColumns, schema.Warning, "hidden columns are read too",
		"A hidden column is read like any other if its header names a field. Delete the column, or list it under ignore in the mapping, " +
			"if it should not count.",
		"column F (visibility) is hidden",
	},
	{
		schema.CodeHiddenSheet, schema.Warning, "the sheet is hidden",
		"The sheet that is read is hidden in the workbook, so somebody may not know that it is there. Choose another one with --sheet " +
			"if it is not meant.",
		"sheet Old is hidden",
	},
	{
		schema.CodeMergedCells, schema.Warning, "merged cells hold one value",
		"Of merged cells only the first one holds the value, the others are blank, and a blank cell leaves its field alone. Unmerge " +
			"them and fill each row if the value is meant for all of them.",
		"A4:A9 are merged",
	},
	{
		schema.CodeFormulaNoCache, schema.Error, "a formula has no result in the file",
		"Formulas are not computed here: the result that the spreadsheet program saved is used, and this cell has none. Open the file " +
			"in a spreadsheet program and save it, or replace the formula by its value.",
		"=B2&\" \"&C2, written by a program that does not compute",
	},
	{
		schema.CodeCellError, schema.Error, "a cell holds a spreadsheet error",
		"The spreadsheet itself says that it has no value for the cell. Sending the error's name as text would help nobody. Mend the " +
			"formula or write the value.",
		"#N/A",
	},
	{
		schema.CodeEarlySerial, schema.Error, "a date before March 1900",
		"Spreadsheets count days from 1900 and believe in a 29 February 1900, so serial numbers below 61 mean two different days, and a " +
			"time without a date is one of them. Write the whole date with its time.",
		"0.75, which shows as 18:00",
	},
	{
		schema.CodeLostDigits, schema.Error, "the spreadsheet has already lost digits",
		"An id or a key arrives as a number with an exponent or with more than 15 digits. Spreadsheets keep 15, the rest has become " +
			"zeros, and another event could be meant. Format the column as text and enter the ids again.",
		"1.2E+17",
	},
	{
		schema.CodeDuplicateHeader, schema.Error, "two columns have the same name",
		"Which of the two is meant cannot be told. Rename or delete one, or list one under ignore in the mapping.",
		"Title in B1 and in F1",
	},
	{
		schema.CodeEmptyHeader, schema.Warning, "a column with values has no name",
		"The column's cells are not read, for nothing says what they are. Write a name in the header if they matter.",
		"column G has 120 values and no name",
	},
	{
		schema.CodeUnmatchedColumn, schema.Warning, "a column feeds no field",
		"The header is neither a field nor a known other name of one, so the column's cells are not read. Rename it, map it under " +
			"columns, or list it under ignore in the mapping to say that this is right.",
		"Remarks",
	},
	{
		schema.CodeHeldBack, schema.Warning, "a row says that it is not to be made like the others",
		"A word such as draft, cancelled, private or refunded stands in a column that nothing reads, or in the name of an event, or " +
			"its description or address begins by calling it off; in a column Status it is any word but those, such as open, by " +
			"which an event takes place. The row is left out, for it would be published, or a guest be let in, against what it " +
			"says. The command map asks what becomes of such rows. In a mapping a column under ignore says nothing, and a text " +
			"under marked_names is made like the others, as * makes all of them.",
		"Status says Draft",
	},
	{
		schema.CodeOtherLink, schema.Warning, "a link that guests may not join by",
		"A column called URL or Link may have the page of the event on another platform, which would turn an evening in a hall into an " +
			"online event whose button leads away. Without a mapping only links of known programs for meetings are taken from it. " +
			"Name the column meeting_url if guests join by its links.",
		"URL https://old.example/event/1",
	},
	{
		schema.CodeGuestList, schema.Error, "the file lists guests, not events",
		"A column holds e-mail addresses, and none says when an event starts. Rows of guests read as events would give " +
			"the event that they name the name of a guest, so the file is refused. Import them with --resource guests. " +
			"If the rows are events all the same, list the column under ignore in a mapping file.",
		"event_id, email, name",
	},
	{
		schema.CodeOtherRows, schema.Error, "the file lists something else than events",
		"Most of the columns are those of coupons, ticket types or another resource, and none says when an event starts. Read as events " +
			"the rows would lack what only events have, so the file is refused. Say --resource with what they are about; where they " +
			"are events all the same, --resource events.",
		"event, code, percent_off",
	},
	{
		schema.CodeMissingColumn, schema.Error, "a column that is needed is not there",
		"The mapping names a column that the file does not have, or an operation needs a field that no column feeds. Add the column, " +
			"give the value for all rows with --set, or mend the mapping.",
		"no column feeds timezone",
	},
	{
		schema.CodeDuplicateField, schema.Error, "two columns feed one field",
		"Both columns are names of the same field, perhaps an old and a new one. Keep one, or say in the mapping which one counts.",
		"Title and Name both feed name",
	},
	{
		schema.CodeDeprecatedName, schema.Warning, "the column has an old name",
		"The service has renamed the field. The value is sent under the new name, nothing is lost; rename the column when there is " +
			"time. A guest's custom_source has no counterpart at an event and is ignored.",
		"geo_latitude, now coordinate.latitude",
	},
	{
		schema.CodeBadMapping, schema.Error, "the mapping cannot be used",
		"The mapping file says something unknown or contradicts itself; the line and the nearest known word are in the message. Nothing " +
			"was read. Mend the file.",
		"colums: at line 4",
	},
	{
		schema.CodeBadExpression, schema.Error, "an expression failed on this row",
		"The mapping computes the field from other columns, and with this row's values the computation fails. Mend the cell that it " +
			"reads, or the expression.",
		"start_at + duration(\"2h\") where start_at is blank",
	},
	{
		schema.CodeUnmappedValue, schema.Error, "the value map has no entry for the value",
		"The mapping translates this column's values, and this one is not in its list. Add it under values, or correct the cell.",
		"Friends, where values has Everyone and Members",
	},
	{
		schema.CodePresetTaken, schema.Warning, "a preset is used",
		"With --mapping auto the columns were found to be exactly those of a program that is known, and they are read as that program " +
			"means them. Name another mapping with --mapping, or none, if they are not.",
		"Subject, Start Date, Start Time, … are read as google-calendar",
	},
	{
		schema.CodeNoPreset, schema.Warning, "no preset fits the columns",
		"With --mapping auto a preset is used only where all of its columns are there and no other. Here the headers say themselves " +
			"what they are. Name a preset with --mapping, or have a mapping proposed with eventbatch map.",
		"a file of Google Calendar with a column added by hand",
	},
	{
		schema.CodeNoTable, schema.Warning, "a second table is not there",
		"The mapping looks rows up in a second table, such as the addresses of venues, and nobody said where it is. Its columns are " +
			"blank, what stands in the rows themselves is used. Give it with --join and the table's name.",
		"the-events-calendar without --join venues=venues.csv",
	},
	{
		schema.CodeNotInTable, schema.Warning, "the second table has no such row",
		"The row names something that the second table does not have, so that the table's columns are blank for this row. What stands " +
			"in the row itself is used. Correct the spelling, or add a row to the table.",
		"Town Hal, where the venues file has Town Hall",
	},
	{
		schema.CodeGroupDiffers, schema.Warning, "rows of one event differ",
		"Several rows are one event, the first of them makes it, and this one says something else in a column that is read. The first " +
			"one holds, and another start is an error, since it may be a further date of a series. Write the same into all of them, or " +
			"tell the events apart in a column that the mapping groups by.",
		"two attendees of one event with different start times",
	},
	{
		schema.CodeBadRecurrence, schema.Error, "a repeated event cannot be unrolled",
		"The row is an event that takes place on several days, and they cannot be told: the days are not understood, a first or last " +
			"day is missing, or there are too many. Correct the cells, or write a row for each day.",
		"M,X,F between 2026-05-01 and 2026-06-30",
	},
}
