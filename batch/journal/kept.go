package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"eventbatch/mapping/durable"
)

// keptPath returns the file of what is kept under a name: a name may be anything.
func (w *Workspace) keptPath(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(w.dir, kind, hex.EncodeToString(sum[:6])+".json")
}

// Kept returns what was kept under a name of some kind.
func (w *Workspace) Kept(kind, name string) ([]byte, error) {
	return os.ReadFile(w.keptPath(kind, name))
}

// Keep stores a text under a name of some kind, in the place of what was kept there before.
func (w *Workspace) Keep(kind, name string, text []byte) error {
	path := w.keptPath(kind, name)
	err := makeFolder(filepath.Dir(path))
	if err == nil {
		err = durable.Replace(path, fileMode, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	if err != nil {
		return unusable("writing "+path, err)
	}
	return nil
}
