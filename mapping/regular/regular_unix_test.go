//go:build unix

package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		most int64
		want error
	}{
		{file, 5, nil},
		{file, 4, ErrTooLarge},
		{pipe, 5, ErrNotRegular},
		{"/dev/zero", 5, ErrNotRegular},
		{dir, 5, syscall.EISDIR},
		{filepath.Join(dir, "none"), 5, fs.ErrNotExist},
	} {
		data, err := Read(tt.path, tt.most)
		if !errors.Is(err, tt.want) || tt.want == nil && string(data) != "12345" {
			t.Errorf("%s: %q, %v", tt.path, data, err)
		}
		if path, ok := errors.AsType[*fs.PathError](err); tt.want != nil && (!ok || path.Path != tt.path) {
			t.Errorf("%s: %v does not name it", tt.path, err)
		}
	}
}
