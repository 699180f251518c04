package plan

import (
	"encoding/json"
	"slices"
	"strconv"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Place puts the ids of what an op waits for in their places, as far as made tells them: it becomes an
// op whose event was there before, and whose body calls records by their ids. The body may not have
// been read. Names keeps those that are not known.
func (op *Op) Place(made func(n int) (id string)) {
	if op.Event.Parent == "" && len(op.After) > 0 && op.Of().Parent != "" {
		if id := made(op.After[0]); id != "" {
			op.under(id)
		}
	}
	if op.Part > 0 && op.Action == Update && op.Event.ID == "" {
		op.own(made(op.After[0]))
	}
	names := op.Names
	op.Names = nil
	for name, n := range names {
		if id := made(n); id != "" && len(op.Body) > 0 {
			op.call(name, id)
		} else {
			op.wait(name, n)
		}
	}
}

// wait makes an op wait for one whose record its body calls by this name.
func (op *Op) wait(name string, n int) {
	if !slices.Contains(op.After, n) {
		op.After = append(op.After, n)
	}
	if op.Names == nil {
		op.Names = map[string]int{}
	}
	op.Names[name] = n
}

// call puts an id in the place of a name by which the body calls a record.
func (op *Op) call(name, id string) {
	operation := catalog.OperationNamed(op.Operation)
	replace := func(word string) string {
		if word == name {
			return id
		}
		return word
	}
	var body map[string]json.RawMessage
	_ = json.Unmarshal(op.Body, &body) // a body of ours is JSON
	for _, f := range op.Of().Columns() {
		if f.Refers == nil {
			continue
		}
		member := operation.Member(f)
		if raw, said := body[member]; said {
			body[member] = value.Renamed(f, raw, replace)
		}
		if agreed, said := op.Agreed[f.Path]; said {
			agreed.Live = value.Renamed(f, agreed.Live, replace)
			op.Agreed[f.Path] = agreed
		}
	}
	op.Body, _ = json.Marshal(body)
}

// own gives an op that changes what the first of its row makes the id of that.
func (op *Op) own(id string) {
	operation := catalog.OperationNamed(op.Operation)
	f := operation.ByID()
	if op.Event.ID = id; id != "" && f != nil && len(op.Body) > 0 {
		op.Body = schema.AppendWith(nil, op.Body, operation.Member(f), id)
	}
}

// under gives an op that waits for its event the id of that event: its key, and the body
// where that was read, are then those of an op whose event was there before.
func (op *Op) under(event string) {
	operation := catalog.OperationNamed(op.Operation)
	op.Event.Parent, op.Event.Key = event, recordKey(op.Of(), operation.Does, event, op.Event.Name)
	if len(op.Body) > 0 {
		op.Body = operation.Below(event, op.Body)
	}
}

// Rides reports whether the op makes its record with the event that it waits for, in one request.
func (op *Op) Rides() bool { return len(op.After) > 0 && op.Action == Create && op.Of().Within != "" }

// Others returns those of After that are taken back only once the op is: neither the event that the
// op's record belongs to, which takes the record with it, nor the first of the op's own row.
func (op *Op) Others() []int {
	others := op.After
	if op.Event.Parent == "" && len(others) > 0 && op.Of().Parent != "" {
		others = others[1:]
	}
	return slices.DeleteFunc(slices.Clone(others), func(n int) bool { return n == op.N-op.Part })
}

// Free makes an op wait for nothing any more.
func (op *Op) Free() { op.After, op.Names, op.Requests = nil, nil, max(1, op.Requests) }

// within names what the op's record belongs to: by its id, or until it has one by the op that makes it.
func (op *Op) within() string {
	if op.Event.Parent == "" && len(op.After) > 0 {
		return "\x00" + strconv.Itoa(op.After[0])
	}
	return op.Event.Parent
}
