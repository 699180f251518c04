// Package night is what a sync remembers from one night to the next.
//
// A night is one run of a sync, by day or night. The memory is a small text for each sync, in a
// file or in a database ([Store]), and is replaced whole when a night has ended. What a row comes
// to is in the runs, not here. It answers five questions. Has the feed changed since the last
// night that was done? Is the feed read as it was, or by another mapping, which may move every
// row? Which sync has waited longest? Since when is a key gone from the feed, and from how many
// readings? And is what the feed has and nothing takes, what it lacks, and what its columns feed
// the same as the night before?
//
// Whoever goes through a night holds its sync ([Sync.Take]), which the kernel, or the database,
// gives to one process at a time. Who is told how it went is the business of package notify.
package night

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/feed"
	"eventbatch/batch/journal"
	"eventbatch/mapping/failure"
)

// whole is after how many nights without anything new a feed is read without a condition: not
// every server that says so is right.
const whole = 7

// Memory is what a sync remembers.
type Memory struct {
	Version int `json:"version"`
	// Done is the last night that was done, nil before the first: one without a row that
	// failed, was held back or is in doubt.
	Done *Done `json:"done,omitempty"`
	// Rules are the hashes of what its rows were read by, each under a word.
	Rules map[string]string `json:"rules,omitempty"`
	// Last is the last night however it ended.
	Last Night `json:"last,omitzero"`
	// LeftBehind is the hash of the columns that nothing takes, as they were told; empty where there are none.
	LeftBehind string `json:"left_behind,omitempty"`
	// Gone are the keys that the feed no longer names, as hashes.
	Gone map[string]Absence `json:"gone,omitempty"`
	// Missing is the hash of the keys whose events stay although they are gone, as they were told; empty where
	// there are none.
	Missing string `json:"missing,omitempty"`
	// Fed are the fields that were fed, each with the column of the feed, which is empty where it is no column's.
	Fed map[string]string `json:"fed,omitempty"`
}

// Unfed returns the fields that were fed by a column which is not in the feed any more, and that nothing feeds now,
// in order, and those columns.
func (m *Memory) Unfed(fed map[string]string, columns []string) (fields, gone []string) {
	for _, field := range slices.Sorted(maps.Keys(m.Fed)) {
		_, still := fed[field]
		if column := m.Fed[field]; !still && column != "" && !slices.Contains(columns, column) {
			fields, gone = append(fields, field), append(gone, column)
		}
	}
	return fields, gone
}

// Absence is when a key was first gone, and the hash of the reading that it was gone from.
type Absence struct {
	Since   time.Time `json:"since"`
	Reading string    `json:"reading"`
}

// longGone is how far two readings that lack a key have to be apart before its event goes.
const longGone = 12 * time.Hour

// Missed returns what becomes of Gone after a reading, and which of the keys that are gone
// from it have been for long: from another reading too, of other contents, half a day before.
func (m *Memory) Missed(at time.Time, reading string, keys []string) (gone map[string]Absence, long map[string]bool) {
	gone, long = map[string]Absence{}, map[string]bool{}
	for _, key := range keys {
		first, known := m.Gone[key]
		if !known || first.Since.After(at) { // the clock was ahead
			first = Absence{Since: at, Reading: reading}
		}
		gone[key] = first
		long[key] = first.Reading != reading && at.Sub(first.Since) >= longGone
	}
	return gone, long
}

// Done is a night after which nothing was left to do.
type Done struct {
	At time.Time `json:"at"`
	// Feed is what was read, and Bound the hash of all else that decides what becomes of it:
	// the address, the mapping, the target, the program's version.
	Feed  feed.State `json:"feed"`
	Bound string     `json:"bound"`
	Idle  int        `json:"idle,omitempty"` // nights since then on which nothing was new
	Run   string     `json:"run,omitempty"`
}

// Night is how one night ended.
type Night struct {
	Begun  time.Time `json:"begun"`
	Ended  time.Time `json:"ended"`
	Reason string    `json:"reason"` // of the exit, such as done or refused
	Run    string    `json:"run,omitempty"`
}

