// Package defect carries a panic from the goroutine that has it to the one that waits.
package defect
