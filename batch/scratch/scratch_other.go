//go:build !linux

package scratch

func roomy(string) bool { return false }
