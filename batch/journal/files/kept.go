package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"eventbatch/batch/journal"
	"eventbatch/mapping/durable"
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
		f, err := own.Open(path)
		if err != nil {
			return nil, journal.Unusable("opening the memory of keys", err)
		}
		index, err := readIndex(f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, journal.Unusable("reading the memory of keys", err)
		}
		if index != nil {
			list = append(list, index.BaseURL)
		}
	}
	return list, err
}

func (w *Workspace) snapshotPath(baseURL string) string {
	sum := sha256.Sum256([]byte(baseURL))
	return filepath.Join(w.dir, "keys-"+hex.EncodeToString(sum[:6]))
}

func (w *Workspace) markerPath(baseURL string) string { return w.snapshotPath(baseURL) + ".pruned" }

func (w *Workspace) loadMark(baseURL string) ([]byte, error) {
	return own.Read(w.markerPath(baseURL))
}

func (w *Workspace) storeMark(baseURL string, text []byte) error {
	return own.ReplaceText(w.markerPath(baseURL), text)
}

func (w *Workspace) openKeys(baseURL string) (*snapshot, error) {
	f, err := own.Open(w.snapshotPath(baseURL))
	if err != nil {
		return nil, err
	}
	return checked(f)
}

func (w *Workspace) spareKeys() (*os.File, error) { return os.CreateTemp(w.dir, "keys-*.tmp") }

func (w *Workspace) storeKeys(baseURL string, f *os.File) (moved bool, err error) {
	if err := f.Sync(); err != nil {
		return false, err
	}
	if err := os.Rename(f.Name(), w.snapshotPath(baseURL)); err != nil {
		return false, err
	}
	return true, durable.SyncFolder(w.dir)
}
