package profile

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/secret"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

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

// profile lays what is written over the defaults.
func (d *described) profile(name string, f *file) Profile {
	p := Default()
	p.Name = name
	p.BaseURL, p.ImageBase, p.SiteURL = string(d.BaseURL), string(d.ImageBase), string(d.SiteURL)
	dir := filepath.Dir(f.path)
	p.CAFile = beside(dir, d.CAFile)
	if !d.Store.From.IsZero() {
		p.Shared = Shared{From: d.Store.From, Dir: dir}
	}
	put(&p.NativePlatform, string(d.NativePlatform))
	put(&p.Headers.APIKey, string(d.Headers.APIKey))
	put(&p.Headers.Calendar, string(d.Headers.Calendar))
	put(&p.Limits.Calendar, int(d.Limits.Calendar))
	put(&p.Limits.Organization, int(d.Limits.Organization))
	put(&p.Limits.Window, time.Duration(d.Limits.Window))
	put(&p.Limits.Lag, time.Duration(d.Limits.Lag))
	if d.Limits.Nest != nil {
		p.Limits.Nest = *d.Limits.Nest
	}
	for _, k := range d.Keys {
		p.Keys = append(p.Keys, Key{
			Kind: k.Kind, Calendar: string(k.Calendar), Organization: string(k.Organization), From: k.From,
			Place: f.name + ":" + strconv.Itoa(k.Line), dir: dir, doubt: f.doubt,
		})
	}
	p.Routes = d.routes()
	for _, effect := range d.Allow {
		p.Allow = append(p.Allow, schema.Effect(effect))
	}
	return p
}

func put[T comparable](into *T, value T) {
	var zero T
	if value != zero {
		*into = value
	}
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

// shares reports whether a profile of the file names a database.
func (f *file) shares() bool {
	return slices.ContainsFunc(f.Profiles, func(p yamldoc.Item[*described]) bool { return p.Value != nil && !p.Value.Store.From.IsZero() })
}

// variables returns the names of the variables in which the file has secrets.
func (f *file) variables() []string {
	var names []string
	for _, ref := range f.references() {
		if ref.Scheme == "env" {
			names = append(names, ref.Value)
		}
	}
	return names
}

// references returns all references of the file.
func (f *file) references() []secret.Ref {
	var refs []secret.Ref
	for _, p := range f.Profiles {
		if p.Value == nil {
			continue
		}
		refs = append(refs, p.Value.Store.From)
		for _, k := range p.Value.Keys {
			refs = append(refs, k.From)
		}
	}
	for _, s := range f.Syncs {
		if s.Value == nil {
			continue
		}
		refs = append(refs, s.Value.File.from, s.Value.Heartbeat)
		for _, h := range s.Value.Headers {
			refs = append(refs, h.Value)
		}
		if s.Value.Notify == nil {
			continue
		}
		for _, to := range s.Value.Notify.To {
			refs = append(refs, to.Webhook)
		}
	}
	if f.Mail != nil {
		refs = append(refs, f.Mail.User, f.Mail.Password)
	}
	return refs
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
