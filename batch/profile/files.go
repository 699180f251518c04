package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/yamldoc"
)

// choose reads the files, and env loses what they name; then it picks the profile.
func choose(flags Flags, env *Env) (Profile, error) {
	files, err := read(flags, env)
	if err != nil {
		return Profile{}, err
	}
	name, names := flags.Profile, namesIn(files)
	for _, f := range files {
		if name == "" {
			name = string(f.Default)
		}
	}
	switch {
	case name == "" && len(names) == 0:
		return Default(), nil
	case name == "" && len(names) == 1:
		name = names[0]
	case name == "":
		return Profile{}, failure.New(
			failure.Config, fmt.Errorf("%d profiles are known, and nothing says which one is meant", len(names)),
			"give --profile ("+strings.Join(names, ", ")+"), or set default_profile",
		)
	}
	for _, f := range files {
		if p, ok := f.Profiles.Get(name); ok {
			return p.profile(name, f), nil
		}
	}
	known := "no configuration file has a profile"
	if len(names) > 0 {
		known = "known are " + strings.Join(names, ", ")
	}
	return Profile{}, failure.New(failure.Config, fmt.Errorf("there is no profile %q", name), known)
}

// Names lists the profiles of the configuration, the nearest file's first.
func Names(flags Flags, env Env) ([]string, error) {
	flags, _, err := complete(flags, env)
	if err != nil {
		return nil, err
	}
	files, err := read(flags, &env)
	return namesIn(files), err
}

// Workspace returns the folder that remembers runs as the configuration names it, which
// is beside the file that does; empty where none does.
func Workspace(flags Flags, env Env) (string, error) {
	flags.Config = cmp.Or(flags.Config, env.get("EVENTBATCH_CONFIG"))
	files, err := read(flags, &env)
	for _, f := range files {
		if f.State.Dir != "" {
			return beside(filepath.Dir(f.path), f.State.Dir), err
		}
	}
	return "", err
}

// Store reads the address of the database that runs lie in, which the profile names. It is
// zero where no profile has one, or the one that is meant has none.
func Store(ctx context.Context, flags Flags, env Env) (secret.Secret, error) {
	flags.Config, flags.Profile = cmp.Or(flags.Config, env.get("EVENTBATCH_CONFIG")), cmp.Or(flags.Profile, env.get("EVENTBATCH_PROFILE"))
	files, err := read(flags, &env)
	if err != nil || !slices.ContainsFunc(files, (*file).shares) {
		return secret.Secret{}, err
	}
	p, err := choose(flags, &env)
	if err != nil || p.Shared.From.IsZero() {
		return secret.Secret{}, err
	}
	return secret.Sources{Lookup: env.Lookup, Environ: env.Environ, Dir: p.Shared.Dir}.ReadPhrase(ctx, p.Shared.From)
}

func namesIn(files []*file) []string {
	var names []string
	for _, f := range files {
		for _, p := range f.Profiles {
			if !slices.Contains(names, p.Key) {
				names = append(names, p.Key)
			}
		}
	}
	return names
}

// read gives the files that are there, the nearest first. Commands that env is handed on to hear
// nothing of the variables in which any of the files has a secret.
func read(flags Flags, env *Env) ([]*file, error) {
	var paths []string
	if flags.Config != "" {
		paths = []string{beside(env.Dir, flags.Config)}
	} else {
		paths = []string{filepath.Join(env.Dir, "eventbatch.yaml")}
		if home := configHome(*env); home != "" {
			paths = append(paths, filepath.Join(home, "eventbatch", "config.yaml"))
		}
	}
	var files []*file
	var errs []error
	for _, path := range paths {
		data, err := regular.Read(path, regular.MiB)
		if flags.Config == "" && absent(path, err) {
			continue
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("reading configuration: %w", err))
			continue
		}
		f, err := parse(data, path, shown(env.Dir, path))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if flags.Config == "" && filepath.Dir(path) == filepath.Clean(env.Dir) {
			f.doubt = doubt(path)
		}
		files = append(files, f)
		env.Environ = secret.Without(env.Environ, f.variables())
	}
	if err := errors.Join(errs...); err != nil {
		return nil, failure.New(failure.Config, err, "")
	}
	return files, nil
}

// absent reports whether reading a file has failed since it is not there, as far as this user
// can see: the home may be no folder, or that of another.
func absent(path string, err error) bool {
	_, unseen := os.Lstat(path)
	return err != nil && slices.ContainsFunc([]error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR}, func(reason error) bool {
		return errors.Is(unseen, reason)
	})
}

func parse(data []byte, path, name string) (*file, error) {
	f := &file{path: path, name: name}
	if err := yamldoc.Decode(data, name, fileVersion, f); err != nil {
		return nil, err
	}
	return f, errors.Join(f.check()...)
}

func configHome(env Env) string {
	if dir := env.get("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir // the base directory rules say that a relative one is ignored
	}
	if home := env.get("HOME"); home != "" {
		return filepath.Join(home, ".config")
	}
	return ""
}

// Syncs returns the syncs of the configuration, the nearest file's first. Like a profile, a
// sync comes whole from the nearest file that has one of its name, and its mail leaves as
// that file says.
func Syncs(flags Flags, env Env) ([]Sync, error) {
	flags, _, err := complete(flags, env)
	if err != nil {
		return nil, err
	}
	files, err := read(flags, &env)
	if err != nil {
		return nil, err
	}
	var syncs []Sync
	known := map[string]bool{}
	for _, f := range files {
		for i := range f.Syncs {
			if item := &f.Syncs[i]; !known[item.Key] {
				known[item.Key] = true
				syncs = append(syncs, item.Value.sync(item.Key, item.Pos, f, env))
			}
		}
	}
	return syncs, nil
}
