package desk

import (
	"encoding/json"
	"fmt"
	"hash/maphash"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
)

// moved is what a plan does otherwise than one that was made before it of the same rows.
type moved struct {
	Words string            `json:"words"`
	Rows  []json.RawMessage `json:"rows"` // the first of them, as they are now
}

// mostMoved is how many of the rows are shown apart.
const mostMoved = 50

// since returns what is otherwise than in an earlier plan.
func (o *ops) since(before *ops) (*moved, error) {
	seed, was := maphash.MakeSeed(), map[string]uint64{}
	err := before.each(func(key string, text []byte) { was[key] = maphash.Bytes(seed, text) })
	if err != nil {
		return nil, err
	}
	m, n := &moved{Rows: []json.RawMessage{}}, 0
	err = o.each(func(key string, text []byte) {
		sum, known := was[key]
		delete(was, key)
		if known && sum == maphash.Bytes(seed, text) {
			return
		}
		if n++; n <= mostMoved {
			m.Rows = append(m.Rows, text)
		}
	})
	m.Words = "The plan was older than ten minutes, and was made again: "
	switch gone := len(was); {
	case n+gone == 0:
		m.Words += "nothing has moved since."
	case gone == 0:
		m.Words += report.Count(n, "row") + " moved since. Nothing was sent."
	default:
		m.Words += fmt.Sprintf("%s moved since, and %s no more to be done. Nothing was sent.", report.Count(n, "row"),
			report.Count(gone, "row")+printable.Pick(gone, " has", " have"))
	}
	return m, err
}

// each tells each row, by what names it.
func (o *ops) each(do func(key string, text []byte)) error {
	for from := 0; from < len(o.at); {
		rows, err := o.window(from, mostWindow)
		if err != nil {
			return err
		}
		from += len(rows)
		for _, text := range rows {
			var row op
			if err := json.Unmarshal(text, &row); err != nil {
				return err
			}
			do(fmt.Sprintf("%s\x00%d\x00%s", row.Sheet, row.Row, row.Title), text)
		}
	}
	return nil
}