const version = 1

// OfFile returns the name that tells the sync of a file, or of an address, from others. A
// path is that from the folder dir.
func OfFile(name, dir string) string {
	if !filepath.IsAbs(name) && !strings.Contains(name, "://") {
		name = filepath.Join(dir, name)
	}
	sum := sha256.Sum256([]byte(name))
	return "file-" + hex.EncodeToString(sum[:6])
}

// Load reads what a sync remembers, which is nothing before its first night. A text that
// cannot be read is an error: the answer may cost a night's cancels.
func Load(texts Store, sync string) (*Memory, error) {
	text, err := texts.Read(sync, memoryName)
	if errors.Is(err, fs.ErrNotExist) {
		return &Memory{Version: version}, nil
	}
	var m Memory
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && m.Version != version {
		err = journal.UnknownVersion(texts.Place(sync, memoryName), m.Version, version)
	}
	if _, known := failure.HintOf(err); known {
		return nil, err
	}
	if err != nil {
		return nil, failure.New(failure.Disk, fmt.Errorf("reading what the sync remembers in %s: %w", texts.Place(sync, memoryName), err),
			"if it is damaged, remove it: the next night reads the whole feed, and cancels nothing on that night")
	}
	return &m, nil
}

// Save replaces what a sync remembers.
func (m *Memory) Save(texts Store, sync string) error {
	text, err := json.Marshal(m)
	if err == nil {
		err = texts.Replace(sync, memoryName, append(text, '\n'))
	}
	if _, known := failure.HintOf(err); known || err == nil {
		return err
	}
	return failure.New(failure.Disk, fmt.Errorf("storing what the sync remembers: %w", err),
		"see to it that the workspace can be written")
}

// Known returns the state of the feed that a night may compare it with: none where the last
// night was not done, where something else has changed, or where it is time to read it whole.
func (m *Memory) Known(bound string) feed.State {
	if m.Done == nil || m.Done.Bound != bound || m.Last.Reason != doneReason || m.Done.Idle >= whole-1 {
		return feed.State{}
	}
	return m.Done.Feed
}

// doneReason is the reason of a night that was done.
const doneReason = "done"

// Idle notes a night on which the feed had nothing new.
func (m *Memory) Idle(n Night) {
	m.Last = n
	m.Done.Idle++
}

// End notes how a night ended that has read its feed.
func (m *Memory) End(n Night, state feed.State, bound string, rules map[string]string) {
	m.Last = n
	if n.Reason == doneReason {
		m.Done, m.Rules = &Done{At: n.Ended, Feed: state, Bound: bound, Run: n.Run}, rules
	}
}

// Moved returns the words of the rules that have changed since the last night that was done,
// none before the first.
func (m *Memory) Moved(rules map[string]string) []string {
	var words []string
	for _, word := range slices.Sorted(maps.Keys(rules)) {
		if was, known := m.Rules[word]; known && was != rules[word] {
			words = append(words, word)
		}
	}
	return words
}

// Longest sorts syncs so that those come first that have waited longest for a night that was
// done, and those that never had one before all others.
func Longest(names []string, memories map[string]*Memory) {
	since := func(name string) time.Time {
		if m := memories[name]; m != nil && m.Done != nil {
			return m.Done.At
		}
		return time.Time{}
	}
	slices.SortStableFunc(names, func(a, b string) int { return since(a).Compare(since(b)) })
}

// Name checks the name of a sync, which is a folder's name too.
func Name(name string) error {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\\x00:") || len(name) > 100 {
		return fmt.Errorf("%q is no name for a sync: letters, digits, dashes and blanks are", name)
	}
	return nil
}

// NameFor returns a name for the sync of a file.
func NameFor(file string) string {
	base := filepath.Base(file)
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r) {
			return r
		}
		return '-'
	}, strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base))))
	return cmp.Or(strings.Trim(name[:min(len(name), 40)], "-"), "events")
}
