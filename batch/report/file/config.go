package file

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"eventbatch/batch/report/page"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/sheet"
)

// Config is what the reports of one command share.
type Config struct {
	Command string    // that they are of: check, or the one that made the run
	Inputs  []string  // the files that it is about
	Keep    []string  // other files that no report may take the place of
	Out     io.Writer // where annotations go
	// Read opens the input anew, for a report that is made of it.
	Read sheet.Options
	Page page.Options
	// Until ends the making of a marked copy, which takes longer than what it is about; nil: nothing does.
	Until context.Context
}

// nameError returns why a report cannot be written under a name.
func nameError(name, reason, advice string) error {
	return failure.New(failure.Usage, errors.New(name+": "+reason), advice)
}

// sameFile gives the one of the paths that means the same file, or nothing.
func sameFile(path string, paths []string) string {
	info, err := os.Stat(path)
	for _, other := range paths {
		if filepath.Clean(other) == filepath.Clean(path) {
			return other
		}
		if known, failed := os.Stat(other); err == nil && failed == nil && info.Mode().IsRegular() && os.SameFile(info, known) {
			return other
		}
	}
	return ""
}
