// Package sheet turns files into rows, and writes rows into files.
//
// [Open] finds out what a file is, by its first bytes before its name, and [File] gives
// its rows in batches, whatever the format: CSV and TSV, XLSX, ODS, HTML, JSON, iCalendar. A row
// is known by its physical place, the row that a spreadsheet shows and the line of a text
// file, as that is where its problems are to be shown. Nothing is lost in silence: what
// cannot be read for certain is an [*Error] at its place, and what is odd a note.
//
// A reading is in layers. The input holds the bytes, opened once and hashed in each pass,
// so that two readings that differ are noticed. A charset makes text of bytes, a window
// holds a stretch of the text, and a scanner cuts rows out of it. A workbook is read by
// package ooxml part by part, and its cells here. Each format is a source; a batch lends
// its memory and gets it back when it is released. Files are read at the speed of the
// disk: nearly every cell is cut in one go, and only what differs goes the careful way.
//
// Cells of workbooks and of text files read the same: line breaks are "\n", and the
// apostrophe that [Guard] puts before what a spreadsheet would take for a formula is
// taken away. Whatever is written here is guarded.
//
// Three things are written. New workbooks ([WriteXLSX], [WriteTexts]) are made by a
// library. New CSV files ([CSVWriter]) begin with a byte-order mark. A copy
// of a user's own file with some cells changed is a [Patch]: of a CSV file all other
// records keep their bytes, of a workbook all other parts, and in a sheet all other cells.
package sheet
