// Package mapping reads the rows of files as drafts of what they ask for.
//
// [Read] opens the files and binds the header of each sheet: which column feeds which
// field, by the headers themselves or by a mapping file
// ([eventbatch/mapping/mapfile.File]). [Reading.Results] then gives each row as a draft,
// with the problems of its cells, of its fields together, and of the row beside those
// before it. There is no network here and no clock.
//
// A cell that is blank leaves its field alone, <clear> asks for null, <empty> for
// an empty text, and anything else is a value. Nothing is guessed: a time that the
// clock skips or shows twice, a date that can be read in two ways, a date without
// a time are problems, with what to write instead.
//
// A row goes one way. Package sheet gives it with its physical place. Package reshape
// leaves out rows that are no events and makes one row of each event of the others.
// Workers make drafts of the rows of a sheet side by side: cells are converted by the kind
// of their field, where the mapping says so after package reads has put another text in
// their place, dates and zones by package datetime, expressions by package formula; then
// package check looks at the row as a whole. The results are merged in file order, where
// rows are compared with each other. The order of day and month is one for a whole column:
// the first rows nearly always prove it, else the sheet is read for it once.
//
// A file that another program made is read by a preset, a mapping file that is built in.
// [Mend] writes a mended copy of a file, [RunTests] runs the tests of a mapping file.
// Whatever is found wrong stays at the physical place of its cell.
package mapping
