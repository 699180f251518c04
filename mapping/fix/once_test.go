package fix_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/mapping"
	"eventbatch/mapping/fix"
)

// What was found in a file is not written into a copy of another.
func TestAFileThatTookThePlaceIsNotMended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("key,name,slug\n1,Tea,Tea Time\n")
	found, err := mapping.Mend(t.Context(), mapping.Config{Files: []string{path}}, fix.Rules{Slugs: true})
	if err != nil || len(found.Edits) != 1 {
		t.Fatal(found, err)
	}
	write("key,name,slug\n1,Jazz,jazz\n")
	var copied strings.Builder
	if err := found.Copy().Write(t.Context(), &copied); err == nil || !strings.Contains(err.Error(), "changed while it was being read") {
		t.Errorf("got %v, %q", err, copied.String())
	}
}
