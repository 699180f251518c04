package files

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"eventbatch/batch/journal"
	"eventbatch/mapping/own"
)

// keptPath returns the file of what is kept under a name: a name may be anything.
func (w *Workspace) keptPath(kind, name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(w.dir, kind, hex.EncodeToString(sum[:6])+".json")
}

// Kept returns what was kept under a name of some kind.
func (w *Workspace) Kept(kind, name string) ([]byte, error) {
	return own.Read(w.keptPath(kind, name))
}

// Keep stores a text under a name of some kind, in the place of what was kept there before.
func (w *Workspace) Keep(kind, name string, text []byte) error {
	path := w.keptPath(kind, name)
	err := makeFolder(filepath.Dir(path))
	if err == nil {
		err = own.ReplaceText(path, text)
	}
	if err != nil {
		return journal.Unusable("writing "+path, err)
	}
	return nil
}

// Services returns the services of which the memory of keys knows something.
func (w *Workspace) Services() ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(w.dir, "keys-*"))
	var list []string
	for _, path := range paths {
		if filepath.Ext(path) != "" {
			continue // the file beside one, or one that was not finished
		}
		s, err := readSnapshot(path)
		if err != nil {
			return nil, journal.Unusable("opening the memory of keys", err)
		}
		if s.Version > 0 {
			list = append(list, s.BaseURL)
		}
		if err := s.Close(); err != nil {
			return nil, err
		}
	}
	return list, err
}

func (w *Workspace) snapshotPath(baseURL string) string {
	sum := sha256.Sum256([]byte(baseURL))
	return filepath.Join(w.dir, "keys-"+hex.EncodeToString(sum[:6]))
}

func (w *Workspace) markerPath(baseURL string) string { return w.snapshotPath(baseURL) + ".pruned" }

func (w *Workspace) spareKeys() (*os.File, error) { return os.CreateTemp(w.dir, "keys-*.tmp") }
