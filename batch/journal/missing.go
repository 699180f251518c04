package journal

import "eventbatch/mapping/schema"

// missed reports whether the service had no event to change, or none for this key:
// it answers both alike.
func missed(op *OpState) bool {
	return op.Status == Failed && op.Why != nil && op.Why.Code == string(schema.CodeNotAllowed)
}
