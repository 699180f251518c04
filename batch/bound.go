package batch

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/mapping"
	"eventbatch/mapping/failure"
)

// bound is what a source is for since its first plan: the same name with another target would
// make all its events again, and miss those that there were. It is kept
// when runs go.
type bound struct {
	Source    string   `json:"source"`
	BaseURL   string   `json:"base_url"`
	Calendars []string `json:"calendars"` // that its rows were sent to
	Resource  string   `json:"resource"`
	Key       string   `json:"key"` // header of the key's column
}

// SourcesKind is the kind under which the store keeps what sources are for.
const SourcesKind = "sources"

// bind compares what the source is for with what it is used for now, and returns what it is
// for from now on: nil of one that nobody has given a name.
func (s *source) bind(reading *mapping.Reading) (*bound, error) {
	if !plan.Named(s.name) {
		return nil, nil
	}
	now := &bound{
		Source: s.name, BaseURL: s.d.target.BaseURL, Calendars: slices.Sorted(maps.Keys(s.d.target.Calendars)),
		Resource: s.resource, Key: reading.KeyColumn(),
	}
	text, err := s.d.config.Workspace.Kept(SourcesKind, s.name)
	if errors.Is(err, fs.ErrNotExist) || s.d.config.Source.Rebind {
		return now, nil
	}
	var was bound
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	if err != nil {
		return nil, failure.New(failure.Disk, fmt.Errorf("reading what source %s is for: %w", s.name, err),
			"if that is damaged, say --rebind")
	}
	shares := slices.ContainsFunc(now.Calendars, func(id string) bool { return slices.Contains(was.Calendars, id) })
	words := ""
	switch {
	case was.BaseURL != now.BaseURL:
		words = "address " + was.BaseURL + ", not " + now.BaseURL
	case len(was.Calendars) > 0 && len(now.Calendars) > 0 && !shares:
		words = "calendar " + strings.Join(was.Calendars, ", ") + ", not " + strings.Join(now.Calendars, ", ")
	case cmp.Or(was.Resource, now.Resource) != cmp.Or(now.Resource, was.Resource):
		words = was.Resource + ", not " + now.Resource
	case now.Resource != "" && was.Key != now.Key:
		words = fmt.Sprintf("the key column %q, not %q", was.Key, now.Key)
	}
	if words != "" {
		return nil, failure.New(failure.Config, fmt.Errorf("nothing was sent: source %s is for %s", s.name, words),
			"name another source; or, if it has moved, say --rebind")
	}
	now.Calendars = slices.Compact(slices.Sorted(slices.Values(append(now.Calendars, was.Calendars...))))
	return now, nil
}

// save stores what the source is for.
func (b *bound) save(workspace journal.Store) error {
	if b == nil {
		return nil
	}
	text, err := json.Marshal(b)
	if err == nil {
		err = workspace.Keep(SourcesKind, b.Source, append(text, '\n'))
	}
	return err
}
