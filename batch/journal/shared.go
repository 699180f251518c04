package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"eventbatch/mapping/failure"
)

// Shared is a store whose runs lie in a database, for the processes of many machines. What
// is no part of a run lies in the workspace of this machine: results, and what is read for
// exports. Each line of an op has its CRC before it, so that it can be trusted by itself.
type Shared struct {
	runs

	db    Database
	local *Workspace

	parsed   headerCache // for shares
	bringing sync.Mutex
	keys     map[string]localKeys // by service
}

// localKeys is the memory of keys of a service as it was brought onto this machine, where it is searched.
type localKeys struct {
	word  string // of the database for it
	path  string
	index snapshotIndex
}

var _ Store = (*Shared)(nil)

// OpenShared returns the store in a database, with the workspace of this machine. It keeps the time of the
// database's clock: those of machines may differ by minutes.
func OpenShared(db Database, local *Workspace) *Shared {
	s := &Shared{db: db, local: local, keys: map[string]localKeys{}}
	s.runs = newRuns(s)
	ahead := sync.OnceValue(func() time.Duration {
		asked := time.Now()
		now, err := db.Clock()
		if err != nil {
			return 0 // whatever is done next says why
		}
		return now.Sub(asked)
	})
	s.now = func() time.Time { return time.Now().Add(ahead()) }
	return s
}

// Close gives up the database.
func (s *Shared) Close() error {
	s.bringing.Lock()
	defer s.bringing.Unlock()
	for _, had := range s.keys {
		_ = os.Remove(had.path) // it is a temporary file
	}
	clear(s.keys)
	return s.db.Close()
}

// Folder is the workspace of this machine.
func (s *Shared) Folder() string { return s.local.dir }

// Name names the database.
func (s *Shared) Name() string { return s.db.Name() }

func (s *Shared) exists() bool { return true }

func (s *Shared) folderOf(run string) string { return s.local.folderOf(run) }

// Lock keeps every other process from planning until unlock is called.
func (s *Shared) Lock(ctx context.Context) (unlock func() error, err error) {
	unlock, err = s.db.Lock(ctx)
	if err != nil {
		return nil, s.unusable("locking", err)
	}
	return unlock, nil
}

