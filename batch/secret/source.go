package secret

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/failure"
)

// Ref says where a key is to be had, never the key itself: env:NAME,
// file:PATH, cmd:PROGRAM ARGUMENTS or keyring:SERVICE/USER.
type Ref struct {
	Scheme string // env, file, cmd or keyring
	Value  string // what follows the colon
}

// Variables returns the variables from which secrets are taken, each once.
func Variables(refs []Ref) (names []string) {
	for _, ref := range refs {
		if ref.Scheme == "env" && !slices.Contains(names, ref.Value) {
			names = append(names, ref.Value)
		}
	}
	return names
}

var schemes = [...]string{"env", "file", "cmd", "keyring"}

// ParseRef reads a reference. Its error never repeats the text, which may be a
// key that somebody put in the reference's place.
func ParseRef(s string) (Ref, error) {
	scheme, value, found := strings.Cut(s, ":")
	if !found || !slices.Contains(schemes[:], scheme) {
		return Ref{}, errors.New(
			"it is not a reference to where it is kept: write env:NAME, file:PATH, cmd:PROGRAM or keyring:SERVICE/USER",
		)
	}
	if value = strings.TrimSpace(value); value == "" {
		return Ref{}, fmt.Errorf("nothing follows %q", scheme+":")
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Ref{}, fmt.Errorf("a control character follows %q", scheme+":")
	}
	r := Ref{Scheme: scheme, Value: value}
	switch scheme {
	case "cmd":
		if _, err := split(value); err != nil {
			return Ref{}, fmt.Errorf("reading the command: %w", err)
		}
	case "keyring":
		if service, user, ok := strings.Cut(value, "/"); !ok || service == "" || user == "" {
			return Ref{}, errors.New("a keyring entry is written keyring:SERVICE/USER")
		}
	}
	return r, nil
}

// UnmarshalText makes Ref readable from files.
func (r *Ref) UnmarshalText(text []byte) error {
	parsed, err := ParseRef(string(text))
	if err != nil {
		return err
	}
	*r = parsed
	return nil
}

// IsZero reports whether the reference names nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

// String gives the reference for messages. Of a command only the program is
// told: its arguments are nobody's business.
func (r Ref) String() string {
	if r.IsZero() {
		return ""
	}
	if r.Scheme == "cmd" {
		if argv, err := split(r.Value); err == nil {
			return "cmd:" + argv[0]
		}
		return "cmd:"
	}
	return r.Scheme + ":" + r.Value
}

// Sources is what references are resolved against.
type Sources struct {
	// Lookup reads the environment; nil knows no variable.
	Lookup func(name string) (string, bool)
	// Environ is the environment of commands, as NAME=value. It is handed on
	// without the variables of eventbatch itself that hold a secret.
	Environ []string
	// Dir is where relative paths of key files start and commands run; empty
	// means the working directory.
	Dir string
	// Timeout bounds a command or a keyring, which may ask a person to unlock
	// it; 0 means one minute.
	Timeout time.Duration
}

// Read fetches the key that a reference names. Every failure is of the
// kind [failure.NoKey], and never holds the key.
func (s Sources) Read(ctx context.Context, r Ref) (Secret, error) {
	return s.fetch(ctx, r, "the key from ", New)
}

// fetch takes what a reference names. what is the beginning of its name in errors.
func (s Sources) fetch(ctx context.Context, r Ref, what string, take func(string) (Secret, error)) (Secret, error) {
	if s.Timeout <= 0 {
		s.Timeout = time.Minute
	}
	value, hint, err := s.read(ctx, r)
	if err == nil {
		var found Secret
		if found, err = take(value); err == nil {
			return found, nil
		}
	}
	return Secret{}, failure.New(failure.NoKey, fmt.Errorf("reading %s%s: %w", what, r, err), hint)
}

func (s Sources) read(ctx context.Context, r Ref) (value, hint string, err error) {
	switch r.Scheme {
	case "env":
		if s.Lookup != nil {
			if v, ok := s.Lookup(r.Value); ok {
				return trimNewline(v), "", nil
			}
		}
		return "", "", errors.New("the variable is not set")
	case "file":
		return s.file(r.Value)
	case "cmd":
		return s.command(ctx, r.Value)
	case "keyring":
		return s.keyring(ctx, r.Value)
	}
	return "", "", errors.New("no source is given")
}

// file reads a key file: a regular file that nobody but its owner may read.
func (s Sources) file(path string) (value, hint string, err error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && s.Lookup != nil {
		if home, ok := s.Lookup("HOME"); ok && home != "" {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.Dir, path)
	}
	// Looked at before it is opened: opening a pipe without a writer would hang.
	info, err := os.Stat(path)
	if err != nil {
		return "", "", withoutPath(err)
	}
	if hint, err := usable(path, info); err != nil {
		return "", hint, err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", "", withoutPath(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return "", "", withoutPath(err)
	}
	if hint, err := usable(path, info); err != nil {
		return "", hint, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxLength+3))
	if err != nil {
		return "", "", withoutPath(err)
	}
	return trimNewline(string(data)), "", nil
}

func usable(path string, info os.FileInfo) (hint string, err error) {
	switch {
	case info.IsDir():
		return "", errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return "use a key command for a key that no file holds", errors.New("it is not a regular file")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		// Windows reports no such bits: there the folder's own rights decide.
		return "chmod 600 " + path, fmt.Errorf("others may read it: its mode is %04o", info.Mode().Perm())
	}
	return "", nil
}

// withoutPath drops the operation and path, which the reference names already.
func withoutPath(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// trimNewline removes one line end, which editors and commands leave behind.
func trimNewline(s string) string {
	return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
}
