package quota

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"eventbatch/mapping/own"
)

// Memo remembers beside the ledgers the answer by which an owner is found, so that the next process has the question counted
// for that owner. While it is not known, one process has the memo at a time.
type Memo struct {
	Said string // the answer; empty where it is not known

	path string // empty where the ledgers are in memory
	lock *flock.Flock
}

// Recall returns the memo of a question, in the folder of the ledgers; one without a folder remembers nothing.
func Recall(ctx context.Context, dir, question string) (*Memo, error) {
	if dir == "" {
		return &Memo{}, nil
	}
	m := &Memo{path: named(dir, question, ".memo")}
	err := m.read()
	if err == nil && m.Said == "" {
		err = m.take(ctx)
	}
	if err != nil && ctx.Err() == nil {
		err = unwritable("keeping the quota of a key", err)
	}
	return m, err
}

// take waits until no other process has the memo.
func (m *Memo) take(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return err
	}
	m.lock = own.Lock(m.path + ".lock")
	if _, err := m.lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	return m.read() // what the process before has heard
}

func (m *Memo) read() error {
	text, err := own.Read(m.path)
	if m.Said = string(text); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remember remembers the answer.
func (m *Memo) Remember(said string) error {
	if m.path == "" {
		return nil
	}
	if err := own.ReplaceText(m.path, []byte(said)); err != nil {
		return unwritable("keeping the quota of a key", err)
	}
	return nil
}

// Close lets other processes have the memo.
func (m *Memo) Close() error {
	if m.lock == nil {
		return nil
	}
	return m.lock.Unlock()
}
