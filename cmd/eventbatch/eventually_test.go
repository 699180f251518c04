package main

import (
	"testing"
	"time"
)

// eventually waits until something holds of what has no clock to wait by: other processes, files, a
// database.
func eventually(t testing.TB, within time.Duration, what string, holds func() bool) {
	t.Helper()
	if !poll(within, holds) {
		t.Fatalf("not within %v: %s", within, what)
	}
}

// poll asks time and again, for at most a tenth of the time, and reports whether something came to hold.
func poll(within time.Duration, holds func() bool) bool {
	for end := time.Now().Add(within); ; {
		begin := time.Now()
		if holds() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(max(10*time.Millisecond, 10*time.Since(begin)))
	}
}
