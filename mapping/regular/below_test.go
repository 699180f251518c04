package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A link may lead about below a folder, and not out of it.
func TestAFileLiesBelowAFolder(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "covers")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(folder, "in.png"), filepath.Join(dir, "out.png")} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"here.png": "in.png", "away.png": filepath.Join("..", "out.png")} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Skip(err)
		}
	}
	for name, want := range map[string]error{
		"in.png": nil, "here.png": nil, "away.png": ErrOutside, "../out.png": ErrOutside, "none.png": fs.ErrNotExist,
	} {
		if _, rel, err := Below(folder, filepath.Join(folder, name)); !errors.Is(err, want) || err == nil && rel != "in.png" {
			t.Errorf("%s: %q, %v", name, rel, err)
		}
	}
}
