package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/feed"
	"eventbatch/batch/night"
	"eventbatch/batch/printable"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/batch/source"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/spelling"
)

// syncJob is one sync: where its rows come from, how they are read and sent, and who is told.
type syncJob struct {
	*env
	syncOptions

	name   string // what people call it
	kept   string // what its nights are kept under
	folder string // for the feed, on this machine
	source feed.Source
	said   *profile.Sync // by the configuration; nil of a file

	restarts bool // elsewhere, where it is interrupted: nobody is told of that
}

// syncJobs returns what the arguments mean, in the order in which they are done: those first
// that have waited longest for a night that was done.
func syncJobs(a *env, opts *syncOptions, args []string) ([]*syncJob, error) {
	described, err := profile.Syncs(a.global.Flags, a.profileEnv())
	if err != nil {
		return nil, err
	}
	known := namesOf(described)
	if len(args) == 0 {
		if args = known; len(args) == 0 {
			return nil, usagef("no sync is described under syncs: in eventbatch.yaml").
				hinted("describe one there, or name a file or an address: eventbatch sync members.csv")
		}
	}
	var names []string
	jobs, memories := map[string]*syncJob{}, map[string]*night.Memory{}
	for _, arg := range args {
		job := &syncJob{env: a, syncOptions: *opts, name: arg}
		job.send.yes = true // nobody is asked
		if sync := profile.SyncNamed(described, arg); sync != nil {
			err = job.described(sync)
		} else {
			err = job.file(known)
		}
		if err != nil {
			return nil, err
		}
		if jobs[job.name] != nil {
			return nil, usagef("sync %s is named twice", printable.Clean(job.name))
		}
		if len(args) > 1 {
			memories[job.name] = job.memory()
		}
		job.plan.source.Missing = cmp.Or(job.plan.source.Missing, source.Report)
		jobs[job.name], names = job, append(names, job.name)
	}
	night.Longest(names, memories)
	list := make([]*syncJob, len(names))
	for i, name := range names {
		list[i] = jobs[name]
	}
	return list, nil
}

// file makes the job of a file or an address that was given.
func (j *syncJob) file(known []string) error {
	switch {
	case secret.IsAddress(j.name):
		address, err := secret.ParseAddress(j.name)
		if err != nil {
			return usagef("reading an address: %w", err)
		}
		j.source.Address, j.name = address, address.String()
	case j.name == "-":
		j.source.Path, j.name = "-", "stdin"
	default:
		if _, err := os.Stat(j.name); errors.Is(err, fs.ErrNotExist) {
			return noSync("sync and no file", j.name, known)
		}
		j.source.Path = j.name
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return j.keep(night.OfFile(j.name, dir))
}

func namesOf(syncs []profile.Sync) []string {
	names := make([]string, len(syncs))
	for i := range syncs {
		names[i] = syncs[i].Name
	}
	return names
}

// noSync says that nothing is called so.
func noSync(what, name string, known []string) error {
	hint := "a sync is described under syncs: in eventbatch.yaml"
	if len(known) > 0 {
		hint = cmp.Or(spelling.DidYouMean(name, known), "known are "+strings.Join(known, ", "))
	}
	return failure.New(fs.ErrNotExist, fmt.Errorf("there is no %s %s", what, printable.Clean(name)), hint)
}

// sourceName returns what the runs of the job call their source.
func (j *syncJob) sourceName() string {
	path, err := filepath.Abs(j.source.Path)
	switch {
	case j.plan.source.Name != "":
		return j.plan.source.Name
	case !j.source.Address.IsZero(), j.source.Path == "-", err != nil:
		return j.name
	}
	return path
}

// keep names what the nights of the job are kept under.
func (j *syncJob) keep(name string) error {
	workspace, err := j.workspaceFolder()
	j.kept, j.folder = name, night.Folders{Workspace: workspace}.Of(name)
	return err
}

// described fills in what the configuration says and no flag does.
func (j *syncJob) described(s *profile.Sync) error {
	name := s.Name
	if j.global.sandbox {
		name += night.InSandbox // what is tried there says nothing of the service: the name is free for that
	}
	if err := errors.Join(j.keep(name), night.Name(s.Name), s.Ready()); err != nil {
		return err
	}
	j.said, j.source = s, s.Feed
	r, p, g := &j.reading, &j.plan, &j.plan.guards
	for _, said := range []struct {
		flag  *string
		value string
	}{
		{&r.format, s.Reading.Format},
		{&r.encoding, s.Reading.Encoding},
		{&r.mapping, s.Reading.Mapping},
		{&r.resource, s.Reading.Resource},
		{&r.timezone, s.Reading.Timezone},
		{&p.Compare, s.Merge.Compare},
		{&p.First, s.Merge.First},
		{&p.OnConflict, s.Merge.OnConflict},
		{&g.MaxCreate, s.Guards.MaxCreate},
		{&g.MaxUpdate, s.Guards.MaxUpdate},
		{&g.MaxCancel, s.Guards.MaxCancel},
		{&g.MinRows, s.Guards.MinRows},
		{&g.MaxMail, s.Guards.MaxMail},
		{&p.source.Name, name},
		{(*string)(&p.source.Missing), s.Merge.Missing},
	} {
		*said.flag = cmp.Or(*said.flag, said.value)
	}
	r.set = withSet(s.Reading.Set, r.set)
	p.SkipInvalid = p.SkipInvalid || s.Reading.SkipInvalid
	p.Owns = s.Merge.Owns
	j.send.maxDuration = cmp.Or(j.send.maxDuration, s.Duration)
	for _, effect := range s.Allow {
		j.send.allow = append(slices.Clone(j.send.allow), string(effect))
	}
	return nil
}

// withSet returns the values of --set, and those that the configuration says of other fields.
func withSet(said []profile.SyncValue, given []string) (set []string) {
	for _, value := range said {
		begin := value.Field + "="
		if !slices.ContainsFunc(given, func(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), begin) }) {
			set = append(set, begin+value.Value)
		}
	}
	return append(set, given...)
}

// under has the profile of the sync hold, with its store, and its calendar, until back is called. A flag goes
// before each. The sandbox has calendars of its own.
func (j *syncJob) under() (back func()) {
	was := j.global.Flags
	restore := func() { j.global.Flags = was }
	if j.said == nil {
		return restore
	}
	if said := j.said.Reading.Calendar; was.Calendar == "" && j.vars["EVENTBATCH_CALENDAR"] == "" && !j.global.sandbox {
		j.global.Calendar = said
	}
	if j.said.Profile == "" || was.Profile != "" {
		return restore
	}
	j.closeStore()
	j.global.Profile = j.said.Profile
	return func() {
		j.closeStore()
		restore()
	}
}

// memory returns what the sync remembers, nil where it cannot be read: its night tells why.
func (j *syncJob) memory() *night.Memory {
	defer j.under()()
	store, err := j.openWorkspace()
	if err != nil {
		return nil
	}
	memory, _ := night.Load(night.StoreOf(store), j.kept)
	return memory
}
