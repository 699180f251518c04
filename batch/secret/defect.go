package secret

import (
	"fmt"
	"runtime/debug"
)

// defect is a panic of another goroutine, to be raised again where its work was
// asked for: there somebody can say what happened.
type defect struct {
	value any
	stack []byte
}

func (d *defect) Error() string { return fmt.Sprintf("%v\n\n%s", d.value, d.stack) }

// guard does work and gives its panic, nil without one.
func guard(work func()) (d *defect) {
	defer func() {
		if value := recover(); value != nil {
			d = &defect{value, debug.Stack()}
		}
	}()
	work()
	return nil
}
