package source

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// Config says which source an input is of, and what becomes of the events that the source
// has made and no longer names.
type Config struct {
	// Name is what somebody calls it. Without one it is known by its files.
	Name    string
	Missing Missing
	// Renames are new keys by the old ones; NoRenames means that no new key is an old one.
	Renames   map[string]string
	NoRenames bool
	// Rebind lets the source be one of another target than before.
	Rebind bool
	// TakeOver is another source whose keys become those of this one; empty for none.
	TakeOver string
	// LongGone, where it is not nil, is given the keys that are gone from a whole reading, as
	// hashes, and the hash of what was read. It returns those that have been gone for long
	// enough that their events can be cancelled.
	LongGone func(reading string, gone []string) map[string]bool `json:"-"`
}

// Missing says what becomes of events whose rows are gone.
type Missing string

// What becomes of them.
const (
	Report Missing = "report" // they stay, and are told
	Keep   Missing = "keep"   // they stay, and nobody looks for them
	Cancel Missing = "cancel"
)

// Empty reports whether nothing was said.
func (c *Config) Empty() bool {
	return c.Name == "" && c.Missing.Reports() && len(c.Renames) == 0 && !c.NoRenames && c.TakeOver == ""
}

// Reports reports whether they stay, and are told.
func (m Missing) Reports() bool { return m == "" || m == Report }

// Changes reports whether something is asked for that is to be done even where the source has nothing new.
func (c *Config) Changes() bool {
	return c.TakeOver != "" || c.Rebind || c.NoRenames || len(c.Renames) > 0
}

// Rename takes what is said of keys: OLD=NEW of one, or none where new keys are new events. It returns the first text that
// says neither; empty where there is none.
func (c *Config) Rename(said []string) (wrong string) {
	c.Renames = map[string]string{}
	for _, text := range said {
		old, key, ok := strings.Cut(text, "=")
		old, key = strings.TrimSpace(old), strings.TrimSpace(key)
		switch {
		case text == "none":
			c.NoRenames = true
		case !ok || old == "" || key == "":
			return text
		default:
			c.Renames[old] = key
		}
	}
	return ""
}

// OldKeys returns the old keys by the new.
func (c *Config) OldKeys() map[string]string {
	keys := map[string]string{}
	for old, key := range c.Renames {
		keys[key] = old
	}
	return keys
}

// mendedWord stands in the name of a file's copy before the ending.
const mendedWord = ".mended"

// MendedCopy returns the path of the copy of a file in which cells are mended. It is the same source: of rows without a
// key, another start in the copy is asked about as it is in the file.
func MendedCopy(file string) string {
	ending := filepath.Ext(file)
	return strings.TrimSuffix(file, ending) + mendedWord + ending
}

// mendedFrom returns the path of the file that a path names the copy of, and any other path as it is. The file need not be
// there: a worker has only the copy.
func mendedFrom(path string) string {
	ending := filepath.Ext(path)
	if ending == mendedWord {
		ending = "" // of a file without one
	}
	name := strings.TrimSuffix(path, ending)
	if of, is := strings.CutSuffix(name, mendedWord); is && filepath.Base(name) != mendedWord {
		return of + ending
	}
	return path
}

// Files returns what a source without a name is known by: where its files lie, of which some have other names than
// their paths. It is empty where nothing tells it from others.
func Files(paths []string, names map[string]string) string {
	var all []string
	for _, path := range paths {
		name := cmp.Or(names[path], path)
		if path == "-" || name == "stdin" {
			return ""
		}
		if at, err := filepath.Abs(name); err == nil && !strings.Contains(name, "://") {
			name = mendedFrom(at)
		}
		all = append(all, name)
	}
	return strings.Join(all, string(os.PathListSeparator))
}
