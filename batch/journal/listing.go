package journal

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
)

// calendarsName is the folder with a file a calendar. It lies among the runs, since a
// listing without the runs that were made after it knows less than none: whoever deletes
// the runs deletes it as well.
const calendarsName = "calendars"

// listing is the file of one calendar: its events when the workspace first planned
// something for it. What was made since is in the journals.
type listing struct {
	Version  int               `json:"version"`
	BaseURL  string            `json:"base_url"`
	Calendar string            `json:"calendar"`
	Events   map[string]string `json:"events"` // id by slug
}

func (w *Workspace) listingPath(baseURL, calendar string) string {
	return filepath.Join(w.dir, runsName, calendarsName, KeyHash(baseURL, calendar)+".json")
}

// Listing returns the ids by slug of the events that the calendar had when the
// workspace listed it, nil where it never did. A file that cannot be understood
// counts as none: the calendar is listed again.
func (w *Workspace) Listing(baseURL, calendar string) (map[string]string, error) {
	f, err := w.disk.read(w.listingPath(baseURL, calendar))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &FolderError{"reading the events of calendar " + calendar, err}
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, &FolderError{"reading the events of calendar " + calendar, err}
	}
	var l listing
	if json.Unmarshal(data, &l) != nil || l.Version != 1 || l.BaseURL != baseURL || l.Calendar != calendar {
		return nil, nil
	}
	return l.Events, nil
}

// KeepListing remembers the events of a calendar, durably.
func (w *Workspace) KeepListing(baseURL, calendar string, events map[string]string) error {
	data, err := json.Marshal(listing{Version: 1, BaseURL: baseURL, Calendar: calendar, Events: events})
	if err != nil {
		return err
	}
	if err := makeFolder(filepath.Join(w.dir, runsName, calendarsName)); err != nil {
		return &FolderError{"keeping the events of calendar " + calendar, err}
	}
	if err := w.disk.create(w.listingPath(baseURL, calendar), data); err != nil {
		return &FolderError{"keeping the events of calendar " + calendar, err}
	}
	return nil
}
