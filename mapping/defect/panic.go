package defect

import (
	"fmt"
	"runtime/debug"
)

// Panic is a panic of one goroutine, raised again in the one that waits for it, so
// that whoever recovers what happens in its own learns of it.
type Panic struct {
	Value any
	Stack []byte // of the goroutine that it comes from
}

// Caught makes a Panic of what recover has given: nil of nil, and of a Panic that
// was raised again itself. A deferred function calls it, so that the stack is still there.
func Caught(value any) *Panic {
	switch p := value.(type) {
	case nil:
		return nil
	case *Panic:
		return p
	}
	return &Panic{Value: value, Stack: debug.Stack()}
}

// String gives the value, then the stack.
func (p *Panic) String() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }
