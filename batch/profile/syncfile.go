package profile

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/feed"
	"eventbatch/batch/notify"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/yamldoc"
)

// nightly is a sync as it is written.
type nightly struct {
	yamldoc.Pos
	File        origin                  `yaml:"file"`
	Headers     yamldoc.Map[secret.Ref] `yaml:"headers"`
	Timeout     lasting                 `yaml:"timeout"`
	MaxMB       count                   `yaml:"max_mb"`
	Format      format                  `yaml:"format"`
	Encoding    encoding                `yaml:"encoding"`
	Mapping     string                  `yaml:"mapping"`
	Resource    resource                `yaml:"resource"`
	Timezone    zone                    `yaml:"timezone"`
	Calendar    id                      `yaml:"calendar"`
	Set         yamldoc.Map[constant]   `yaml:"set"`
	SkipInvalid bool                    `yaml:"skip_invalid"`
	Profile     id                      `yaml:"profile"`
	Compare     compare                 `yaml:"compare"`
	Missing     missing                 `yaml:"missing"`
	First       side                    `yaml:"first"`
	OnConflict  side                    `yaml:"on_conflict"`
	Owns        []string                `yaml:"owns"`
	Guards      guards                  `yaml:"guards"`
	Allow       []leave                 `yaml:"allow"`
	MaxDuration lasting                 `yaml:"max_duration"`
	Every       period                  `yaml:"every"`
	Notify      *notices                `yaml:"notify"`
	Heartbeat   secret.Ref              `yaml:"heartbeat"`
	Metrics     string                  `yaml:"metrics"`
	Private     []string                `yaml:"private"`
	KeepRuns    lasting                 `yaml:"keep_runs"`
	KeepBodies  lasting                 `yaml:"keep_bodies"`
}

// guards are the bounds of a night as they are written.
type guards struct {
	MaxCreate bound  `yaml:"max_create"`
	MaxUpdate bound  `yaml:"max_update"`
	MaxCancel bound  `yaml:"max_cancel"`
	MinRows   bound  `yaml:"min_rows"`
	MaxMail   people `yaml:"max_mail"`
}

// notices are who is told, and of what.
type notices struct {
	On         []state      `yaml:"on"`
	To         []target     `yaml:"to"`
	AgainAfter lasting      `yaml:"again_after"`
	Text       *notify.Text `yaml:"text"`
}

// target is one whom to tell.
type target struct {
	yamldoc.Pos
	Webhook secret.Ref `yaml:"webhook"`
	Mail    mailbox    `yaml:"mail"`
}

// post is how mail leaves, as it is written.
type post struct {
	yamldoc.Pos
	Host     server     `yaml:"host"`
	From     mailbox    `yaml:"from"`
	User     secret.Ref `yaml:"user"`
	Password secret.Ref `yaml:"password"`
}

// sync lays what is written over the defaults.
func (n *nightly) sync(name string, at yamldoc.Pos, f *file, env Env) Sync {
	dir := filepath.Dir(f.path)
	s := Sync{
		Name: name, Place: f.name + ":" + strconv.Itoa(at.Line), Profile: string(n.Profile), doubt: f.doubt,
		Feed: feed.Source{
			Address: n.File.address, From: n.File.from, Command: n.File.Command,
			Timeout: time.Duration(n.Timeout), Bytes: int64(n.MaxMB) << 20,
		},
		Reading: SyncReading{
			Format: string(n.Format), Encoding: string(n.Encoding),
			Mapping: n.Mapping, Resource: string(n.Resource), Timezone: string(n.Timezone),
			Calendar: string(n.Calendar), SkipInvalid: n.SkipInvalid,
		},
		Merge: SyncMerge{
			Compare: string(n.Compare), Missing: string(n.Missing), First: string(n.First), OnConflict: string(n.OnConflict), Owns: n.Owns,
		},
		Guards: SyncGuards{
			MaxCreate: string(n.Guards.MaxCreate), MaxUpdate: string(n.Guards.MaxUpdate), MaxCancel: string(n.Guards.MaxCancel),
			MinRows: string(n.Guards.MinRows), MaxMail: string(n.Guards.MaxMail),
		},
		Duration: time.Duration(n.MaxDuration),
		Every:    time.Duration(n.Every),
		Keep:     SyncKeep{time.Duration(n.KeepRuns), time.Duration(n.KeepBodies)},
		Notify:   notify.Settings{Private: n.Private, Heartbeat: n.Heartbeat, Metrics: beside(dir, n.Metrics)},
		Secrets:  secret.Sources{Lookup: env.Lookup, Environ: env.Environ, Dir: dir},
	}
	if s.Feed.Path = n.File.path; s.Feed.Path != "-" {
		s.Feed.Path = beside(dir, s.Feed.Path)
	}
	if strings.ContainsAny(n.Mapping, `/\.`) { // else it is the name of a preset
		s.Reading.Mapping = beside(dir, n.Mapping)
	}
	for _, set := range n.Set {
		s.Reading.Set = append(s.Reading.Set, SyncValue{set.Key, string(set.Value)})
	}
	for _, h := range n.Headers {
		s.Feed.Headers = append(s.Feed.Headers, feed.Header{Name: h.Key, From: h.Value})
	}
	for _, effect := range n.Allow {
		s.Allow = append(s.Allow, schema.Effect(effect))
	}
	if n.Notify != nil {
		s.Notify.Again, s.Notify.Text = time.Duration(n.Notify.AgainAfter), n.Notify.Text
		for _, on := range n.Notify.On {
			s.Notify.On = append(s.Notify.On, notify.State(on))
		}
		for _, to := range n.Notify.To {
			s.Notify.To = append(s.Notify.To, notify.Target{Webhook: to.Webhook, Mail: string(to.Mail)})
		}
	}
	if f.Mail != nil {
		s.Mail = notify.Mail{Host: string(f.Mail.Host), From: string(f.Mail.From), User: f.Mail.User, Password: f.Mail.Password}
	}
	return s
}

