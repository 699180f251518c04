package pgtest

import (
	"testing"
	"time"
)

// Eventually waits until something holds that a database has no clock to wait by for.
func Eventually(t testing.TB, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to hold")
		}
	}
}