// unusable returns the error that the database cannot be read or written.
func (s *Shared) unusable(doing string, err error) error {
	if _, known := failure.HintOf(err); known {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return failure.New(failure.Disk, fmt.Errorf("%s: %w", doing, err), "eventbatch store check tries "+s.Name())
}

// Kept returns what was kept under a name of some kind.
func (s *Shared) Kept(kind, name string) ([]byte, error) {
	text, err := s.db.Kept(kind, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = s.unusable("reading "+kind, err)
	}
	return text, err
}

// Keep stores a text under a name of some kind, in the place of what was kept there before.
func (s *Shared) Keep(kind, name string, text []byte) error {
	if err := s.db.Keep(kind, name, text); err != nil {
		return s.unusable("writing "+kind, err)
	}
	return nil
}

// Change puts what change makes of a text in its place, while no other process does; nil
// removes it.
func (s *Shared) Change(kind, name string, change func(text []byte) []byte) error {
	if err := s.db.Change(kind, name, change); err != nil {
		return s.unusable("writing "+kind, err)
	}
	return nil
}

// Names returns the names under which something of a kind is kept.
func (s *Shared) Names(kind string) ([]string, error) {
	names, err := s.db.Names(kind)
	if err != nil {
		return nil, s.unusable("reading "+kind, err)
	}
	return names, nil
}

// The kinds under which the memory of keys is kept.
const (
	keysKind   = "keys"
	prunedKind = "keys-pruned"
)

func (s *Shared) snapshotPath(baseURL string) string {
	return "the memory of keys of " + baseURL + " in " + s.Name()
}

func (s *Shared) markerPath(baseURL string) string {
	return s.snapshotPath(baseURL) + ", with its mark"
}

func (s *Shared) loadMark(baseURL string) ([]byte, error) { return s.db.Kept(prunedKind, baseURL) }

func (s *Shared) storeMark(baseURL string, text []byte) error {
	return s.db.Keep(prunedKind, baseURL, text)
}

func (s *Shared) services() ([]string, error) { return s.db.Names(keysKind) }

// openKeys brings the memory of keys onto this machine, unless it is there as it is now.
func (s *Shared) openKeys(baseURL string) (*snapshot, error) {
	s.bringing.Lock()
	defer s.bringing.Unlock()
	had := s.keys[baseURL]
	f, err := os.Open(had.path)
	if err != nil {
		had = localKeys{}
	}
	text, word, err := s.db.KeptSince(keysKind, baseURL, had.word)
	if err == nil && word == had.word {
		return &snapshot{snapshotIndex: had.index, file: f}, nil
	}
	if f != nil {
		_ = f.Close()           // it was only to be read
		_ = os.Remove(had.path) // another goroutine may read it still
		delete(s.keys, baseURL)
	}
	if err != nil {
		return nil, err
	}
	if f, err = s.spareKeys(); err != nil {
		return nil, err
	}
	if _, err := f.Write(text); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	found, err := checked(f)
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	s.keys[baseURL] = localKeys{word, f.Name(), found.snapshotIndex}
	return found, nil
}

func (s *Shared) spareKeys() (*os.File, error) { return os.CreateTemp("", "eventbatch-keys-*") }

func (s *Shared) storeKeys(baseURL string, f *os.File) (moved bool, err error) {
	text, err := os.ReadFile(f.Name())
	if err == nil {
		err = s.db.Keep(keysKind, baseURL, text)
	}
	return false, err
}

// view is how runs are seen: whole, or as a share has them.
type view interface {
	// read returns the headers of runs by their ids, without those of runs that were removed just now.
	read(ids []string) (map[string]readHeader, error)
	// open returns a run, whose header is empty where the view has nothing of it.
	open(stored *Stored, h readHeader) (*run, error)
}

func (s *Shared) load(id string) (*run, error) { return s.loadFor(s, id) }

func (s *Shared) headers() ([]loaded, error) { return s.headersFor(s, nil) }

// loadFor returns a run.
func (s *Shared) loadFor(v view, id string) (*run, error) {
	stored, err := s.db.Run(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, s.unusable("reading run "+id, err)
	}
	headers, err := v.read([]string{id})
	if err != nil {
		return nil, err
	}
	h, there := headers[id]
	if !there {
		return nil, fs.ErrNotExist
	}
	return v.open(stored, h)
}

// headersFor returns all runs, of which only those that have ops of the calendars need a header; nil stands
// for all calendars.
func (s *Shared) headersFor(v view, calendars []string) ([]loaded, error) {
	all, err := s.db.Runs(calendars)
	if err != nil {
		return nil, s.unusable("listing runs", err)
	}
	var ids []string
	for i := range all {
		if all[i].Part {
			ids = append(ids, all[i].ID)
		}
	}
	headers, err := v.read(ids)
	if err != nil {
		return nil, err
	}
	var list []loaded
	for i := range all {
		if h, there := headers[all[i].ID]; there || !all[i].Part {
			r, err := v.open(&all[i], h)
			list = append(list, loaded{id: all[i].ID, run: r, err: err, numbered: all[i].Number})
		}
	}
	return list, nil
}

func (s *Shared) open(stored *Stored, h readHeader) (*run, error) {
	r := &sharedRun{run: &run{now: s.now}, of: s, id: stored.ID, bytes: stored.Bytes, dropped: stored.Dropped}
	r.place = r
	if h.err == nil && h.Ops != stored.Ops {
		h.err = &DamagedError{Path: r.planPath(), Line: 1, Reason: fmt.Sprintf("it is of %d ops, and there are %d", h.Ops, stored.Ops)}
	}
	if h.err != nil {
		return nil, h.err
	}
	r.header, r.seal, r.line = h.Header, h.planSeal, h.line
	return r.run, nil
}

// Draft begins a run, planned at that time or now. For it to be the only one of its
// number, hold [Shared.Lock] until it is sealed or discarded.
func (s *Shared) Draft(created time.Time) (Draft, error) {
	begun, err := s.draft(created)
	if err != nil {
		return nil, err
	}
	r := &sharedRun{run: begun, of: s, id: begun.header.Run}
	r.place = r
	if r.spools, err = os.MkdirTemp("", "eventbatch-plan-*"); err != nil {
		return nil, failure.New(failure.Disk, fmt.Errorf("creating run: %w", err),
			"see to it that the folder for temporary files can be written")
	}
	return newDraft(begun, r.spools, r)
}

// put stores a run of another store.
func (s *Shared) put(o *outgoing) error {
	h := &o.header
	err := s.db.Insert(&Stored{
		ID: h.Run, Number: h.Number, Created: h.Created, Identity: h.Identity, Source: h.Source, BaseURL: h.Target.BaseURL,
		Header: o.line, Ops: o.seal.Ops, Dropped: o.dropped,
	}, o.stored(), o.chains(), o.pieces())
	if err == nil && o.turn > 0 {
		_, err = s.db.Turn(o.turn)
	}
	return err
}

// remove removes runs, with what this machine has of them.
func (s *Shared) remove(runs []*run, stop func() error) error {
	var ids []string
	for _, r := range runs {
		if err := stop(); err != nil {
			return err
		}
		if held, err := r.held(); held || err != nil {
			return errors.Join(err, &LockedError{What: "run " + r.ID()})
		}
		ids = append(ids, r.ID())
	}
	if err := s.db.Delete(ids); err != nil {
		return s.unusable("removing runs", err)
	}
	for _, id := range ids {
		if err := os.RemoveAll(s.folderOf(id)); err != nil {
			return unusable("removing the results of run "+id, err)
		}
	}
	return nil
}

func (s *Shared) sweep(p *pruner) error { return s.local.sweepExports(p) }
