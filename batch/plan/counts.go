package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Counts are a plan's rows by what is done with them.
type Counts map[Action]int

// Missing counts the ops without a row, which stand under their actions too.
const Missing Action = "missing"

// Read returns the number of rows. With those that are missing it is the sum of the counts.
func (c Counts) Read() int { return c.sum(func(Action) bool { return true }) - c[Missing] }

// Sends returns the number of rows whose action takes requests.
func (c Counts) Sends() int { return c.sum(Action.Sends) }

func (c Counts) sum(counted func(Action) bool) int {
	n := 0
	for action, rows := range c {
		if action != Missing && counted(action) {
			n += rows
		}
	}
	return n
}

// MarshalJSON writes the number of rows, then each action's, zeros too.
func (c Counts) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"read":%d`, c.Read())
	for _, action := range Actions {
		fmt.Fprintf(&out, `,"%s":%d`, action, c[action])
	}
	if c[Missing] > 0 {
		fmt.Fprintf(&out, `,"%s":%d`, Missing, c[Missing])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Counts) UnmarshalJSON(text []byte) error {
	var counts map[Action]int
	err := json.Unmarshal(text, &counts)
	delete(counts, "read")
	*c = counts
	return err
}
