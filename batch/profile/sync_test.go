package profile

import (
	"errors"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/feed"
	"eventbatch/batch/notify"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/yamldoc"
)

const nights = `profiles:
  main: {base_url: https://events.example}
syncs:
  members:
    file: https://feeds.example.com/members.csv?key=opensesame
    headers: {Authorization: "env:FEED_AUTH"}
    timeout: 5m
    max_mb: 20
    format: csv
    encoding: windows-1252
    mapping: members.map.yaml
    resource: events
    timezone: Europe/Paris
    calendar: cal-1
    set: {visibility: private, max_capacity: 40, feedback_email.enabled: true}
    skip_invalid: true
    profile: main
    compare: live
    missing: cancel
    first: fail
    on_conflict: theirs
    owns: [start_at, coordinate]
    guards: {min_rows: 80%, max_update: 12.5%, max_cancel: 5, max_create: 0, max_mail: 0}
    allow: [cancel]
    max_duration: 2h30m
    every: 1d
    notify:
      on: [failed, refused, changed]
      to: [{webhook: "env:HOOK_URL"}, {mail: "ops@example.org"}]
      again_after: 2d
      text: "{{.Sync}}: {{.State}}"
    heartbeat: env:PING_URL
    metrics: out/eventbatch.prom
    private: [Email]
    keep_runs: 90d
    keep_bodies: 14d
  said-elsewhere: {file: "env:FEED_URL", mapping: meetup}
  by-command:
    file: {command: "pg_dump | cut -f1"}
  piped: {file: "-"}
  local: {file: in/members.csv}
mail: {host: "smtp.example.org:587", from: "eventbatch@example.org", user: "env:SMTP_USER", password: "env:SMTP_PASSWORD"}
`

func TestSyncsOfTheConfiguration(t *testing.T) {
	env := world(t, map[string]string{"eventbatch.yaml": nights}, nil)
	dir := env.Dir
	syncs, err := Syncs(Flags{}, env)
	if err != nil {
		t.Fatal(err)
	}
	if len(syncs) != 5 {
		t.Fatalf("%d syncs", len(syncs))
	}
	s := syncs[0]
	if got := s.Feed.Address.URL().String(); got != "https://feeds.example.com/members.csv?key=opensesame" {
		t.Errorf("the address is %s", got)
	}
	if s.Notify.Text == nil {
		t.Error("the text is lost")
	}
	s.Feed.Address, s.Notify.Text = secret.Address{}, nil
	want := Sync{
		Name: "members", Place: "eventbatch.yaml:4", Profile: "main",
		Feed: feed.Source{
			Headers: []feed.Header{{Name: "Authorization", From: secret.Ref{Scheme: "env", Value: "FEED_AUTH"}}},
			Timeout: 5 * time.Minute, Bytes: 20 << 20,
		},
		Reading: SyncReading{
			Format: "csv", Encoding: "windows-1252",
			Mapping: dir + "/members.map.yaml", Resource: "events", Timezone: "Europe/Paris", SkipInvalid: true, Calendar: "cal-1",
			Set: []SyncValue{{"visibility", "private"}, {"max_capacity", "40"}, {"feedback_email.enabled", "true"}},
		},
		Merge: SyncMerge{
			Compare: "live", Missing: "cancel", First: "fail", OnConflict: "theirs", Owns: []string{"start_at", "coordinate"},
		},
		Guards:   SyncGuards{MinRows: "80%", MaxUpdate: "12.5%", MaxCancel: "5", MaxCreate: "0", MaxMail: "0"},
		Allow:    []schema.Effect{schema.Cancels},
		Duration: 150 * time.Minute,
		Every:    24 * time.Hour,
		Keep:     SyncKeep{90 * 24 * time.Hour, 14 * 24 * time.Hour},
		Notify: notify.Settings{
			On: []notify.State{notify.Failed, notify.Refused, notify.Changed},
			To: []notify.Target{{Webhook: secret.Ref{Scheme: "env", Value: "HOOK_URL"}}, {Mail: "ops@example.org"}}, Again: 48 * time.Hour,
			Private: []string{"Email"}, Heartbeat: secret.Ref{Scheme: "env", Value: "PING_URL"}, Metrics: dir + "/out/eventbatch.prom",
		},
		Mail: notify.Mail{
			Host: "smtp.example.org:587", From: "eventbatch@example.org",
			User: secret.Ref{Scheme: "env", Value: "SMTP_USER"}, Password: secret.Ref{Scheme: "env", Value: "SMTP_PASSWORD"},
		},
		Secrets: secret.Sources{Dir: dir},
	}
	ignored := cmp.FilterPath(func(p cmp.Path) bool {
		return slices.Contains([]string{".doubt", ".Address", ".Lookup"}, p.Last().String())
	}, cmp.Ignore())
	if diff := cmp.Diff(want, s, ignored, cmp.AllowUnexported(Sync{})); diff != "" {
		t.Error(diff)
	}
	feeds := map[string]feed.Source{}
	for _, s := range syncs[1:] {
		feeds[s.Name] = s.Feed
	}
	others := map[string]feed.Source{
		"said-elsewhere": {From: secret.Ref{Scheme: "env", Value: "FEED_URL"}}, "by-command": {Command: "pg_dump | cut -f1"},
		"piped": {Path: "-"}, "local": {Path: dir + "/in/members.csv"},
	}
	if diff := cmp.Diff(others, feeds, ignored); diff != "" {
		t.Error(diff)
	}
	if syncs[1].Reading.Mapping != "meetup" {
		t.Errorf("a preset became %q", syncs[1].Reading.Mapping)
	}
	empty := syncs[4]
	if diff := cmp.Diff(SyncGuards{}, empty.Guards); diff != "" || empty.Duration != 0 || empty.Merge.Compare != "" {
		t.Errorf("what nobody said is there: %+v", empty)
	}
}

