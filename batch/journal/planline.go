package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"

	"eventbatch/batch/plan"
)

// decodeOp reads an op's line. A brief op is read for sending: without the
// user's cells, its problems and the columns that its fields came from.
func decodeOp(line []byte, op *plan.Op, brief bool) error {
	if brief && parseOp(line, op) {
		return nil
	}
	*op = plan.Op{}
	if err := json.Unmarshal(line, op); err != nil {
		return err
	}
	if brief {
		op.Row.Cells, op.Problems, op.From = nil, nil, nil
	}
	return nil
}

// parseOp reads what writePlan writes: the fields in the order of [plan.Op],
// texts without escapes. It gives up, having written to op or not, at anything
// else. That what it steps over is JSON is for the seal of the plan to say, which
// whoever reads all ops checks in the end.
func parseOp(line []byte, op *plan.Op) bool {
	c := cursor{text: bytes.TrimSuffix(line, []byte("\n"))}
	if !c.try(`{"n":`) {
		return false
	}
	op.N = int(c.number())
	if !c.try(`,"row":{"source":`) {
		return false
	}
	op.Row.Source = int(c.number())
	if !c.try(`,"number":`) {
		return false
	}
	op.Row.Number = int(c.number())
	if c.try(`,"line":`) {
		op.Row.Line = int(c.number())
	}
	if !c.try(`,"cells":`) {
		return false
	}
	c.value()
	if !c.try(`},"action":`) {
		return false
	}
	if op.Action = knownKind(c.str()); op.Action == "" {
		return false
	}
	if !c.try(`,"reason":`) {
		return false
	}
	op.Reason = string(c.str())
	if !c.event(&op.Event) {
		return false
	}
	if c.try(`,"body":`) {
		op.Body = bytes.Clone(c.value())
	}
	if c.try(`,"hash":`) {
		op.Hash = string(c.str())
	}
	if c.try(`,"known":`) && !c.known(&op.Known) {
		return false
	}
	if c.try(`,"from":`) {
		c.value()
	}
	if c.try(`,"problems":`) {
		c.value()
	}
	return c.try(`}`) && !c.bad && c.at == len(c.text)
}

// known reads what was remembered of the op's event.
func (c *cursor) known(k *plan.Known) bool {
	first := true
	if !c.try(`{`) {
		return false
	}
	for _, text := range []struct {
		name string
		to   *string
	}{{`,"event":`, &k.EventID}, {`,"hash":`, &k.Hash}, {`,"run":`, &k.Run}} {
		if c.field(text.name, &first) {
			*text.to = string(c.str())
		}
	}
	k.Cancelled = c.field(`,"cancelled":true`, &first)
	k.Missing = c.field(`,"missing":true`, &first)
	return c.try(`}`)
}

// field steps over the name of a member, and the comma before all but the first,
// where it is next.
func (c *cursor) field(name string, first *bool) bool {
	if *first {
		name = name[1:]
	}
	found := c.try(name)
	*first = *first && !found
	return found
}

// event steps over the op's event. Its texts share one piece of memory.
func (c *cursor) event(e *plan.Event) bool {
	if !c.try(`,"event":`) {
		return false
	}
	whole := *c
	text := string(whole.value())
	if whole.bad || !c.try(`{`) {
		return false
	}
	from, first := whole.at-len(text), true
	field := func(name string) bool { return c.field(name, &first) }
	word := func() string {
		s := c.str()
		end := c.at - 1 - from
		if c.bad {
			return ""
		}
		return text[end-len(s) : end]
	}
	if field(`,"calendar":`) {
		e.Calendar = word()
	}
	if field(`,"key":`) {
		e.Key = word()
	}
	if field(`,"id":`) {
		e.ID = word()
	}
	if field(`,"slug":`) {
		e.Slug = word()
	}
	if field(`,"derived":true`) {
		e.Derived = true
	}
	if field(`,"name":`) {
		e.Name = word()
	}
	if field(`,"start_at":`) {
		e.StartAt = c.number()
	}
	if field(`,"zone":`) {
		e.Zone = word()
	}
	return c.try(`}`) && !c.bad
}

// value steps over one value. Whether it is one is not looked at closely.
func (c *cursor) value() []byte {
	start, depth := c.at, 0
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case '"':
			c.quoted()
		case '{', '[':
			depth++
			c.at++
		case '}', ']':
			depth--
			c.at++
		default:
			c.at++
		}
		if depth > 0 || c.bad {
			continue
		}
		if depth < 0 {
			break
		}
		// At the top a text or a bracket ends the value; a word or number goes on.
		if b := c.text[c.at-1]; b == '"' || b == '}' || b == ']' {
			return c.text[start:c.at]
		}
		if c.at < len(c.text) && (c.text[c.at] == ',' || c.text[c.at] == '}' || c.text[c.at] == ']') {
			return c.text[start:c.at]
		}
	}
	c.bad = true
	return nil
}

// quoted steps over a text, escapes and all.
func (c *cursor) quoted() {
	for c.at++; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case '\\':
			c.at++
		case '"':
			c.at++
			return
		}
	}
	c.bad = true
}

// readLine gives a line with its newline, valid until the next call: in is
// copied only where a line does not fit into its buffer.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	line = bytes.Clone(line)
	rest, err := in.ReadBytes('\n')
	return append(line, rest...), err
}
