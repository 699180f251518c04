package regular

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrOutside says that a file does not lie below a folder.
var ErrOutside = errors.New("it is not below the folder")

// Below returns where a folder really is, and the path of a file from there, links followed. A link that leads out of the
// folder is [ErrOutside], as is any other file that does not lie below it.
func Below(folder, path string) (root, rel string, err error) {
	real, err := realPath(path)
	if err != nil {
		return "", "", err
	}
	if root, err = realPath(folder); err != nil {
		return "", "", err
	}
	if rel, err = filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		return "", "", ErrOutside
	}
	return root, rel, nil
}

// LiesBelow reports whether a path leads to a regular file below a folder. A relative path is one from that folder.
func LiesBelow(folder, path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	root, rel, err := Below(folder, path)
	if err != nil {
		return false
	}
	info, err := os.Stat(filepath.Join(root, rel))
	return err == nil && info.Mode().IsRegular()
}

// realPath returns where a path leads to.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
