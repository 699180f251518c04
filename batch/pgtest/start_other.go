//go:build !unix

package pgtest

import (
	"os/exec"
	"testing"
)

func start(setting) (s *Server, missing string, err error) {
	return nil, "PostgreSQL is started for tests on Unix alone", nil
}

// Pooler skips the test.
func Pooler(t testing.TB, _, _ string) string {
	t.Helper()
	t.Skip("PgBouncer is started for tests on Unix alone")
	return ""
}

// Admit skips the test.
func Admit(t testing.TB, _ *exec.Cmd, _ string) {
	t.Helper()
	t.Skip("PostgreSQL is started for tests on Unix alone")
}
