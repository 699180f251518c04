//go:build unix

package sheet

import (
	"fmt"
	"os"
)

// syncFolder makes a rename in a folder durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("syncing folder %s: %w", path, err)
	}
	err = folder.Sync()
	if closing := folder.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("syncing folder %s: %w", path, err)
	}
	return nil
}
