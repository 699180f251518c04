//go:build !unix

package pgtest

func start() (missing string, err error) { return "PostgreSQL is started for tests on Unix alone", nil }
