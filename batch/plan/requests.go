package plan

import "eventbatch/mapping/schema"

// Requests counts what ops take if all goes well. Rows that can be gathered share
// their requests. The zero value has counted nothing.
type Requests struct{ groups map[string]int }

// Add counts an op n times, which may be negative, and returns how many requests that
// makes more.
func (r *Requests) Add(op *Op, n int) int {
	if op.Group == "" {
		return n * op.Requests
	}
	if r.groups == nil {
		r.groups = map[string]int{}
	}
	most := max(1, schema.OperationNamed(op.Operation).Most)
	before := r.groups[op.Group]
	r.groups[op.Group] = before + n
	return (before+n+most-1)/most - (before+most-1)/most
}
