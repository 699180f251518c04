package plan

import (
	"math"

	"eventbatch/mapping/catalog"
)

// Requests counts what ops take if all goes well. Rows that can be gathered share
// their requests. The zero value has counted nothing.
type Requests struct{ groups map[string]int }

// Add counts an op n times, which may be negative, and returns how many requests that
// makes more.
func (r *Requests) Add(op *Op, n int) int {
	requests := 0
	if in := op.within(); in != op.Event.Parent && len(op.Names) > 0 {
		requests = r.share(in, n, math.MaxInt32) // of what is made with the event one list tells the ids
	}
	if op.Group == "" {
		return requests + n*op.Requests
	}
	return requests + r.share(op.Group, n, max(1, catalog.OperationNamed(op.Operation).Most))
}

// share counts n more ops of which so many share a request.
func (r *Requests) share(group string, n, most int) int {
	if r.groups == nil {
		r.groups = map[string]int{}
	}
	before := r.groups[group]
	r.groups[group] = before + n
	return (before+n+most-1)/most - (before+most-1)/most
}
