package export

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"eventbatch/batch/api"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
	"eventbatch/mapping/schema"
)

// answer is one answer of the service, a line of a log.
type answer struct {
	Of      string            `json:"of,omitempty"` // the event, empty for the calendar's list
	At      int64             `json:"at"`           // Unix milliseconds
	Entries []json.RawMessage `json:"entries,omitempty"`
	Next    string            `json:"next,omitempty"` // cursor of the page behind it
	Done    bool              `json:"done,omitempty"` // nothing comes behind it in its listing
	Gone    bool              `json:"gone,omitempty"` // the service has no such event
	Anew    bool              `json:"anew,omitempty"` // no answer: the listing begins anew
}

// log is a file of answers that is only ever appended to. It is safe for concurrent use.
type log struct {
	mu    sync.Mutex
	file  *os.File
	end   int64
	of    *schema.Resource // what the answers have
	lists map[string]*list // by what they are of
}

// list is what a log has of one list: of that of the calendar, or of what belongs to an event.
type list struct {
	whole   []int64       // where the answers of the last listing are that was read to its end
	begun   []int64       // those of the one at hand
	next    string        // the cursor of its next page
	listing *api.Listing  // what it has shown
	read    *api.Listings // those that were read to their end; nil once no more are read
	done    bool          // no more are read
	shifts  bool          // each has lacked something that the one before it had
}

// openLog opens a log, and cuts off a line that was not written to its end.
func openLog(path string, of *schema.Resource) (*log, error) {
	file, err := own.OpenFile(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, unusable(err)
	}
	l := &log{file: file, of: of, lists: map[string]*list{}}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		var a answer
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, unusable(errors.Join(err, file.Close()))
		}
		if err != nil || json.Unmarshal(line, &a) != nil {
			break
		}
		l.note(&a, int64(len(line)))
	}
	if err := file.Truncate(l.end); err != nil {
		return nil, unusable(errors.Join(err, file.Close()))
	}
	return l, nil
}

func unusable(err error) error {
	return failure.New(failure.Disk, fmt.Errorf("keeping what was read: %w", err), "make room, or name another folder with --workspace")
}

// note remembers what a line of that length says, and where it is.
func (l *log) note(a *answer, length int64) {
	at := l.end
	l.end += length
	s := l.lists[a.Of]
	if s == nil {
		s = &list{listing: &api.Listing{}, read: &api.Listings{}}
		l.lists[a.Of] = s
	}
	if s.done {
		return // of an export that has gone on in two ways
	}
	if a.Anew {
		s.begun, s.next, s.listing = nil, "", &api.Listing{}
		return
	}
	s.begun, s.next = append(s.begun, at), a.Next
	if s.listing.Page(l.of, a.Entries, !a.Done); !a.Done {
		return
	}
	if s.done = s.read.Add(*s.listing) || a.Gone; s.done && !a.Gone {
		s.shifts = s.read.Shifts("") != nil
	}
	s.whole, s.begun, s.next, s.listing = s.begun, nil, "", &api.Listing{}
	if s.done {
		s.listing, s.read = nil, nil
	}
}

// add appends an answer. It is in the operating system's hands when add returns.
func (l *log) add(a *answer) error {
	line, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("keeping what was read: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.WriteAt(append(line, '\n'), l.end); err != nil {
		return unusable(err)
	}
	l.note(a, int64(len(line)+1))
	return nil
}

// state returns what the log has of a list.
func (l *log) state(of string) list {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.lists[of]; s != nil {
		return *s
	}
	return list{}
}

// at returns the answer at an offset.
func (l *log) at(offset int64) (answer, error) {
	var a answer
	err := json.NewDecoder(io.NewSectionReader(l.file, offset, l.end-offset)).Decode(&a)
	if err != nil {
		return a, unusable(err)
	}
	return a, nil
}

func (l *log) close() error {
	err := l.file.Sync()
	if closing := l.file.Close(); err == nil {
		err = closing
	}
	return err
}
