package sandbox

import (
	"bytes"
	"encoding/json"
	"io"

	"eventbatch/mapping/schema"
)

// half returns the body of a request with the first half of its records, nil for one that has not
// several. The request itself stays whole.
func (c *call) half() []byte {
	if c.r.Body == nil {
		return nil
	}
	whole, err := io.ReadAll(io.LimitReader(c.r.Body, bodyMax+1))
	c.r.Body = io.NopCloser(bytes.NewReader(whole))
	var members map[string]json.RawMessage
	if err != nil || json.Unmarshal(whole, &members) != nil {
		return nil
	}
	halved := false
	for _, name := range c.many() {
		var list []json.RawMessage
		if json.Unmarshal(members[name], &list) == nil && len(list) > 1 {
			members[name], _ = json.Marshal(list[:len(list)/2]) // what was read always encodes
			halved = true
		}
	}
	if !halved {
		return nil
	}
	body, _ := json.Marshal(members)
	return body
}

// many returns the members of a request that have its records, or whom and what they are to reach.
func (r *route) many() (names []string) {
	if r.Gathers() {
		return []string{r.Into}
	}
	for _, m := range bodies[r.Name] {
		if m.field.Kind == schema.Array {
			names = append(names, m.name)
		}
	}
	return names
}
