package notify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/own"
)

// memory is what is known of a sync from night to night.
type memory struct {
	Version int       `json:"version"`
	Began   time.Time `json:"began,omitzero"` // of a night that has not ended
	State   State     `json:"state,omitempty"`
	Causes  []string  `json:"causes,omitempty"` // that were told with it, as hashes
	Since   time.Time `json:"since,omitzero"`   // when the first night began that was not well
	Told    time.Time `json:"told,omitzero"`    // when it was told last; zero where it was not
	Locked  int       `json:"locked,omitempty"`
	Success time.Time `json:"success,omitzero"` // of the last night that went well
	Serial  int       `json:"serial,omitempty"` // of the last notice
	Owed    []notice  `json:"owed,omitempty"`
}

// notice is a text for one target that has not arrived.
type notice struct {
	Serial  int       `json:"serial"`
	To      string    `json:"to"` // the target's id
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	At      time.Time `json:"at"`
	Night   Facts     `json:"night"`
}

// Facts are what programs are told of a night.
type Facts struct {
	Sync  string        `json:"sync"`
	State State         `json:"state"`          // failed, refused, changed or recovered
	Run   string        `json:"run,omitempty"`  // of the night, where there was one
	Exit  *finding.Exit `json:"exit,omitempty"` // not of a night that was broken off
	Rows  finding.Rows  `json:"rows,omitempty"` // where there is a plan
}

const (
	version = 1
	maxOwed = 50 // notices; of more the oldest are dropped
)

// end takes a night's state up, for its causes, and returns what is to be told of it, if anything, and since
// when it is not well. A cause that has not been told is news, whatever else lasts; so is one of a night that went
// well, whoever asked for what.
func (m *memory) end(c *Config, state State, causes []string, began, now time.Time) (tell State, since time.Time) {
	asked := func(s State) bool { return slices.Contains(c.On, s) }
	if state.bad() {
		if !m.State.bad() {
			m.Since, m.Told, m.Causes = began, time.Time{}, nil
		}
		m.State = state
		// A night is rarely as long as the one before: what is told once a day is not told
		// every second day because of minutes. Nor does a clock that was ahead keep it back.
		again := m.Told.IsZero() || m.Told.After(now) || now.Sub(m.Told) >= c.Again-c.Again/24
		if again {
			m.Causes = nil
		}
		fresh := slices.DeleteFunc(slices.Clone(causes), func(cause string) bool { return slices.Contains(m.Causes, cause) })
		if asked(state) && (again || len(fresh) > 0) {
			m.Told, tell = now, state
			m.Causes = append(m.Causes, fresh...)
		}
		return tell, m.Since
	}
	since = m.Since
	switch ended := m.State.bad(); {
	case ended && (!m.Told.IsZero() || asked(Recovered)):
		tell = Recovered
	case state == Changed && asked(Changed):
		tell, since = Changed, now
	case len(causes) > 0:
		tell, since = state, began
	}
	m.State, m.Causes, m.Told, m.Success = Unchanged, nil, time.Time{}, now
	return tell, since
}

// remember changes the memory, so that it is there whole whenever the process ends, and
// returns it. What cannot be read is begun anew. What cannot be kept is returned all the same:
// a full disk is a thing to tell.
func remember(c *Config, change func(*memory)) (m *memory, err error) {
	var unread error
	err = c.Keep(func(text []byte) []byte {
		m = &memory{Version: version}
		if text != nil {
			if m, unread = parse(text); unread != nil {
				m = &memory{Version: version}
				unread = fmt.Errorf("reading the state of sync %s, which begins anew: %w", c.Sync, unread)
			}
		}
		change(m)
		text, _ = json.Marshal(m) // it holds nothing that cannot be written
		return append(text, '\n')
	})
	if m == nil {
		m = &memory{Version: version}
		change(m)
	}
	if err != nil {
		err = fmt.Errorf("keeping the state of sync %s: %w", c.Sync, err)
	}
	return m, errors.Join(unread, err)
}

// InFile returns what keeps the state of a sync in a file: see [Config].
func InFile(path string) func(change func(text []byte) []byte) error {
	return func(change func([]byte) []byte) error {
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		lock := own.Lock(path + ".lock")
		if err == nil {
			err = lock.Lock()
		}
		text, unread := own.Read(path)
		if errors.Is(unread, fs.ErrNotExist) {
			unread = nil
		}
		text = change(text)
		if err == nil {
			err = own.ReplaceText(path, text)
		}
		_ = lock.Unlock()
		return errors.Join(unread, err)
	}
}

func parse(data []byte) (*memory, error) {
	m := &memory{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, errors.New("it is not what was written")
	}
	if m.Version != version {
		return nil, fmt.Errorf("it is of version %d", m.Version)
	}
	return m, nil
}
