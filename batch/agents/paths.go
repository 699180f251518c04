package agents

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"eventbatch/batch/secret"
	"eventbatch/mapping/regular"
)

// mayUse refuses a path that is not for agents.
func (s *server) mayUse(p *Property, text string) error {
	switch p.Path {
	case Input:
		switch {
		case secret.IsAddress(text):
			return refused("have a person save it to a file first", "tools read files, and no address")
		case text == "-":
			return refused("name a file", "- is standard input, which the protocol has")
		}
		return s.inside(text)
	case Joined:
		_, text, _ = strings.Cut(text, "=")
		return s.inside(text)
	case Read:
		return s.inside(text)
	case Written:
		return s.isNew(text)
	}
	return nil
}

// inside refuses a path that does not lie below the folder of the server.
func (s *server) inside(path string) error {
	local := path
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(s.Folder, path); err == nil {
			local = rel
		}
	}
	if filepath.IsLocal(local) {
		_, err := s.root.Stat(local)
		if e, ok := errors.AsType[*fs.PathError](err); !ok || regular.Missing(e) {
			return nil // or the command itself tells
		}
	}
	return refused("name a file below it, or have a person put it there", "%s does not lie below %s", path, s.Folder)
}

// isNew refuses a path at which a tool must not write: of a file that is there, or that others read by its place.
func (s *server) isNew(path string) error {
	if err := s.inside(path); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return refused("name a new file", "%s exists", path)
	}
	of, missing := os.Stat(s.Workspace)
	for folder := filepath.Clean(path); ; folder = filepath.Dir(folder) {
		name := filepath.Base(folder)
		info, err := os.Stat(folder)
		if hidden := strings.HasPrefix(name, ".") && name != "."; hidden || err == nil && missing == nil && os.SameFile(info, of) {
			return refused("name a file outside of hidden folders and of the workspace", "%s is not for tools to write", path)
		}
		if folder == filepath.Dir(folder) || folder == "." {
			return nil
		}
	}
}
