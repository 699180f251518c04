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
	"strconv"
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

// shares reports whether a profile of the file names a database.
func (f *file) shares() bool {
	return slices.ContainsFunc(f.Profiles, func(p yamldoc.Item[*described]) bool { return p.Value != nil && !p.Value.Store.From.IsZero() })
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
	if err := yamldoc.DecodeVersion(data, name, fileVersion, f); err != nil {
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

// beside resolves a path against a folder.
func beside(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// shown is how a path is named in messages: short where it lies below the
// working directory.
func shown(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}

// file is a configuration file as it is written.
type file struct {
	path, name string
	doubt      error                   // why somebody else may have written it
	Version    int                     `yaml:"version"` // 1, also where it is not said
	Default    id                      `yaml:"default_profile"`
	Profiles   yamldoc.Map[*described] `yaml:"profiles"`
	Syncs      yamldoc.Map[*nightly]   `yaml:"syncs"`
	Mail       *post                   `yaml:"mail"`
	State      storage                 `yaml:"state"`
}

// fileVersion is the version of the configuration that is read.
const fileVersion = 1

// storage says where what is remembered lies.
type storage struct {
	Dir string `yaml:"dir"`
}

type described struct {
	yamldoc.Pos
	BaseURL        base               `yaml:"base_url"`
	ImageBase      web                `yaml:"image_cdn_base"`
	SiteURL        web                `yaml:"site_url"`
	NativePlatform id                 `yaml:"native_platform"`
	Headers        names              `yaml:"headers"`
	Limits         limits             `yaml:"limits"`
	Keys           []key              `yaml:"keys"`
	CAFile         string             `yaml:"ca_file"`
	Allow          []leave            `yaml:"allow"`
	Paths          generation         `yaml:"paths"`
	Operations     yamldoc.Map[route] `yaml:"operations"`
	Store          struct {
		From secret.Ref `yaml:"from"`
	} `yaml:"store"`
}

type names struct {
	APIKey   token `yaml:"api_key"`
	Calendar token `yaml:"calendar"`
}

type limits struct {
	Calendar     count `yaml:"calendar"`
	Organization count `yaml:"organization"`
	Window       span  `yaml:"window"`
	Nest         *bool `yaml:"nest"`
	Lag          lag   `yaml:"lag"`
}

type key struct {
	yamldoc.Pos
	Kind         secret.Kind `yaml:"kind"`
	Calendar     id          `yaml:"calendar"`
	Organization id          `yaml:"organization"`
	From         secret.Ref  `yaml:"from"`
}

// check finds what is wrong across values; each single one was checked when it was decoded.
func (f *file) check() []error {
	var errs []error
	fail := func(pos yamldoc.Pos, path, message, hint string) {
		errs = append(errs, &yamldoc.Error{File: f.name, Pos: pos, Path: path, Message: message, Hint: hint})
	}
	for i := range f.Profiles {
		item := &f.Profiles[i]
		path := "profiles." + item.Key
		if item.Key == "" || !plain(item.Key) {
			fail(item.Pos, path, "a profile's name has no blanks", "")
		}
		if item.Value == nil {
			item.Value = &described{}
			continue
		}
		item.Value.checkRoutes(path, fail)
		first := map[[3]string]int{}
		for i, k := range item.Value.Keys {
			path := path + ".keys[" + strconv.Itoa(i) + "]"
			switch {
			case k.From.IsZero():
				fail(
					k.Pos, path+".from", "nothing says where the key is to be had",
					"from: env:NAME, file:PATH, cmd:PROGRAM or keyring:SERVICE/USER",
				)
			case k.Kind == "":
				fail(k.Pos, path+".kind", "the kind of the key is missing", "kind: calendar, organization or oauth")
				continue
			}
			switch {
			case k.Kind == secret.Organization && k.Organization == "":
				fail(
					k.Pos, path+".organization", "an organization key needs a name for its organization",
					"any word will do that tells it from others",
				)
			case k.Kind != secret.Organization && k.Calendar == "":
				fail(k.Pos, path+".calendar", "the calendar that the key is for is missing", "")
			case k.Kind != secret.Organization && k.Organization != "":
				fail(k.Pos, path+".organization", "only an organization key has one", "")
			}
			same := [3]string{string(k.Kind), string(k.Calendar), string(k.Organization)}
			if line, twice := first[same]; twice {
				fail(k.Pos, path, "the same key is described twice, first on line "+strconv.Itoa(line), "")
			} else {
				first[same] = k.Line
			}
		}
	}
	f.checkSyncs(fail)
	return errs
}
