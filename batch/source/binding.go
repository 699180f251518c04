package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/mapping/failure"
)

// A Binding is what a source is for since its first plan. It is kept when runs go.
type Binding struct {
	Source    string   `json:"source"`
	BaseURL   string   `json:"base_url"`
	Calendars []string `json:"calendars"` // of its rows
	Resource  string   `json:"resource"`
	Key       string   `json:"key"` // header of the key's column
}

// Kind is the kind under which the store keeps what sources are for.
const Kind = "sources"

// bind compares what a source was for with what it is used for now, and returns what it is for from now on.
func bind(store journal.Store, now *Binding, anew bool) (*Binding, error) {
	text, err := store.Kept(Kind, now.Source)
	if errors.Is(err, fs.ErrNotExist) || anew {
		return now, nil
	}
	var was Binding
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	if err != nil {
		return nil, failure.New(failure.Disk, fmt.Errorf("reading what source %s is for: %w", now.Source, err),
			"if that is damaged, say --rebind")
	}
	if words := was.differs(now); words != "" {
		return nil, failure.New(failure.Config, fmt.Errorf("nothing was sent: source %s is for %s", now.Source, words),
			"name another source; or, if it has moved, say --rebind")
	}
	now.Calendars = slices.Compact(slices.Sorted(slices.Values(append(now.Calendars, was.Calendars...))))
	return now, nil
}

// differs says in words what the source is for, where it is used for something else now; empty where it is not.
func (b *Binding) differs(now *Binding) string {
	shares := slices.ContainsFunc(now.Calendars, func(id string) bool { return slices.Contains(b.Calendars, id) })
	switch {
	case b.BaseURL != now.BaseURL:
		return "address " + b.BaseURL + ", not " + now.BaseURL
	case len(b.Calendars) > 0 && len(now.Calendars) > 0 && !shares:
		return "calendar " + strings.Join(b.Calendars, ", ") + ", not " + strings.Join(now.Calendars, ", ")
	case cmp.Or(b.Resource, now.Resource) != cmp.Or(now.Resource, b.Resource):
		return b.Resource + ", not " + now.Resource
	case now.Resource != "" && b.Key != now.Key:
		return fmt.Sprintf("the key column %q, not %q", b.Key, now.Key)
	}
	return ""
}

// Save stores what the source is for.
func (b *Binding) Save(store journal.Store) error {
	if b == nil {
		return nil
	}
	text, err := json.Marshal(b)
	if err == nil {
		err = store.Keep(Kind, b.Source, append(text, '\n'))
	}
	return err
}