// checkSyncs finds what is wrong with the syncs across values.
func (f *file) checkSyncs(fail func(pos yamldoc.Pos, path, message, hint string)) {
	if f.Mail != nil {
		f.Mail.check(fail)
	}
	metrics := map[string]string{}
	for i := range f.Syncs {
		item := &f.Syncs[i]
		path := "syncs." + item.Key
		if !syncName(item.Key) {
			fail(item.Pos, path, "a sync's name is letters, digits, - and _", "")
		}
		if item.Value == nil {
			item.Value = &nightly{}
		}
		n := item.Value
		if n.Line == 0 {
			n.Pos = item.Pos
		}
		n.checkSource(path, fail)
		n.checkFields(n.Owns, func(_ int, message, hint string) { fail(n.Pos, path+".owns", message, hint) })
		set := make([]string, len(n.Set))
		for i := range n.Set {
			set[i] = n.Set[i].Key
		}
		n.checkFields(set, func(i int, message, hint string) { fail(n.Set[i].Pos, path+".set."+set[i], message, hint) })
		if other := metrics[n.Metrics]; n.Metrics != "" && other != "" {
			fail(n.Pos, path+".metrics", "sync "+other+" writes this file too, and each would take the other's place", "give each its own")
		}
		metrics[n.Metrics] = item.Key
		if n.Notify != nil {
			f.checkTargets(n.Notify.To, path+".notify.to", fail)
		}
	}
}

// check finds what is wrong with how mail leaves.
func (m *post) check(fail func(pos yamldoc.Pos, path, message, hint string)) {
	switch {
	case m.Host == "":
		fail(m.Pos, "mail.host", "the mail server is missing", "host: smtp.example.org:587")
	case m.From == "":
		fail(m.Pos, "mail.from", "the sender is missing", "from: eventbatch@example.org")
	case m.User.IsZero() != m.Password.IsZero():
		fail(m.Pos, "mail", "a user and a password belong together", "")
	}
}

// checkSource finds what is wrong with where the rows come from.
func (n *nightly) checkSource(path string, fail func(pos yamldoc.Pos, path, message, hint string)) {
	switch n.File.given() {
	case 0:
		fail(
			n.Pos, path+".file", "nothing says where the rows come from",
			`file: a path, an https:// address, env:NAME that holds one, - or {command: "…"}`,
		)
	case 1:
		if len(n.Headers) > 0 && n.File.address.IsZero() && n.File.from.IsZero() {
			fail(n.Pos, path+".headers", "only an address is sent headers", "")
		}
	}
	for _, h := range n.Headers {
		if err := secret.CheckHeader(h.Key); err != nil {
			fail(h.Pos, path+".headers."+h.Key, err.Error(), "")
		} else if h.Value.IsZero() {
			fail(h.Pos, path+".headers."+h.Key, "nothing says where the value is to be had", "env:NAME, file:PATH or cmd:PROGRAM")
		}
	}
	if n.Every > 0 && n.File.path == "-" {
		fail(n.Pos, path+".every", "standard input comes once, and to no worker", "name a file, an address or a command")
	}
}

// checkFields looks fields up, by their paths: of any resource where only the mapping says which one it is.
func (n *nightly) checkFields(paths []string, fail func(i int, message, hint string)) {
	named, ok := catalog.ResourceNamed(string(n.Resource))
	among := []*schema.Resource{named}
	if !ok && n.Mapping != "" {
		among = catalog.Resources
	}
	for i, path := range paths {
		if slices.ContainsFunc(among, func(r *schema.Resource) bool { _, known := r.ByPath(path); return known }) {
			continue
		}
		fail(i, "there is no field "+strconv.Quote(path)+" of "+named.Some(),
			cmp.Or(spelling.DidYouMean(path, named.Paths()), "eventbatch fields "+named.Name+" lists them"))
	}
}

func (f *file) checkTargets(targets []target, path string, fail func(pos yamldoc.Pos, path, message, hint string)) {
	for i, to := range targets {
		path := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case to.Webhook.IsZero() == (to.Mail == ""):
			fail(
				to.Pos, path, "it is neither a webhook nor a mail address, or both",
				`write {webhook: "env:NAME"} or {mail: ops@example.org}`,
			)
		case to.Mail != "" && f.Mail == nil:
			fail(to.Pos, path+".mail", "nothing says how mail leaves", "mail: {host: smtp.example.org:587, from: eventbatch@example.org}")
		}
	}
}
