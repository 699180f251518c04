package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping/failure"
)

// listed is a run as the list has it.
type listed struct {
	ID      string
	Number  int
	Dropped *time.Time
	Tally   []int32 // nil where something may be left to do
	Header  []byte  // nil where it is known
	Version string  // of the row, which changes whenever a process takes the run up
	Held    bool    // a process has it, where that was asked

	head *journal.Head // nil where it is not known
}

const listedColumns = "id, number, dropped, tally, case when id <> all ($%d) then header end, xmin::text, "

// list returns the runs for which a condition holds, from old to new.
func (s *Store) list(where string, args ...any) (list []listed, err error) {
	b := &pgx.Batch{}
	s.queueList(b, &list, "false", where, args...)
	if err := s.together(b); err != nil {
		return nil, s.unusable("listing runs", err)
	}
	return list, nil
}

// queueList adds that to what is asked together, with what says that a process has a run.
func (s *Store) queueList(b *pgx.Batch, list *[]listed, held, where string, args ...any) {
	known := s.heads.all()
	ids := slices.AppendSeq([]string{}, maps.Keys(known)) // nil would be no list
	sql := fmt.Sprintf("select "+listedColumns+held+" from runs where pruned is null", len(args)+1)
	if where != "" {
		sql += " and " + where
	}
	queue(b, list, func(row pgx.CollectableRow) (one listed, err error) {
		one, err = pgx.RowToStructByPos[listed](row)
		one.head = known[one.ID]
		return one, err
	}, sql+" order by number", append(args, ids)...)
}

// Find returns the run of that name: its id, the beginning of the id where no other
// run has the same, or [journal.Latest].
func (s *Store) Find(name string) (*journal.Run, error) {
	var list []listed
	var of reading
	b := &pgx.Batch{}
	if s.queueList(b, &list, "false", "id = $1", name); s.lease != nil {
		of.queue(b, s, name) // which is wanted next
	}
	err := s.together(b)
	if err != nil {
		return nil, s.unusable("listing runs", err)
	}
	if len(list) == 1 && s.lease != nil {
		found, err := s.open(&list[0])
		if err == nil {
			_, _ = found.Stored.(*run).keep(&of, true) // else whoever reads it is told
		}
		return found, err
	}
	if len(list) == 0 {
		ids, err := collect(s.DB, pgx.RowTo[string], "select id from runs where pruned is null order by number")
		if err != nil {
			return nil, s.unusable("listing runs", err)
		}
		n, err := journal.Choose(s.Name(), name, ids)
		if err != nil {
			return nil, err
		}
		if list, err = s.list("id = $1", ids[n]); err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, journal.NoRun(s.Name(), name) // it was removed just now
		}
	}
	return s.open(&list[0])
}

// open returns a run of the list.
func (s *Store) open(l *listed) (*journal.Run, error) {
	if s.lease != nil {
		if before, is := s.opened.Load(l.ID); is && before.(*run).version == l.Version {
			return before.(*run).Run, nil
		}
	}
	head, err := s.heads.of(s, l)
	if err != nil {
		return nil, err
	}
	if s.lease != nil {
		head = s.calendars.part(head)
	}
	r := &run{of: s, id: l.ID, number: l.Number, tally: l.Tally, version: l.Version}
	if l.Dropped != nil {
		r.dropped = *l.Dropped
	}
	folder := s.folderOf(r.id)
	r.Run = journal.NewRun(head, journal.Files{Folder: folder, Results: filepath.Join(folder, "results.csv")}, r)
	if s.lease != nil {
		s.opened.Store(l.ID, r)
	}
	return r.Run, nil
}

// headsKept is how many bytes of headers are kept, as they were stored.
const headsKept = 16 << 20

// heads keeps headers, which never change: each is about all calendars of its run, of which a process
// may carry thousands, one after another.
type heads struct {
	mu    sync.Mutex
	known map[string]*journal.Head
	bytes int
}

