// Package record writes records of the service as rows of a file that can be read again.
//
// It is the way back of package mapping. A record comes as a draft ([value.Fill]):
// each of its fields becomes a cell in the form in which the parser of the field's kind
// reads it. Times stand in the record's own zone. What a record does not tell is blank,
// which leaves it alone when the file comes back.
//
// Beside the cells stands a baseline (package baseline), by which a row that comes back
// tells which of its cells were touched.
package record

import (
	"iter"
	"time"

	"eventbatch/mapping/schema"
)

// Record is one record of the service.
type Record struct {
	Draft *schema.Draft
	ID    string
	URL   string    // of its page, empty where it has none
	Place string    // where an event is, in words, whatever it was said by
	Event string    // the name of the event that it belongs to
	At    time.Time // when it was read
}

// Records are records in the order in which they are written.
type Records = iter.Seq2[*Record, error]
