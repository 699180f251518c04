package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
)

// Memory reads what every run that was sent to baseURL knows. Where many runs
// have come to their end since, the snapshot is written anew. To be the only one who does,
// hold [Workspace.Lock].
func (w *Workspace) Memory(baseURL string) (*journal.Memory, error) {
	m, _, err := w.remember(baseURL)
	return m, err
}

// remember returns the memory of a service, with the snapshot that it stands on.
func (w *Workspace) remember(baseURL string) (*journal.Memory, *snapshot, error) {
	runs, err := w.loadAll()
	if err != nil {
		return nil, nil, err
	}
	m := journal.NewMemory(w.now())
	byID := map[string]*journal.Run{}
	for _, l := range runs {
		if l.err != nil {
			return nil, nil, l.err
		}
		if l.run.Header().Target.BaseURL == baseURL {
			byID[l.id] = l.run.Run
		}
	}
	known, err := w.openSnapshot(baseURL, byID)
	if err != nil {
		return nil, nil, err
	}
	known, err = w.learn(m, known, runs, byID)
	if err != nil {
		return nil, nil, errors.Join(err, known.Close())
	}
	return m, known, nil
}

// learn adds the runs that the snapshot does not cover. It returns the snapshot that there is then.
func (w *Workspace) learn(m *journal.Memory, known *snapshot, runs []loaded, wanted map[string]*journal.Run) (*snapshot, error) {
	var unsettled []journal.Unsettled
	ended := collector{runs: w, snapshot: known}
	for _, l := range runs {
		r := wanted[l.id]
		if r == nil || ended.snapshot.covers(l.id) {
			continue
		}
		// Whoever asks holds the workspace's lock, or would be in the way of an Attach. What is read afterwards is all
		// that a process has done that does not have the run any more.
		held, err := r.Held()
		if err != nil {
			return ended.snapshot, err
		}
		size, sizing := journalSize(r)
		state, err := r.Read(true)
		if err != nil {
			return ended.snapshot, err
		}
		if !state.Started && state.Tally()[journal.InDoubt] == 0 {
			continue // a run that nobody took up did nothing, and owes nothing
		}
		m.Attached(state.Turn)
		if held || sizing != nil || state.Torn || state.Tally().Open() > 0 {
			unsettled = append(unsettled, journal.Unsettled{Run: r, State: state, Held: held})
			continue
		}
		if err := ended.add(state, size); err != nil {
			return ended.snapshot, err
		}
	}
	if ended.ops > w.replayed || ended.flushed {
		if err := ended.publish(); err != nil {
			return ended.snapshot, err
		}
	}
	known = ended.snapshot
	m.Attached(int(known.Turn))
	for i, id := range known.Runs {
		m.Run(id, known.Sources[i], known.heard(i))
	}
	handed := known.TakeOvers
	for _, state := range ended.states {
		m.Take(state)
		handed = state.TakeOvers(handed)
	}
	return known, m.Complete(known, unsettled, handed)
}

// remembered makes a large run that has come to its end part of the snapshot, where no
// other process has the lock. Whatever keeps it from that, the next plan does it.
func (w *Workspace) remembered(r *journal.Run) {
	if r.Len() <= w.replayed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockPoll)
	defer cancel()
	unlock, err := w.Lock(ctx, journal.Runs)
	if err != nil {
		return
	}
	if m, err := w.Memory(r.Header().Target.BaseURL); err == nil {
		_ = m.Close() // it has only been read
	}
	_ = unlock() // the lock ends with the process
}

// marker is the content of the file beside a snapshot.
type marker struct {
	Pruned int `json:"pruned"` // runs that the snapshot alone knows about
}

// marked returns how many runs the snapshot of a service has to know about that were pruned.
func (w *Workspace) marked(baseURL string) (int, error) {
	text, err := own.Read(w.markerPath(baseURL))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, journal.Unusable("reading "+w.markerPath(baseURL), err)
	}
	m := marker{Pruned: 1}
	_ = json.Unmarshal(text, &m) // that it is there says that there are some
	return max(m.Pruned, 1), nil
}

// mark makes the loss of a snapshot known to whoever opens it.
func (w *Workspace) mark(index *snapshotIndex) error {
	marked, err := w.marked(index.BaseURL)
	if n := index.pruned(); err == nil && n > marked {
		var text []byte
		if text, err = json.Marshal(marker{n}); err == nil {
			err = own.ReplaceText(w.markerPath(index.BaseURL), append(text, '\n'))
		}
		if err != nil {
			err = journal.Unusable("writing the memory of keys", err)
		}
	}
	return err
}

// lost returns the error that the snapshot cannot tell of the runs that were pruned, nil
// where there are none.
func (w *Workspace) lost(baseURL string, marked int, how string) error {
	if marked == 0 {
		return nil
	}
	path, runs := w.snapshotPath(baseURL), printable.Pick(marked, "run that was", "runs that were")
	return failure.New(
		failure.Disk, fmt.Errorf("%s %s: it alone knows what the %d %s pruned have made", path, how, marked, runs),
		"put it back from a backup; or remove "+path+" and "+w.markerPath(baseURL)+
			": events are then found again by their slugs, those that have another slug are made again, and what was compared is forgotten",
	)
}

// openSnapshot opens the snapshot of a service. One that is missing, damaged, or does not
// fit the runs covers nothing; but where runs were pruned that it alone knows about, it is
// an error that it is missing or damaged, and of the other runs those that do not fit are
// read again.
func (w *Workspace) openSnapshot(baseURL string, runs map[string]*journal.Run) (*snapshot, error) {
	none := &snapshot{snapshotIndex: snapshotIndex{Version: snapshotVersion, BaseURL: baseURL}}
	marked, err := w.marked(baseURL)
	if err != nil {
		return nil, err
	}
	found, err := readSnapshot(w.snapshotPath(baseURL))
	if errors.Is(err, os.ErrNotExist) {
		return none, w.lost(baseURL, marked, "is missing")
	}
	if err != nil {
		return nil, journal.Unusable("opening the memory of keys", err)
	}
	if found.Version == 0 || found.BaseURL != baseURL {
		return none, errors.Join(w.lost(baseURL, marked, "is damaged"), found.Close())
	}
	known := found.pruned()
	if known < marked {
		return none, errors.Join(w.lost(baseURL, marked, "is an earlier one"), found.Close())
	}
	found.again = found.changed(runs)
	if known == 0 && len(found.again) > 0 {
		return none, found.Close()
	}
	return found, nil
}
