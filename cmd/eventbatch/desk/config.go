package desk

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"slices"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping"
)

// Config says what the page is about.
type Config struct {
	Session *Session // as the file is read at first; nil where the page is about no file
	File    string   // its name
	Command string   // the command line that does the same
	Mapping Mapping
	Editing Editing
	Sending Sending // zero of a page that only looks
	// Document returns what a command prints under --json.
	Document func(ctx context.Context, args ...string) []byte
	Make     Make   // makes the files that are handed out
	Marked   string // what the one is called in which problems are marked
	Warn     func(words string)
	Told     func(*Session) // of the rows where they are read anew; nil: nobody is
	Idle     time.Duration  // after which a page at which nobody looks ends; 0: never
}

// warn says something on the terminal.
func (c *Config) warn(words string) {
	if c.Warn != nil {
		c.Warn(words)
	}
}

// Mapped is what map says of the file, with some answers.
type Mapped struct {
	Document []byte
	Text     string   // of the mapping; empty where map refuses
	Open     int      // questions without whose answer the mapping is not finished
	Refused  string   // that one of them has no answer, in its words, or why none is asked; empty where each has one
	Ready    []Answer // to those of them that have a likeliest one
}

// MappedBy returns what the page shows of a document of the command map.
func MappedBy(document []byte) Mapped {
	mapped := Mapped{Document: document}
	var doc struct {
		report.Proposed
		Exit finding.Exit
	}
	if json.Unmarshal(document, &doc) == nil { // else it tells of a defect
		mapped.Text = doc.Mapping
	}
	if mapped.Text == "" && len(doc.Questions) == 0 {
		mapped.Refused = doc.Exit.Error // as of a file without a header
	}
	for i := range doc.Questions {
		q := &doc.Questions[i]
		if q.Optional || len(q.After) > 0 {
			continue
		}
		if len(q.Choices) == 0 && q.Free == "" {
			mapped.Refused = q.Text
		}
		if mapped.Open++; q.Default != "" {
			mapped.Ready = append(mapped.Ready, Answer{ID: q.ID, Value: q.Default})
		}
	}
	return mapped
}

// Mapping is how the page comes to a mapping of its file.
type Mapping struct {
	// Map returns what map says with these answers.
	Map func(ctx context.Context, answers []Answer) Mapped
	// Read reads the rows: by a mapping, or as they are where it is empty.
	Read func(ctx context.Context, mapping string) (*Session, error)
	// Save is where the mapping goes when a person asks for it; empty where nothing is answered in the page.
	Save string
	// By names the mapping that the rows are read by at first; empty where there is none. Kept is its text, where it was found
	// in the place of Save.
	By, Kept string
	// Shown returns what map says of that mapping on the file.
	Shown func(ctx context.Context) []byte
	// Unread is why the mapping in the place of Save is not read by, and Unfinished its text where questions are open in it.
	Unread, Unfinished string
	// Same reports whether two mappings say the same, whatever their comments say.
	Same func(a, b string) bool
	// Lines returns the command line that asks what is open with these answers, the flags that have it save the mapping, and the
	// command line that checks by that.
	Lines func(answers []Answer) (asking, saving, checking string)
}

// Editing is how the page edits its file.
type Editing struct {
	Edits *Edits // nil where the page edits nothing
	Copy  string // the copy of the file with the edits
	// Mend writes the copy by a file of edits, read by a mapping, or as it is where that is empty, and has it be among their
	// [Copies].
	Mend func(ctx context.Context, edits, mapping string) error
	// Line returns the command line that writes the copy by a file of edits, read by the file of a mapping, or as it is where
	// that is empty; with over, it writes over a copy that is there. Checking returns the one that reads the copy in the
	// place of the file.
	Line     func(edits, mapping string, over bool) string
	Checking func(command string) string
	// Rows returns a command line that reads these rows only.
	Rows func(command, rows string) string
}

// Sending is how the page plans and sends: by commands, which are carried out in this process. The page says no word of
// theirs but row numbers, decisions and the effects that were ticked.
type Sending struct {
	To    string         // what is planned against and sent to, in words behind a file's name
	Allow []string       // the effects that may be ticked
	Flags []string       // of plan, as the page was opened with
	Pace  []string       // flags of commands that send, likewise
	Rows  mapping.RowSet // that are read with them
	Limit bool           // with them the first rows are read only
	Fresh time.Duration  // how old a plan may be that is sent as it was shown
	// Plan carries out a command that plans. It has leave to nothing, and nobody agrees to what it plans: nothing is sent.
	Plan func(ctx context.Context, words ...string) []byte
	// Send carries out a command that sends, with leave to these effects and no others, until it has come to its end, or
	// until the context ends and what had left is recorded. Each line of its log is one Write.
	Send func(ctx context.Context, lines io.Writer, allow []string, words ...string) []byte
	// Line returns a command line as a person writes it.
	Line func(words ...string) string
	// Open returns the command line that opens the page with leave to these effects besides.
	Open func(effects ...string) string
	// Folder is where the page keeps what was decided about a file with this sum.
	Folder func(sum string) (string, error)
}

// applies returns the command that sends a plan, with leave to these effects.
func (s *Sending) applies(h *held, allow ...string) []string {
	words := append([]string{"apply"}, s.Pace...)
	words = append(words, "--fresh=0s", "--checksum="+h.Checksum) // whoever reads a plan takes longer than a command
	for _, effect := range allow {
		words = append(words, "--allow="+effect)
	}
	return append(words, "--", h.Run)
}

// lacks returns the effects to which the page has no leave.
func (s *Sending) lacks(effects []string) []string {
	return slices.DeleteFunc(slices.Clone(effects), func(effect string) bool { return slices.Contains(s.Allow, effect) })
}

// ranges returns the rows of a sheet that the page was opened with.
func (s *Sending) ranges(sheet string) []mapping.RowRange {
	if len(s.Rows) == 0 {
		return []mapping.RowRange{{First: 1, Last: math.MaxInt}}
	}
	return slices.DeleteFunc(slices.Clone(s.Rows), func(r mapping.RowRange) bool { return r.Sheet != "" && r.Sheet != sheet })
}
