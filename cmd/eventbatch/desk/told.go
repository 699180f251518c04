package desk

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// told is what was said of a row, once for each event that it makes.
type told struct {
	Reason   string // why it is left out, or what the whole file lacks
	Event    *event
	Problems json.RawMessage

	before int64 // where stands what was said of the row before
}

// problems returns what is wrong.
func (t *told) problems() (list []schema.FlatProblem, err error) {
	if len(t.Problems) > 0 {
		err = json.Unmarshal(t.Problems, &list)
	}
	return list, err
}

// event is what a row is read as.
type event struct {
	Name  string `json:"name"`
	Day   string `json:"day"`
	Start string `json:"start"`
	End   string `json:"end"`
	Zone  string `json:"zone"`
	Place string `json:"place"`
	Seats string `json:"seats"`
	Seen  string `json:"seen"` // by whom
	Words string `json:"words"`

	starts      int64 // in seconds; 0: not known
	begin, till int64 // the same, and the end, on the clock of the event's zone
}

// times takes the times of an event, which are put into words once they are shown.
func (e *event) times(of *finding.Event) {
	clock := func(at time.Time) int64 {
		if at.IsZero() {
			return 0
		}
		_, offset := at.Zone()
		return at.Unix() + int64(offset)
	}
	e.begin, e.till = clock(of.Start), clock(of.End)
	if !of.Start.IsZero() {
		e.starts = of.Start.Unix()
	}
}

// words puts the times into words.
func (e *event) words() {
	const day, clock = "Mon 2 Jan 2006", "15:04"
	e.Words = cmp.Or(e.Name, "an event without a name")
	if e.starts == 0 {
		e.Words += ", without a start"
		return
	}
	start, end := time.Unix(e.begin, 0).UTC(), time.Unix(e.till, 0).UTC()
	e.Day, e.Start = start.Format(day), start.Format(clock)
	switch {
	case e.till == 0:
	case start.YearDay() == end.YearDay() && start.Year() == end.Year():
		e.End = end.Format(clock)
	default:
		e.End = end.Format(day + " " + clock)
	}
	if e.Words += ", " + e.Day + ", " + e.Start; e.End != "" {
		e.Words += "–" + e.End
	}
}

// texts are the texts of an event that are kept.
func (e *event) texts() [5]*string {
	return [...]*string{&e.Name, &e.Zone, &e.Place, &e.Seats, &e.Seen}
}

// toldHead is the length of what stands before the texts: four numbers, of which the first says where stands what was said of
// the row before, and the second when its event starts.
const toldHead = 4 * 8

// append writes it behind a record.
func (t *told) append(record []byte, before int64) []byte {
	e := t.Event
	if e == nil {
		e = &event{}
	}
	for _, n := range [...]int64{before, e.starts, e.begin, e.till} {
		record = binary.LittleEndian.AppendUint64(record, uint64(n))
	}
	text := func(text string) {
		record = append(binary.AppendUvarint(record, uint64(len(text))), text...)
	}
	text(t.Reason)
	if t.Event == nil {
		record = append(record, 0)
	} else {
		record = append(record, 1)
		for _, kept := range e.texts() {
			text(*kept)
		}
	}
	return append(record, t.Problems...)
}

// toldAt reads the head of a record.
func toldAt(record []byte) (before, starts int64) {
	return int64(binary.LittleEndian.Uint64(record)), int64(binary.LittleEndian.Uint64(record[8:]))
}

// decodeTold reads a record.
func decodeTold(record []byte) (t told, err error) {
	if len(record) < toldHead {
		return t, io.ErrUnexpectedEOF
	}
	e := &event{}
	t.before, e.starts = toldAt(record)
	e.begin, e.till = toldAt(record[16:])
	record = record[toldHead:]
	text := func(to *string) {
		n, width := binary.Uvarint(record)
		if width <= 0 || n > uint64(len(record)-width) {
			err, record = io.ErrUnexpectedEOF, nil
			return
		}
		*to, record = string(record[width:width+int(n)]), record[width+int(n):]
	}
	if text(&t.Reason); len(record) == 0 {
		return t, io.ErrUnexpectedEOF
	}
	has := record[0] == 1
	if record = record[1:]; has {
		for _, kept := range e.texts() {
			text(kept)
		}
		e.words()
		t.Event = e
	}
	t.Problems = record
	return t, err
}

// line is an event as a line of the plan shows it.
func (e *event) line() string {
	when, seats := e.Day+" "+e.Start, e.Seats
	if e.End != "" {
		when += "–" + e.End
	}
	if seats != "" {
		seats += " seats"
	}
	all := []string{when, e.Zone, e.Place, seats, e.Seen}
	return strings.Join(slices.DeleteFunc(all, func(text string) bool { return text == "" }), " · ")
}
