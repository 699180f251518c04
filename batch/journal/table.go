package journal

import (
	"slices"
	"sync"
	"time"
)

// runTable numbers the runs that stamps name. It grows while it is asked: keys may name runs that have spoken since.
type runTable struct {
	mu      sync.RWMutex
	numbers map[string]int32
	ids     []string
	sources []string
	heard   []int64 // when they were last heard of, in Unix milliseconds
}

// note notes a run of a source, and when it was last heard of, zero where that is not known. It returns its number.
func (t *runTable) note(id, source string, heard time.Time) int32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	number, known := t.numbers[id]
	if !known {
		number = int32(len(t.ids))
		t.numbers[id], t.ids, t.sources, t.heard = number, append(t.ids, id), append(t.sources, source), append(t.heard, 0)
	}
	if !heard.IsZero() {
		t.heard[number] = max(t.heard[number], heard.UnixMilli())
	}
	return number
}

// list returns the ids by their numbers.
func (t *runTable) list() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.ids
}

func (t *runTable) id(number int32) string { return t.list()[number] }

func (t *runTable) source(number int32) string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.sources[number]
}

// heardOf returns when a run was last heard of, or any where none is named; 0 where that is not known.
func (t *runTable) heardOf(run string) int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if number, known := t.numbers[run]; known {
		return t.heard[number]
	}
	if run == "" && len(t.heard) > 0 {
		return slices.Max(t.heard)
	}
	return 0
}

// all returns the runs by their numbers.
func (t *runTable) all() []RunKnown {
	t.mu.RLock()
	defer t.mu.RUnlock()
	list := make([]RunKnown, len(t.ids))
	for i, id := range t.ids {
		if list[i] = (RunKnown{ID: id, Source: t.sources[i]}); t.heard[i] > 0 {
			list[i].Heard = time.UnixMilli(t.heard[i])
		}
	}
	return list
}
