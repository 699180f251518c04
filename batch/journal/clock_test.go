package journal

import (
	"testing"
	"time"

	"eventbatch/batch/api"
)

// clock is a database of which there is nothing but its clock.
type clock struct {
	Database

	ahead time.Duration // of this machine's
}

func (c clock) Clock() (time.Time, error) { return time.Now().Add(c.ahead), nil }

// What a machine was answered is waited for as long, whatever the clocks of machines say: they write and
// read the time of the database.
func TestMachinesOfADatabaseHaveItsClock(t *testing.T) {
	lag := api.NewLag(30*time.Second, 0)
	for _, writer := range []time.Duration{-3 * time.Minute, 0, 3 * time.Minute} {
		for _, reader := range []time.Duration{-3 * time.Minute, 0, 3 * time.Minute} {
			written := OpenShared(clock{ahead: writer}, nil).now().Add(-writer) // by the clock of the database
			m := &memory{numbers: map[string]int32{}, read: OpenShared(clock{ahead: reader}, nil).now(), ahead: reader}
			number := m.run("run", "")
			m.hear(number, written.Add(reader).UnixMilli())
			left := lag.Left(m.Heard("run"), time.Now())
			if left < lag.Whole()-time.Second || left > lag.Whole() {
				t.Errorf("a writer %v and a reader %v behind: %v are left of %v", writer, reader, left, lag.Whole())
			}
		}
	}
}
