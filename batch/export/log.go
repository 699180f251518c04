package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"

	"eventbatch/mapping/failure"
)

// answer is one answer of the service, a line of a log.
type answer struct {
	Of      string            `json:"of,omitempty"` // the event, empty for the calendar's list
	At      int64             `json:"at"`           // Unix milliseconds
	Entries []json.RawMessage `json:"entries,omitempty"`
	Next    string            `json:"next,omitempty"` // cursor of the page behind it
	Done    bool              `json:"done,omitempty"` // nothing comes behind it
	Gone    bool              `json:"gone,omitempty"` // the service has no such event
}

// log is a file of answers that is only ever appended to. It is safe for concurrent use.
type log struct {
	mu      sync.Mutex
	file    *os.File
	end     int64
	offsets map[string][]int64 // of the answers about an event, in the order in which they came
	done    map[string]bool
	last    answer // without its entries
	nexts   map[string]string
}

// openLog opens a log, and cuts off a line that was not written to its end.
func openLog(path string) (*log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unusable(err)
	}
	l := &log{file: file, offsets: map[string][]int64{}, done: map[string]bool{}, nexts: map[string]string{}}
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

// note remembers where a line of that length is.
func (l *log) note(a *answer, length int64) {
	l.offsets[a.Of] = append(l.offsets[a.Of], l.end)
	l.end += length
	if l.done[a.Of] = a.Done; a.Done {
		delete(l.nexts, a.Of)
	} else {
		delete(l.done, a.Of)
		l.nexts[a.Of] = a.Next
	}
	l.last = answer{Of: a.Of, At: a.At, Next: a.Next, Done: a.Done}
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

// next returns the cursor behind the last page of an event, empty where there is none.
func (l *log) next(event string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.nexts[event]
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

// all goes through the answers in the order in which they came.
func (l *log) all() iter.Seq2[*answer, error] {
	return func(yield func(*answer, error) bool) {
		lines := bufio.NewReader(io.NewSectionReader(l.file, 0, l.end))
		for {
			line, err := lines.ReadBytes('\n')
			if errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) == 0 {
				return
			}
			var a answer
			if err == nil {
				err = json.Unmarshal(line, &a)
			}
			if err != nil {
				yield(nil, unusable(err))
				return
			}
			if !yield(&a, nil) {
				return
			}
		}
	}
}

func (l *log) close() error {
	err := l.file.Sync()
	if closing := l.file.Close(); err == nil {
		err = closing
	}
	return err
}
