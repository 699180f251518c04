package journal

import (
	"os"
	"time"
)

// Holder is the process that has a lock.
type Holder struct {
	PID   int       // 0 where it is not known
	Host  string    // empty for this machine
	Since time.Time // zero where it is not known
}

// Hostname returns the name of this machine, empty where it has none.
func Hostname() string {
	name, _ := os.Hostname() // which is empty then
	return name
}
