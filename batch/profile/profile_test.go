package profile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
)

const canary = "canary-3f9a1c77d0e84b52"

// world is a working directory with files and variables. Names that begin with
// home/ are below the user's own folder.
func world(t *testing.T, files, variables map[string]string) Env {
	t.Helper()
	root := t.TempDir()
	write := func(name, content string) {
		path := filepath.Join(root, "work", name)
		if rest, ok := strings.CutPrefix(name, "home/"); ok {
			path = filepath.Join(root, "home", rest)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("here", "")
	for name, content := range files {
		write(name, content)
	}
	return Env{
		Dir: filepath.Join(root, "work"),
		Lookup: func(name string) (string, bool) {
			if name == "HOME" {
				return filepath.Join(root, "home"), true
			}
			value, ok := variables[name]
			return strings.ReplaceAll(value, "ROOT", root), ok
		},
	}
}

const whole = `default_profile: main
profiles:
  main:
    base_url: https://api.example.com/public
    image_cdn_base: https://img.example.com/
    site_url: https://example.com
    native_platform: own
    headers: {api_key: x-a, calendar: x-b}
    limits: {calendar: 20, organization: 50, window: 6s, nest: false}
    ca_file: ca.pem
    keys:
      - {kind: calendar, calendar: cal-1, from: "env:MAIN_KEY"}
      - {kind: organization, organization: org-1, from: "file:org.key"}
      - {kind: oauth, calendar: cal-2, from: "cmd:pass show events/oauth"}
    allow: [mail, cancel]
  other:
    base_url: http://127.0.0.1:8787
`

func TestWholeFile(t *testing.T) {
	env := world(t, map[string]string{"eventbatch.yaml": whole}, nil)
	got, err := Load(Flags{}, env)
	if err != nil {
		t.Fatal(err)
	}
	want := Profile{
		Name: "main", BaseURL: "https://api.example.com/public", ImageBase: "https://img.example.com", SiteURL: "https://example.com",
		NativePlatform: "own", Headers: Headers{"x-a", "x-b"}, Limits: Limits{20, 50, 6 * time.Second, false, 0},
		Keys: []Key{
			{Kind: secret.Calendar, Calendar: "cal-1", From: secret.Ref{Scheme: "env", Value: "MAIN_KEY"}, Place: "eventbatch.yaml:12"},
			{
				Kind: secret.Organization, Organization: "org-1", From: secret.Ref{Scheme: "file", Value: "org.key"},
				Place: "eventbatch.yaml:13",
			},
			{
				Kind: secret.OAuth, Calendar: "cal-2", From: secret.Ref{Scheme: "cmd", Value: "pass show events/oauth"},
				Place: "eventbatch.yaml:14",
			},
		},
		CAFile: filepath.Join(env.Dir, "ca.pem"), Allow: []schema.Effect{schema.Mails, schema.Cancels},
	}
	if diff := cmp.Diff(want, got.Profile, cmpopts.IgnoreUnexported(Key{})); diff != "" {
		t.Error(diff)
	}
	if err := got.Ready(); err != nil {
		t.Error(err)
	}
	got, err = Load(Flags{Profile: "other"}, env)
	if err != nil {
		t.Fatal(err)
	}
	want = Default()
	want.Name, want.BaseURL = "other", "http://127.0.0.1:8787"
	if diff := cmp.Diff(want, got.Profile); diff != "" {
		t.Error(diff)
	}
	if e, ok := errors.AsType[*failure.Error](got.Ready()); !ok || !strings.Contains(e.Hint(), "--key-file") {
		t.Errorf("not ready: %v", got.Ready())
	}
}

func TestWithoutFiles(t *testing.T) {
	got, err := Load(Flags{}, world(t, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got.Profile); diff != "" {
		t.Error(diff)
	}
	if e, ok := errors.AsType[*failure.Error](got.Ready()); !ok || !strings.Contains(e.Hint(), "--base-url") {
		t.Errorf("not ready: %v", got.Ready())
	}
	for _, file := range []string{"", "# nothing\n", "profiles:\n", "profiles: {}\n"} {
		got, err := Load(Flags{}, world(t, map[string]string{"eventbatch.yaml": file}, nil))
		if err != nil || got.Name != "default" {
			t.Errorf("%q: %v, %v", file, got, err)
		}
	}
}

// Flag before environment before ./eventbatch.yaml before the user's file.
func TestPrecedence(t *testing.T) {
	near := "default_profile: a\nprofiles:\n  a: {base_url: https://near-a}\n  b: {base_url: https://near-b}\n"
	home := "default_profile: b\nprofiles:\n  a: {base_url: https://home-a, keys: [{kind: calendar, calendar: c, from: \"env:K\"}]}\n  " +
		"c: {base_url: https://home-c}\n"
	files := map[string]string{
		"eventbatch.yaml": near, "home/.config/eventbatch/config.yaml": home,
		"home/xdg/eventbatch/config.yaml": "profiles: {x: {base_url: https://xdg-x}}",
		"my.yaml":                         "profiles: {m: {base_url: https://my-m}}",
	}
	for name, c := range map[string]struct {
		flags     Flags
		variables map[string]string
		want      string
	}{
		"nearest default":       {Flags{}, nil, "https://near-a"},
		"variable names it":     {Flags{}, map[string]string{"EVENTBATCH_PROFILE": "b"}, "https://near-b"},
		"flag before variable":  {Flags{Profile: "c"}, map[string]string{"EVENTBATCH_PROFILE": "b"}, "https://home-c"},
		"other config home":     {Flags{Profile: "x"}, map[string]string{"XDG_CONFIG_HOME": "ROOT/home/xdg"}, "https://xdg-x"},
		"relative home ignored": {Flags{Profile: "c"}, map[string]string{"XDG_CONFIG_HOME": "xdg"}, "https://home-c"},
		"config replaces both":  {Flags{Config: "my.yaml"}, nil, "https://my-m"},
		"config of a variable":  {Flags{}, map[string]string{"EVENTBATCH_CONFIG": "my.yaml"}, "https://my-m"},
		"address of a variable": {Flags{}, map[string]string{"EVENTBATCH_BASE_URL": "https://env"}, "https://env"},
		"address of a flag": {
			Flags{BaseURL: "https://flag"}, map[string]string{"EVENTBATCH_BASE_URL": "https://env"}, "https://flag",
		},
		"empty variable is unset": {Flags{}, map[string]string{"EVENTBATCH_PROFILE": "", "EVENTBATCH_BASE_URL": ""}, "https://near-a"},
	} {
		got, err := Load(c.flags, world(t, files, c.variables))
		if err != nil || got.BaseURL != c.want {
			t.Errorf("%s: %v, want %s: %v", name, got, c.want, err)
		}
		// A key never follows an address that another file gives.
		if err == nil && strings.HasPrefix(got.BaseURL, "https://near") && len(got.Keys) > 0 {
			t.Errorf("%s: the keys of one file go to the address of another", name)
		}
	}
}

func TestKeysOfFlagsAndEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		flags     Flags
		variables map[string]string
		want      Key
		fault     string
	}{
		"file flag": {
			Flags{KeyFile: "k", Calendar: "cal-9"},
			map[string]string{"EVENTBATCH_API_KEY": canary},
			Key{Kind: secret.Calendar, Calendar: "cal-9", From: secret.Ref{Scheme: "file", Value: "k"}, Place: "--key-file"},
			"",
		},
		"command flag": {
			Flags{KeyCommand: "pass show x", KeyKind: "oauth"},
			map[string]string{"EVENTBATCH_KEY_FILE": "f"},
			Key{Kind: secret.OAuth, From: secret.Ref{Scheme: "cmd", Value: "pass show x"}, Place: "--key-command"},
			"",
		},
		"variable": {
			Flags{},
			map[string]string{"EVENTBATCH_API_KEY": canary, "EVENTBATCH_KEY_KIND": "organization", "EVENTBATCH_CALENDAR": "cal-8"},
			Key{Kind: secret.Organization, From: secret.Ref{Scheme: "env", Value: "EVENTBATCH_API_KEY"}, Place: "EVENTBATCH_API_KEY"},
			"",
		},
		"file of a variable": {
			Flags{},
			map[string]string{"EVENTBATCH_KEY_FILE": "f"},
			Key{Kind: secret.Calendar, From: secret.Ref{Scheme: "file", Value: "f"}, Place: "EVENTBATCH_KEY_FILE"},
			"",
		},
		"profile's own": {
			Flags{},
			nil,
			Key{Kind: secret.Calendar, Calendar: "cal-1", From: secret.Ref{Scheme: "env", Value: "MAIN_KEY"}, Place: "eventbatch.yaml:12"},
			"",
		},
		"two flags": {Flags{KeyFile: "k", KeyCommand: "c"}, nil, Key{}, "give one of --key-file and --key-command"},
		"two variables": {
			Flags{},
			map[string]string{"EVENTBATCH_KEY_FILE": "f", "EVENTBATCH_API_KEY": canary},
			Key{},
			"give one of EVENTBATCH_KEY_FILE and EVENTBATCH_API_KEY",
		},
		"unknown kind":          {Flags{KeyFile: "k", KeyKind: "org"}, nil, Key{}, "--key-kind"},
		"kind of nothing":       {Flags{KeyKind: "oauth"}, nil, Key{}, "none is given"},
		"command for a shell":   {Flags{KeyCommand: "cat k | head"}, nil, Key{}, "--key-command"},
		"address with password": {Flags{BaseURL: "https://u:" + canary + "@x"}, nil, Key{}, "--base-url"},
		"calendar with a break": {Flags{Calendar: "a\nb"}, nil, Key{}, "--calendar"},
	} {
		got, err := Load(c.flags, world(t, map[string]string{"eventbatch.yaml": whole}, c.variables))
		if c.fault != "" {
			if !errors.Is(err, failure.Usage) || !strings.Contains(err.Error(), c.fault) ||
				strings.Contains(err.Error(), canary) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, got.Keys[0], cmpopts.IgnoreUnexported(Key{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestProblemsOfFiles(t *testing.T) {
	key := func(rest string) string {
		return "profiles:\n  a:\n    keys:\n      - {kind: calendar, calendar: c, from: \"env:A\"}\n      - " + rest + "\n"
	}
	for name, c := range map[string]struct {
		file string
		want []string
	}{
		"unknown key": {
			"profiles:\n  a:\n    base_ur: https://x\n", []string{"eventbatch.yaml:3: profiles.a.base_ur", "did you mean base_url?"},
		},
		"no YAML": {"profiles: [\n", []string{"eventbatch.yaml:"}},
		"plain http": {
			"profiles:\n  a:\n    base_url: http://x.test\n", []string{"eventbatch.yaml:3: profiles.a.base_url", "use https"},
		},
		"password in address": {
			"profiles: {a: {base_url: \"https://u:" + canary + "@x.test\"}}\n", []string{"eventbatch.yaml:1", "password"},
		},
		"site without scheme": {"profiles: {a: {site_url: example.com}}\n", []string{"site_url", "https://"}},
		"pictures with query": {"profiles: {a: {image_cdn_base: \"https://x.test/?a\"}}\n", []string{"image_cdn_base", "query"}},
		"window without unit": {
			"profiles:\n  a:\n    limits:\n      window: 60\n", []string{"eventbatch.yaml:4: profiles.a.limits.window", "60s"},
		},
		"no window": {"profiles: {a: {limits: {window: 0s}}}\n", []string{"limits.window"}},
		"limit of nothing": {
			"profiles:\n  a:\n    limits:\n      window: 5s\n      calendar: 0\n",
			[]string{"eventbatch.yaml:5: profiles.a.limits.calendar", "from 1"},
		},
		"limit in words":        {"profiles: {a: {limits: {organization: many}}}\n", []string{"limits.organization"}},
		"nest in words":         {"profiles: {a: {limits: {nest: maybe}}}\n", []string{"limits.nest"}},
		"header that repeats":   {"profiles: {a: {headers: {api_key: Idempotency-Key}}}\n", []string{"headers.api_key"}},
		"header with a colon":   {"profiles: {a: {headers: {calendar: \"a:b\"}}}\n", []string{"headers.calendar"}},
		"platform with a blank": {"profiles: {a: {native_platform: a b}}\n", []string{"native_platform"}},
		"unknown kind":          {key("{kind: user, from: \"env:B\"}"), []string{"eventbatch.yaml:5: profiles.a.keys[1].kind", "user"}},
		"no kind":               {key("{calendar: d, from: \"env:B\"}"), []string{"eventbatch.yaml:5: profiles.a.keys[1].kind"}},
		"no source": {
			key("{kind: calendar, calendar: d}"), []string{"eventbatch.yaml:5: profiles.a.keys[1].from", "env:NAME"},
		},
		"key in the file": {
			key("{kind: calendar, calendar: d, from: " + canary + "}"),
			[]string{"eventbatch.yaml:5: profiles.a.keys[1].from", "env:NAME"},
		},
		"no calendar":     {key("{kind: oauth, from: \"env:B\"}"), []string{"eventbatch.yaml:5: profiles.a.keys[1].calendar"}},
		"no organization": {key("{kind: organization, from: \"env:B\"}"), []string{"keys[1].organization"}},
		"calendar's organizaton": {
			key("{kind: calendar, calendar: d, organization: o, from: \"env:B\"}"), []string{"keys[1].organization"},
		},
		"twice": {
			key("{kind: calendar, calendar: c, from: \"env:B\"}"),
			[]string{"eventbatch.yaml:5: profiles.a.keys[1]", "first on line 4"},
		},
		"profile twice":   {"profiles:\n  a: {}\n  a: {}\n", []string{"eventbatch.yaml:3", "twice"}},
		"blank name":      {"profiles: {\"a b\": {}}\n", []string{"name has no blanks"}},
		"unknown default": {"default_profile: b\nprofiles: {a: {}}\n", []string{"no profile \"b\""}},
		"which of two":    {"profiles: {a: {}, b: {}}\n", []string{"2 profiles are known"}},
		"all at once":     {"profiles:\n  a:\n    base_url: x\n    limits: {calendar: x}\n    what: 1\n", []string{":3: ", ":4: ", ":5: "}},
		"problems of all": {
			"default_profile: a\nprofiles:\n  a: {}\n  b:\n    keys: [{kind: oauth, from: \"env:B\"}]\n",
			[]string{"profiles.b.keys[0].calendar"},
		},
	} {
		_, err := Load(Flags{}, world(t, map[string]string{"eventbatch.yaml": c.file}, nil))
		if !errors.Is(err, failure.Config) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
		if strings.Contains(err.Error(), canary) {
			t.Errorf("%s: the error holds the key: %v", name, err)
		}
	}
}

func TestKeysOfSeveralKindsForOneCalendar(t *testing.T) {
	file := "profiles: {a: {keys: [" +
		`{kind: calendar, calendar: c, from: "env:A"}, {kind: oauth, calendar: c, from: "env:B"}, {kind: organization, organization: ` +
		`o, calendar: c, from: "env:C"}, ` +
		`{kind: organization, organization: o, from: "env:D"}, {kind: organization, organization: p, from: "env:E"}]}}`
	if _, err := Load(Flags{}, world(t, map[string]string{"eventbatch.yaml": file}, nil)); err != nil {
		t.Error(err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	env := world(t, map[string]string{"eventbatch.yaml": "", "dir/x": "", "huge.yaml": strings.Repeat("#", regular.MiB+1)}, nil)
	for _, config := range []string{"none.yaml", "dir", "huge.yaml"} {
		if _, err := Load(Flags{Config: config}, env); err == nil || !strings.Contains(err.Error(), config) {
			t.Errorf("%s: %v", config, err)
		}
	}
	if _, err := Load(Flags{Profile: "x"}, env); err == nil || !strings.Contains(err.Error(), `no profile "x"`) {
		t.Errorf("no profile at all: %v", err)
	}
}

func FuzzFile(f *testing.F) {
	for _, seed := range []string{
		whole, "profiles: {a: {}}", "profiles:\n  a:\n", "profiles: {a: {keys: [null, {}]}}", "default_profile: x",
		"profiles: {a: {limits: {window: 1ns}}}", "profiles: {a: &x {keys: []}, b: *x}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(data, "/dir/f.yaml", "f.yaml")
		if err != nil {
			return
		}
		for _, item := range file.Profiles {
			p := item.Value.profile(item.Key, file)
			if p.Limits.Calendar < 1 || p.Limits.Organization < 1 || p.Limits.Window <= 0 || p.Headers.APIKey == "" ||
				p.NativePlatform == "" {
				t.Errorf("%+v", p)
			}
			if _, err := secret.ParseBase(p.BaseURL); p.BaseURL != "" && err != nil {
				t.Error(err)
			}
			targets := newTargets(p.Keys, "", Env{})
			for _, k := range p.Keys {
				if k.From.IsZero() || k.Place == "" {
					t.Errorf("%+v", k)
				}
				target, err := targets.For(k.Calendar)
				if k.Calendar != "" && (err != nil || target.Calendar != k.Calendar) {
					t.Errorf("%+v: %+v, %v", k, target, err)
				}
			}
		}
	})
}
