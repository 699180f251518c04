package catalog

import (
	"eventbatch/mapping/schema"
)

var fileCodes = []CodeInfo{
	{
		schema.CodeUnreadableFile, schema.Error, "the file cannot be read",
		"The operating system refused to open the file or stopped in the middle of it. Nothing of the file was used. Check the path, " +
			"the permissions and the disk, then run the command again.",
		"events.csv: permission denied",
	},
	{
		schema.CodeUnknownFormat, schema.Error, "the file's format is not known",
		"The format is taken from the file's first bytes and its name; neither fits CSV, TSV, XLSX, ODS or NDJSON. Save the table in one " +
			"of these formats, or say which it is with --format when it comes from standard input.",
		"events.pdf",
	},
	{
		schema.CodeOldWorkbook, schema.Error, "an old or a foreign workbook format",
		"The file is a workbook of a kind that this tool does not read, such as XLS or XLSB. Open it in a spreadsheet program and " +
			"save it as XLSX.",
		"events.xls, written by an old spreadsheet program",
	},
	{
		schema.CodeEncryptedWorkbook, schema.Error, "the workbook has a password",
		"A workbook with a password is encrypted as a whole, so no row of it can be read. Open it with its password and save a copy " +
			"without one.",
		"events.xlsx, protected on opening",
	},
	{
		schema.CodeBadZip, schema.Error, "the workbook's container is damaged",
		"An XLSX file is a zip container, and this one is cut short or contradicts itself. Rows could be missing without a trace, so " +
			"the file is refused as a whole. Fetch it again or save it anew.",
		"a download that broke off",
	},
	{
		schema.CodeBadCRC, schema.Error, "a part of the workbook is damaged",
		"The checksum that the container holds for a part does not match the part's bytes. Some cell has changed on the way, and nobody " +
			"can say which one. Fetch the file again or save it anew.",
		"xl/worksheets/sheet1.xml: the checksum does not match",
	},
	{
		schema.CodeZipBomb, schema.Error, "the workbook unpacks to far more than it should",
		"A small file that unpacks to gigabytes is either damaged or made to exhaust the machine. It is refused before it is unpacked. " +
			"If the workbook is honest, delete unused sheets and formats, or save the sheet as CSV.",
		"200 kB that unpack to 2 GB",
	},
	{
		schema.CodeTooManyEntries, schema.Error, "the workbook's container has too many entries",
		"A workbook has some dozens of parts, this one has many thousands. It is refused before the parts are read. Save the sheet as " +
			"CSV, or save the workbook anew.",
		"400,000 entries",
	},
	{
		schema.CodeMissingPart, schema.Error, "a part of the workbook is missing",
		"The workbook refers to a part that its container does not hold, so a sheet, the texts or the formats cannot be read. Open the " +
			"file in a spreadsheet program and save it anew.",
		"xl/sharedStrings.xml is referred to and not there",
	},
	{
		schema.CodeCutXML, schema.Error, "a part of the workbook ends in the middle",
		"The part's XML stops before its last element is closed. The rows after that point are lost, so none is used. Fetch the file " +
			"again or save it anew.",
		"xl/worksheets/sheet1.xml ends inside row 4012",
	},
	{
		schema.CodeBadXML, schema.Error, "a part of the workbook is not proper XML",
		"The part cannot be read without guessing. The sheet and the cell where it happens are named. Open the file in a spreadsheet " +
			"program and save it anew.",
		"an element that closes another one's tag",
	},
	{
		schema.CodeDoctype, schema.Error, "a part of the workbook declares a document type",
		"Workbooks never need a DOCTYPE; it is the door through which a file makes a reader open other files or run out of memory. The " +
			"file is refused. Save it anew with a spreadsheet program.",
		"<!DOCTYPE x SYSTEM \"file:///etc/passwd\">",
	},
	{
		schema.CodeUnknownFile, schema.Error, "nothing is known to read the file",
		"migrate reads every file of a folder, and knows a file by its columns, which a preset has exactly, or by a mapping that lies " +
			"beside it and is called as it is: orders.csv by orders.map.yaml. Have eventbatch map propose one, or move the file out " +
			"of the folder if it is no part of what is migrated.",
		"a report with a column that was added by hand",
	},
	{
		schema.CodeNoSheet, schema.Error, "there is no such sheet",
		"The workbook has no sheet of the name or pattern asked for, or none with rows in it. The sheets that it has are named in the " +
			"hint. Give one of them with --sheet or in the mapping.",
		"--sheet Spring, and the workbook has Events and Venues",
	},
	{
		schema.CodeNoHeader, schema.Error, "there is no header row",
		"Columns are known by the names in the header, and no row looks like one: the file is empty, or the first rows hold no names " +
			"that any field goes by. Write the header, or say where it is with --header-row.",
		"a file whose first row is 2026-05-01;Tea;Leeds",
	},
	{
		schema.CodeSheetsLeftOut, schema.Warning, "other sheets of the workbook are not read",
		"Unless --sheet or the mapping says otherwise, the sheets are read that are named after a resource, such as Events, Guests or " +
			"Ticket types; where the first is none of these, it alone is read. The others are named, so that none is forgotten without " +
			"a word. Name a sheet, or a pattern that fits several.",
		"a workbook with the sheets Spring and Summer, and no --sheet",
	},
	{
		schema.CodeRowsAboveHeader, schema.Warning, "rows above the header are not read",
		"A title often stands above the table. The row that names the most fields is taken for the header, and what is above it is left " +
			"out. If another row is the header, say so with --header-row.",
		"row 1: Spring programme, row 2: Title, Date, Place",
	},
	{
		schema.CodeRowsLeftOut, schema.Warning, "rows that are no events are left out",
		"The mapping says under skip_rows, hidden_rows or struck_rows that rows of a kind are left out: headings that stand alone in " +
			"their row, sums, headers that come again, lines between the rows, rows that are hidden or struck through. How many there " +
			"are is said, and where, so that none is an event that got lost. A row with a name and a start is never taken for one of them.",
		"row 5: March 2027, merged across all columns",
	},
	{
		schema.CodeComponentsLeftOut, schema.Warning, "parts of an iCalendar file are not read",
		"An iCalendar file may hold to-dos, journals and free-busy times beside its events, " +
			"and earlier versions of an event beside the newest. Only events are imported, each once; " +
			"how many others there are is said, so that none is missed.",
		"VTODO",
	},
	{
		schema.CodePayloadsLeftOut, schema.Warning, "payloads of a webhook are not read",
		"A payload is about a guest or a ticket, or about something that is not known, so that no row comes of it; or a later payload " +
			"tells the same record anew, and the last one counts. The others are read without it.",
		"guest.registered, and event.created before event.updated of the same event",
	},
	{
		schema.CodeLinesLeftOut, schema.Warning, "lines of an iCalendar file are not read",
		"A line stands before or behind the calendar, or in it but in none of its events, and says nothing that is understood. " +
			"The events are read without it; many such lines tell of a program that writes its files wrongly.",
		"a comment of the server behind END:VCALENDAR",
	},
	{
		schema.CodeRecurrenceCut, schema.Warning, "a series without an end is read in part",
		"An event that recurs for ever would make rows for ever. Its occurrences are read until a year from now; --recur-until names " +
			"another day. A nightly import goes on with the series as the day moves.",
		"RRULE:FREQ=WEEKLY",
	},
	{
		schema.CodeTwoEnds, schema.Warning, "an event says twice when it ends",
		"An event of a calendar may have DTEND or DURATION, not both. Where both are there and do not agree, DTEND counts, as in " +
			"other programs that read calendars. Take one of the two out, or correct it.",
		"DTEND:20270108T190000Z DURATION:PT3H",
	},
	{
		schema.CodeBadEncoding, schema.Error, "the text is not in the encoding that was expected",
		"Without a byte-order mark a text file has to be UTF-8, and this one is not from the byte named on. What it may be is told where " +
			"its words say so, and nothing is guessed: names would turn into other names. Save it as UTF-8, or say --encoding with the " +
			"name under which a cell reads well.",
		"M\\xfcller in a file without --encoding",
	},
	{
		schema.CodeEncodingFound, schema.Warning, "the encoding of the text was found",
		"The text has no byte-order mark and is no UTF-8. Each of its bytes is where it belongs in windows-1252, in which Excel saves a " +
			"CSV file on Windows, and no other encoding reads it nearly as well. Look at the cell that is shown; --encoding, or " +
			"encoding in the mapping, says it for good.",
		"Brasserie de l'\\xc9toile \\x96 soir\\xe9e",
	},
	{
		schema.CodeNULByte, schema.Error, "the text has a NUL byte in it",
		"No table has NUL bytes in its texts; they come from a binary file, from UTF-16 without its mark, or from a disk that failed. " +
			"The line is named. Save the file as UTF-8, or give --encoding utf-16le.",
		"T\\x00e\\x00a\\x00",
	},
	{
		schema.CodeLoneCR, schema.Error, "lines end in a bare carriage return",
		"A carriage return without a line feed outside of quotes would make many rows look like one. It comes from very old programs or " +
			"a broken conversion. Save the file with line feeds.",
		"name\\rTea\\r",
	},
	{
		schema.CodeWrongDelimiter, schema.Error, "the columns are separated by another character",
		"Read with this delimiter the file has one column, while another character divides every line alike. Give it with --delimiter, " +
			"or take the flag away so that it is found.",
		"name;start_at;timezone read with a comma",
	},
	{
		schema.CodeUnclosedQuote, schema.Error, "a quote is opened and never closed",
		"Everything after the quote would become one cell, so the rows behind it would vanish. The line where it opens is named. Close " +
			"it, or double it if it belongs to the text.",
		"line 18: \"Tea at five,2026-05-01",
	},
	{
		schema.CodeStrayQuote, schema.Error, "a quote stands where none can",
		"A cell that begins with a quote has to end with it, a quote inside of it is written twice, and no blank stands before or " +
			"behind. " +
			"Otherwise readers disagree about where the cell ends. The rows behind it are read where it is plain where this one ends.",
		"\"Tea\" and cake,2026-05-01",
	},
	{
		schema.CodeBadRecord, schema.Error, "a line is not a record",
		"Each line of an NDJSON file is one JSON object whose values are texts, numbers, booleans, null, objects or arrays. This line " +
			"is something else. Correct the line; the others are not affected.",
		"line 7: [1, 2]",
	},
	{
		schema.CodeTooManyColumns, schema.Error, "a row has too many columns",
		"The limit is that of spreadsheet programs, 16,384 columns. A row beyond it means a wrong delimiter or a damaged file.",
		"a line with 20,000 commas",
	},
	{
		schema.CodeTooManyRows, schema.Error, "the sheet has too many rows",
		"A workbook holds at most 1,048,576 rows a sheet, and this one claims more or counts them twice. Split the file, or save it as " +
			"CSV, which has no such limit.",
		"row 2000000",
	},
	{
		schema.CodeTooLongCell, schema.Error, "a cell is too long",
		"The cell holds more text than any field takes, most often because a quote was not closed. The place is named. Look for a stray " +
			"quote, or shorten the text.",
		"a cell of 3 MB",
	},
	{
		schema.CodeTooLongRow, schema.Error, "a row is too long",
		"The row's cells together hold more text than one event can. A wrong delimiter or a quote that is not closed makes such rows. " +
			"Look at the line named.",
		"a line of 40 MB",
	},
	{
		schema.CodeBadSharedString, schema.Error, "a cell refers to a text that the workbook does not hold",
		"Texts of a workbook lie in one list, and cells hold a number of that list; this number is beyond its end. Other readers show " +
			"an empty cell here. The file is refused: save it anew with a spreadsheet program.",
		"B4 refers to text 912 of 640",
	},
	{
		schema.CodeBadStyle, schema.Error, "a cell refers to a format that the workbook does not hold",
		"Whether a number is a date is told by its format, and the cell names one that is not there. A date could be taken for a " +
			"number. Save the workbook anew with a spreadsheet program.",
		"C7 has format 88 of 12",
	},
	{
		schema.CodeBadCellReference, schema.Error, "a cell claims an impossible place",
		"The cell's own reference is not a cell, lies in another row, or was there before. Values could end up in the wrong column. " +
			"Save the workbook anew with a spreadsheet program.",
		"a cell named F0 in row 19",
	},
	{
		schema.CodeRowOrder, schema.Error, "the workbook's rows are out of order",
		"Row numbers in a sheet only grow, and here one comes again or goes back. Two rows would claim one place. Save the workbook " +
			"anew with a spreadsheet program.",
		"row 12 after row 40",
	},
	{
		schema.CodeUnsupportedFeature, schema.Error, "the workbook uses something that cannot be read faithfully",
		"The sheet holds data in a form that this tool does not read, such as a chart sheet, an external link as the source of a cell, " +
			"or an unknown cell type. Guessing could lose a value. Replace it by plain values.",
		"a cell of type \"q\"",
	},
}
