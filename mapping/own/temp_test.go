package own

import (
	"os"
	"testing"
)

func TestATemporaryFileLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	for _, named := range []bool{false, true} {
		temp, err := NewTemp("rows")
		if err != nil {
			t.Fatal(err)
		}
		if named { // as where an open file keeps its name
			if err := os.WriteFile(temp.Name(), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			temp.named = true
		}
		if _, err := temp.WriteString("text"); err != nil {
			t.Error(err)
		}
		if err := temp.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
			t.Errorf("%v, %v", left, err)
		}
	}
}
