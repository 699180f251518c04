package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Checksum returns the first twenty hex digits of the SHA-256 of the plan's files.
func (r *runFolder) Checksum() (string, error) {
	sum := sha256.New()
	for _, path := range []string{r.planPath(), r.rowsPath()} {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) && r.header.Version == 1 {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) && path == r.rowsPath() {
			return "", r.missing()
		}
		if err != nil {
			return "", unusable("reading plan", err)
		}
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", unusable("reading plan", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:10]), nil
}