// all returns those that are kept, by the ids of their runs.
func (h *heads) all() map[string]*journal.Head {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.known)
}

// of returns the head of a run of the list.
func (h *heads) of(s *Store, l *listed) (*journal.Head, error) {
	if l.head != nil {
		return l.head, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	path := "the plan of run " + l.ID + " in " + s.Name()
	head, err := journal.ParseHead(path, l.Header)
	if err == nil && head.Header.Run != l.ID {
		err = &journal.DamagedError{Path: path, Line: 1, Reason: fmt.Sprintf("it is the plan of run %q", head.Header.Run)}
	}
	if err != nil {
		return nil, err
	}
	if h.bytes += len(head.Line); h.known == nil || h.bytes > headsKept {
		h.known, h.bytes = map[string]*journal.Head{}, len(head.Line)
	}
	h.known[l.ID] = head
	return head, nil
}

// Runs lists the runs from old to new.
func (s *Store) Runs() ([]journal.Summary, error) {
	list, err := s.list("")
	if err != nil {
		return nil, err
	}
	said, err := attachmentsOf(s.client, "true")
	if err != nil {
		return nil, err
	}
	all := make([]journal.Summary, 0, len(list))
	for i := range list {
		one := journal.Summary{ID: list[i].ID, Folder: s.folderOf(list[i].ID)}
		r, err := s.open(&list[i])
		if one.Err = err; err == nil {
			one.Header = r.Header()
			state, err := r.Stored.(*run).summary(said[list[i].ID])
			if one.Err = err; err == nil {
				one.Started, one.Ended, one.At, one.Tally = state.Started, state.Ended, state.At, state.tally
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// Unfinished returns the newest run of that identity that has something left to
// do, whether it was taken up or only planned; nil where there is none.
func (s *Store) Unfinished(identity string) (*journal.Run, error) {
	list, err := s.list("identity = $1 and tally is null", identity)
	if err != nil {
		return nil, err
	}
	for i := range slices.Backward(list) {
		r, err := s.open(&list[i])
		if err != nil {
			return nil, err
		}
		state, err := r.State()
		if err != nil {
			return nil, err
		}
		if state.Tally().Open() > 0 { // a process killed before it recorded its end leaves nothing to do
			return r, nil
		}
	}
	return nil, nil
}

// Draft begins a run, planned at that time or now.
func (s *Store) Draft(created time.Time) (*journal.Draft, error) {
	if created.IsZero() {
		created = s.now()
	}
	home, err := s.home()
	if err != nil {
		return nil, s.unusable("looking at the database", err)
	}
	folder, err := os.MkdirTemp("", "eventbatch-plan-*")
	if err != nil {
		return nil, failure.New(failure.Disk, fmt.Errorf("creating run: %w", err),
			"see to it that the folder for temporary files can be written")
	}
	h := plan.Header{Run: journal.NewID(created), Created: created, Home: home}
	return journal.NewDraft(h, folder, &sink{s, folder})
}

// sink makes a run of a draft, whose temporary files are in a folder.
type sink struct {
	store  *Store
	folder string
}

// Appear stores a draft.
func (k *sink) Appear(d *journal.Drafted) (*journal.Run, error) {
	var number int
	if err := k.store.one("select greatest(max(number), 0) + 1 from runs", nil, &number); err != nil {
		return nil, err
	}
	head, err := d.Head(number)
	if err == nil {
		err = k.store.insert(head, d.Texts(), time.Time{}, func(ctx context.Context, tx pgx.Tx, sends []int32) error {
			return insertPending(ctx, tx, head.Header.Run, sends)
		})
	}
	if err != nil {
		return nil, err
	}
	if err := errors.Join(d.Lines.Close(), d.Rows.Close(), k.Discard()); err != nil {
		return nil, err
	}
	return k.store.Find(head.Header.Run)
}

// Discard removes the temporary files: nothing else was stored.
func (k *sink) Discard() error { return os.RemoveAll(k.folder) }