func TestNearestSyncHolds(t *testing.T) {
	env := world(t, map[string]string{
		"eventbatch.yaml": "syncs:\n  a: {file: near.csv, notify: {to: [{webhook: env:X}]}}\n",
		"home/.config/eventbatch/config.yaml": "syncs:\n  a: {file: far.csv}\n  b: {file: far.csv}\n" +
			"mail: {host: \"smtp.example.org:587\", from: a@example.org}\n",
	}, nil)
	syncs, err := Syncs(Flags{}, env)
	if err != nil || len(syncs) != 2 {
		t.Fatalf("%+v, %v", syncs, err)
	}
	if syncs[0].Feed.Path != env.Dir+"/near.csv" || syncs[0].Mail.Host != "" {
		t.Errorf("%+v", syncs[0])
	}
	if syncs[1].Name != "b" || !strings.HasSuffix(syncs[1].Feed.Path, "home/.config/eventbatch/far.csv") || syncs[1].Mail.Host == "" {
		t.Errorf("%+v", syncs[1])
	}
}

func TestMistakesOfSyncsAreNamedByTheirLines(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{
			"an unknown key", "syncs:\n  a:\n    file: x.csv\n    mising: keep",
			"c.yaml:4: syncs.a.mising: unknown key (did you mean missing?)",
		},
		{
			"a key of a guard", "syncs:\n  a: {file: x.csv, guards: {max_updates: 3}}",
			"c.yaml:2: syncs.a.guards.max_updates: unknown key (did you mean max_update?)",
		},
		{"no file", "syncs:\n  a: {mapping: x.map.yaml}", "syncs.a.file: nothing says where the rows come from"},
		{"nothing at all", "syncs:\n  a:", "c.yaml:2: syncs.a.file: nothing says where the rows come from"},
		{"a name", "syncs:\n  \"a/b\": {file: x.csv}", "c.yaml:2: syncs.a/b: a sync's name is letters, digits, - and _"},
		{
			"a word", "syncs:\n  a: {file: x.csv, compare: lives}",
			`c.yaml:2: syncs.a.compare: "lives" is not among the words; did you mean live?`,
		},
		{"another word", "syncs:\n  a: {file: x.csv, missing: 7}", `"7" is not among the words; write report, keep or cancel`},
		{"a side", "syncs:\n  a: {file: x.csv, first: ours}", `write mine, theirs or fail`},
		{
			"a guard", "syncs:\n  a: {file: x.csv, guards: {min_rows: half}}",
			"c.yaml:2: syncs.a.guards.min_rows: it is neither a number nor a share such as 30%",
		},
		{"people", "syncs:\n  a: {file: x.csv, guards: {max_mail: 5%}}", "it is no number of people"},
		{
			"a time", "syncs:\n  a: {file: x.csv, keep_runs: 90}",
			"c.yaml:2: syncs.a.keep_runs: it is no length of time such as 90d, 12h or 30m",
		},
		{
			"a short period", "syncs:\n  a: {file: x.csv, every: 9s}",
			"c.yaml:2: syncs.a.every: it is no length of time from 10s to 31d, such as 15m, 6h or 1d",
		},
		{"a long period", "syncs:\n  a: {file: x.csv, every: 31d1s}", "it is no length of time from 10s to 31d"},
		{"a time of day", "syncs:\n  a: {file: x.csv, every: \"03:30\"}", "it is no length of time from 10s to 31d"},
		{
			"what comes once", "syncs:\n  a: {file: \"-\", every: 1h}",
			"c.yaml:2: syncs.a.every: standard input comes once, and to no worker (name a file, an address or a command)",
		},
		{"an effect", "syncs:\n  a: {file: x.csv, allow: [cancels]}", "it is not an effect"},
		{
			"a field", "syncs:\n  a: {file: x.csv, owns: [start]}",
			`c.yaml:2: syncs.a.owns: there is no field "start" of an event (eventbatch fields events`,
		},
		{"a zone", "syncs:\n  a: {file: x.csv, timezone: Paris}", "syncs.a.timezone"},
		{
			"plain http", "syncs:\n  a: {file: http://feeds.example/opensesame}",
			"c.yaml:2: syncs.a.file: reading the address: plain http is for loopback",
		},
		{
			"a password", "syncs:\n  a: {file: https://me:opensesame@feeds.example/}",
			"a user or password does not belong in a URL",
		},
		{
			"a header's value", "syncs:\n  a: {file: https://a.example, headers: {X-Key: opensesame}}",
			"it is not a reference to where it is kept",
		},
		{
			"a header's name", "syncs:\n  a: {file: https://a.example, headers: {Host: env:A}}",
			"syncs.a.headers.Host: the name belongs to HTTP itself",
		},
		{"headers of a file", "syncs:\n  a: {file: x.csv, headers: {X-Key: env:A}}", "only an address is sent headers"},
		{
			"a webhook", "syncs:\n  a: {file: x.csv, notify: {to: [{webhook: https://hooks.example/opensesame}]}}",
			"it is not a reference to where it is kept",
		},
		{
			"nobody", "syncs:\n  a: {file: x.csv, notify: {to: [{}]}}",
			"c.yaml:2: syncs.a.notify.to[0]: it is neither a webhook nor a mail address",
		},
		{"mail without a way", "syncs:\n  a: {file: x.csv, notify: {to: [{mail: a@b.example}]}}", "nothing says how mail leaves"},
		{
			"no mail address", "syncs:\n  a: {file: x.csv, notify: {to: [{mail: ops}]}}",
			"it is no mail address such as ops@example.org",
		},
		{
			"two addresses", "syncs:\n  a: {file: x.csv, notify: {to: [{mail: \"a@b.example\\r\\nBcc: c@d.example\"}]}}",
			"it is no mail address",
		},
		{
			"a state", "syncs:\n  a: {file: x.csv, notify: {on: [fail]}}",
			`"fail" is not among the words; write failed, refused, changed or recovered`,
		},
		{
			"a value of no field", "syncs:\n  a:\n    file: x.csv\n    set: {visibilty: public}",
			`c.yaml:4: syncs.a.set.visibilty: there is no field "visibilty" of an event (did you mean visibility?)`,
		},
		{"a key that there is not", "syncs:\n  a: {file: x.csv, calender: c}", "syncs.a.calender: unknown key (did you mean calendar?)"},
		{"a text", "syncs:\n  a: {file: x.csv, notify: {text: \"{{.Nmae}}\"}}", "can't evaluate field Nmae"},
		{
			"one file of metrics", "syncs:\n  a: {file: x.csv, metrics: m.prom}\n  b: {file: y.csv, metrics: m.prom}",
			"c.yaml:3: syncs.b.metrics: sync a writes this file too",
		},
		{
			"a server", "mail: {host: smtp.example.org, from: a@b.example}",
			"c.yaml:1: mail.host: a mail server is written with its port",
		},
		{"no sender", "mail: {host: \"smtp.example.org:587\"}", "c.yaml:1: mail.from: the sender is missing"},
		{
			"half a login", "mail: {host: \"smtp.example.org:587\", from: a@b.example, user: env:A}",
			"a user and a password belong together",
		},
		{
			"a password here", "mail: {host: \"smtp.example.org:587\", from: a@b.example, user: env:A, password: opensesame}",
			"it is not a reference",
		},
	} {
		_, err := parse([]byte(c.doc), "/x/c.yaml", "c.yaml")
		_, told := errors.AsType[*yamldoc.Error](err)
		if !told || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "opensesame") {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestCommandOfAStrangerIsNotRun(t *testing.T) {
	const hook = "notify: {to: [{webhook: \"cmd:pass show hook\"}]}"
	for text, runs := range map[string]bool{
		"{file: x.csv}": false, "{file: {command: id}}": true, "{file: \"cmd:pass show feed\"}": true, "{file: x.csv, " + hook + "}": true,
		"{file: https://a.example, headers: {X-Key: \"cmd:pass show key\"}}": true, "{file: x.csv, heartbeat: \"cmd:pass\"}": true,
	} {
		f, err := parse([]byte("syncs:\n  a: "+text+"\n"), "/x/c.yaml", "c.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, doubt := range []error{nil, errors.New("others may write the file")} {
			f.doubt = doubt
			s := f.Syncs[0].Value.sync("a", f.Syncs[0].Pos, f, Env{})
			err := s.Ready()
			if refused := errors.Is(err, failure.Config); refused != (runs && doubt != nil) {
				t.Errorf("%s, %v: %v", text, doubt, err)
			}
			if err != nil && !strings.Contains(err.Error(), "c.yaml:2: the command of sync a is not run: others may write the file") {
				t.Error(err)
			}
		}
	}
}

// A worker goes through the syncs of which it has the keys and the secrets, and whose runs lie in its own store.
func TestWhatAMachineLacksForASync(t *testing.T) {
	const config = `default_profile: main
profiles:
  main: {base_url: https://a.example, keys: [{kind: calendar, calendar: cal-1, from: env:KEY}], store: {from: env:STORE}}
  other: {base_url: https://a.example, keys: [{kind: calendar, calendar: cal-2, from: env:OTHER}], store: {from: env:ELSEWHERE}}
  unsaid: {base_url: https://a.example}
syncs:
  members: {file: "env:FEED", heartbeat: "env:PING"}
  guests: {file: x.csv, profile: other}
  printed: {file: x.csv, heartbeat: "cmd:pass show ping"}
  nameless: {file: x.csv, profile: unsaid}
`
	all := map[string]string{
		"KEY": "a-key", "OTHER": "another-key", "FEED": "https://feeds.example.com/a.csv", "PING": "https://ping.example.com/a",
		"STORE": "postgres://a", "ELSEWHERE": "postgres://b",
	}
	for _, c := range []struct {
		name, sync, without string
		unnamed             bool // the store is none of the profile
		want                string
		kind                error
	}{
		{name: "nothing", sync: "members"},
		{name: "its key", sync: "members", without: "KEY", want: "KEY", kind: failure.NoKey},
		{name: "the address of its feed", sync: "members", without: "FEED", want: "FEED", kind: failure.NoKey},
		{name: "whom it tells", sync: "members", without: "PING", want: "PING", kind: failure.NoKey},
		{name: "a secret of another", sync: "printed", without: "PING"},
		{name: "its store", sync: "guests", want: "its runs lie elsewhere", kind: failure.Config},
		{name: "nothing where a flag names the store", sync: "guests", unnamed: true},
		{name: "the key of its own profile", sync: "guests", unnamed: true, without: "OTHER", want: "OTHER", kind: failure.NoKey},
		{name: "any key", sync: "nameless", unnamed: true, want: "no key is given", kind: failure.Config},
	} {
		variables := maps.Clone(all)
		delete(variables, c.without)
		env := world(t, map[string]string{"eventbatch.yaml": config}, variables)
		syncs, err := Syncs(Flags{}, env)
		if err != nil {
			t.Fatal(err)
		}
		store := secret.Secret{}
		if !c.unnamed {
			if store, err = Store(t.Context(), Flags{}, env); err != nil {
				t.Fatal(err)
			}
		}
		err = SyncNamed(syncs, c.sync).Lacks(t.Context(), Flags{}, env, store)
		if c.kind == nil && err != nil || c.kind != nil && (!errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("it lacks %s: %v", c.name, err)
		}
	}
	if SyncNamed(nil, "members") != nil {
		t.Error("a sync is there that nobody describes")
	}
}

func FuzzSyncs(f *testing.F) {
	f.Add([]byte(nights))
	f.Add([]byte("syncs:\n  a: {file: [x]}\n  b:\nmail:\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		parsed, err := parse(doc, "/x/c.yaml", "c.yaml")
		if err != nil {
			return
		}
		for i := range parsed.Syncs {
			item := &parsed.Syncs[i]
			s := item.Value.sync(item.Key, item.Pos, parsed, Env{})
			if s.Name == "" || s.Feed.Path == "" && s.Feed.Command == "" && s.Feed.Address.IsZero() && s.Feed.From.IsZero() {
				t.Errorf("%q: %+v", doc, s)
			}
		}
	})
}

// The configuration of the topic nights can be read, and has every key that a sync can have.
func TestTheTopicHasEveryKeyOfASync(t *testing.T) {
	topic, err := os.ReadFile("../../templates/topics/nights.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(topic), "```yaml\nsyncs:\n")
	text, _, _ = strings.Cut(text, "```")
	text = "syncs:\n" + text
	syncs, err := Syncs(Flags{}, world(t, map[string]string{"eventbatch.yaml": text}, nil))
	if err != nil || len(syncs) != 1 {
		t.Fatal(len(syncs), err)
	}
	for _, written := range []any{nightly{}, guards{}, notices{}, target{}, post{}, origin{}} {
		for field := range reflect.TypeOf(written).Fields() {
			if key := field.Tag.Get("yaml"); key != "" && !strings.Contains(text, key+":") {
				t.Errorf("%T: %s is not in the topic", written, key)
			}
		}
	}
}
