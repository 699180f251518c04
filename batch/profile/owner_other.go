//go:build !unix

package profile

// doubt is nil where a file's mode says nothing of who may write it.
func doubt(string) error { return nil }
