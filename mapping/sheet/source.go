package sheet

import (
	"context"
	"io"
	"iter"
	"time"

	"eventbatch/mapping/schema"
)

// Info names one sheet of a file.
type Info struct {
	Name   string // empty for a text format
	Hidden bool
	Own    bool // one of ours that holds no rows: problems, instructions, lists
}

// Options says how to read a file where the file itself leaves it open.
type Options struct {
	Name      string    // that the file has in places and errors; empty: its path
	Format    string    // one of FormatNames; empty: by content, then by the name's extension
	Encoding  string    // of a text file that is not UTF-8 and has no byte-order mark, as the web names it: windows-1252
	Delimiter rune      // of a CSV file; 0: found
	RowsAt    string    // path to the rows of a JSON document, such as days[].rooms[][]; empty: found
	Stdin     io.Reader // read when the path is "-"
	Bytes     []byte    // of a file that is in memory and has a path only to be called by; nil: what lies at the path
	Limits    Limits
	SHA256    string    // of the bytes, where they were read before: others are refused
	Unsummed  bool      // nobody asks for File.SHA256, which then is empty: a faster hash tells whether the bytes change meanwhile
	Horizon   time.Time // until when a series of an iCalendar file that has no end is read; zero: two years from its start
	// Edited is called with each row as the file has it, and may lay other cells over its own; nil: nothing is. It is
	// called by each reading of the rows, from the goroutine that reads.
	Edited func(sheet string, row *Row)
}

// source is one format's way of giving rows. [Open] makes one for a file and
// asks it from a single goroutine: sheets first, then batches once or more
// often, notes after that, close last.
type source interface {
	// sheets lists the sheets in the order in which the file shows them.
	sheets() []Info
	// batches reads the sheet of that exact name from its first row. The rows
	// come in physical order; rows without content are left out and counted in
	// the numbers of those after them. An error is the last thing yielded and is
	// an *Error, or ctx's own. The source may reuse a batch once it is released.
	batches(ctx context.Context, sheet string) iter.Seq2[*Batch, error]
	// notes tells what was seen that is no error: hidden rows, merged cells,
	// ragged rows, counted. Complete once a sheet has been read to its end;
	// reading a sheet again replaces its notes.
	notes() []schema.Problem
	// date1904 reports whether serial dates count from 1904.
	date1904() bool
}

// grid is a source whose sheets have cells that cover others, and columns that are hidden.
// Both are known once a sheet has been read to its end.
type grid interface {
	merges(sheet string) []Merge
	hiddenColumns(sheet string) []int
	// ownSheet returns the sheet that is named as one of ours, empty where none is.
	ownSheet(own string) string
}
