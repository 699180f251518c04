//go:build !unix

package sheet

// syncFolder does nothing where folders cannot be synced.
func syncFolder(string) error { return nil }
