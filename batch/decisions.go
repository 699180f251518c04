package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
)

// Leave is the decision that holds a row in conflict back for now. The others are [plan.Mine] and [plan.Theirs].
const Leave = "leave"

// Decisions are what somebody has decided about conflicts, for the values that they have seen.
type Decisions struct {
	name  string
	sum   string // of the file
	lines map[contested]*decisionLine
	notes []string
}

// contested is a field of a row, empty where the platform no longer has what the row is about. Where the id is empty it is
// that of every event, or record, of the key: two calendars may have the same key.
type contested struct {
	Key     string `json:"key"`
	EventID string `json:"event_id"`
	Field   string `json:"field"`
}

// decisionLine is a line of a file of decisions: those members of a change in the document of a plan that say which field
// it is, and what both sides had.
type decisionLine struct {
	contested

	Live     *string `json:"live"` // nil, as Mine, where any value will do
	Mine     *string `json:"mine"`
	Decision string  `json:"decision"`

	undeciding

	number int
	met    bool // by a conflict
}

// undeciding are the members of a change that decide nothing. They are named, so that no other is passed over: it may be a
// misspelt one that decides.
type undeciding struct {
	File  json.RawMessage `json:"file"`
	Sheet json.RawMessage `json:"sheet"`
	Row   json.RawMessage `json:"row"`
	Base  json.RawMessage `json:"base"`
	Why   json.RawMessage `json:"why"`
}

// longestDecision bounds a line, in bytes.
const longestDecision = 1 << 20

// ReadDecisions reads a file of decisions, which is an object a line. Its name is for errors, which name the line.
func ReadDecisions(name string, r io.Reader) (*Decisions, error) {
	d := &Decisions{name: name, lines: map[contested]*decisionLine{}}
	sum := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(r, sum))
	lines.Buffer(nil, longestDecision)
	number := 1
	for ; lines.Scan(); number++ {
		text := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(text) == 0 {
			continue
		}
		line := &decisionLine{number: number}
		err := finding.DecodeOne(bytes.NewReader(text), line)
		before := d.lines[line.contested]
		switch {
		case err != nil:
		case line.Key == "":
			err = errors.New("it names no key")
		case !slices.Contains([]string{plan.Mine, plan.Theirs, Leave}, line.Decision):
			err = fmt.Errorf("%q is no decision", line.Decision)
		case before != nil:
			err = fmt.Errorf("line %d has decided %s already", before.number, line.contested)
		}
		if err != nil {
			return nil, failure.New(failure.Usage, fmt.Errorf("%s:%d: %w", name, number, err),
				`write an object a line, such as {"key":"S-020","field":"max_capacity","decision":"mine"}; others are theirs and leave`)
		}
		d.lines[line.contested] = line
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("%s:%d: a line of more than %d bytes is no decision", name, number, longestDecision)
		return nil, failure.New(failure.Usage, err, "write an object a line")
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.sum = hex.EncodeToString(sum.Sum(nil))
	return d, nil
}

func (c contested) String() string {
	return cmp.Or(c.Field, "what is gone") + " of " + c.Key
}

// who returns what was decided about fields that are decided together, or about an event that the platform has cancelled,
// of which there are none; empty where it was not decided, or for other values, or not the same for all of them.
func (d *Decisions) who(of *plan.Event, fields []finding.ChangeLine) (who string) {
	if d == nil {
		return ""
	}
	if len(fields) == 0 {
		fields = []finding.ChangeLine{{}}
	}
	var lines []*decisionLine
	for i := range fields {
		field := &fields[i]
		line := cmp.Or(d.lines[contested{of.Key, of.ID, field.Field}], d.lines[contested{of.Key, "", field.Field}])
		if line == nil {
			continue
		}
		line.met = true
		if moved(line.Mine, &field.Mine) || moved(line.Live, field.Live) {
			d.note(line, fmt.Sprintf("was decided for other values: the file says %q and the platform %q now",
				field.Mine, *cmp.Or(field.Live, new(string))))
			return ""
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		if len(lines) < len(fields) || line.Decision != lines[0].Decision {
			d.note(line, "is decided together with "+others(fields, line.Field)+": all of them need one decision")
			return ""
		}
		who = line.Decision
	}
	return who
}

// moved reports whether a value is another one than was seen, as far as it was written down.
func moved(seen, now *string) bool { return seen != nil && (now == nil || *seen != *now) }

// others names the fields but for one.
func others(fields []finding.ChangeLine, but string) string {
	var names []string
	for i := range fields {
		if name := fields[i].Field; name != but {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func (d *Decisions) note(line *decisionLine, what string) {
	d.notes = append(d.notes, fmt.Sprintf("%s:%d: %s %s", d.name, line.number, line.contested, what))
}

// left returns what is to be said of decisions that have decided nothing.
func (d *Decisions) left() []string {
	if d == nil {
		return nil
	}
	unmet := 0
	for _, line := range d.lines {
		if !line.met {
			unmet++
		}
	}
	if unmet > 0 {
		return append(d.notes, report.Count(unmet, "decision")+" about what is not in conflict")
	}
	return d.notes
}
