package template

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// soffice has LibreOffice save a workbook anew, and gives the path of that. Where
// it is missing the test is skipped, but not in CI.
func soffice(t *testing.T, path string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("LibreOffice takes seconds")
	}
	program, err := exec.LookPath("soffice")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("soffice is missing")
		}
		t.Skip("soffice is missing")
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(
		t.Context(), program, "-env:UserInstallation=file://"+filepath.Join(dir, "profile"), "--headless", "--convert-to", "xlsx",
		"--outdir", dir, path,
	)
	if words, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, words)
	}
	return filepath.Join(dir, filepath.Base(path))
}
