package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/sandbox"
)

// A night that brings nothing new leaves next to nothing, however many rows its feed has.
func TestANightWithNothingNewLeavesLittle(t *testing.T) {
	t.Parallel()
	rows := 100_000
	if testing.Short() {
		rows = 5_000
	}
	service := serve(t, sandbox.Config{Limits: sandbox.Limits{Calendar: 200, Organization: 500, Window: time.Minute}})
	h := newHome(t, service.profile())
	// The feed is another file every night, of the same rows.
	feed := func(night int) string {
		var b strings.Builder
		b.WriteString("key,name,start_at,timezone,description_md\n")
		for i := range rows {
			n := (i + night) % rows
			fmt.Fprintf(&b, "row-%06d,Tea %d,2031-04-%02d 18:00,Europe/Paris,A cup of tea and a word or two\n", n, n, n%30+1)
		}
		return b.String()
	}
	h.write(t, "feed.csv", feed(0))
	h.must(t, 0, "plan", "feed.csv", "--calendar", sandbox.CalendarID)
	carriedOut(t, h.path(".eventbatch"))

	for night := 1; night <= 3; night++ {
		h.write(t, "feed.csv", feed(night))
		before := sizes(t, h.dir)
		p := h.start(t, "sync", "feed.csv", "--calendar", sandbox.CalendarID, "--compare", "sent", "--pace", "0")
		peak := p.peak()
		if e := p.end(t); e.code != 0 || !strings.Contains(e.stderr, "unchanged") {
			t.Fatal(e)
		}
		left := int64(0)
		for path, size := range sizes(t, h.dir) {
			left += size - before[path]
			if size-before[path] > 10_000 {
				t.Logf("night %d: %s has %d bytes more", night, path, size-before[path])
			}
		}
		t.Logf("night %d: %d bytes more, %d MiB", night, left, peak)
		if night > 1 && left > 1_000_000 { // the first makes the snapshot of what the import has made
			t.Errorf("night %d leaves %d bytes", night, left)
		}
		if peak > 150 {
			t.Errorf("night %d takes %d MiB", night, peak)
		}
	}
	if asked := service.Stats().Requests; len(asked) > 1 {
		t.Errorf("requests: %v", asked)
	}

	// What such nights leave goes at a stroke, then the import, and no row is made anew.
	for _, step := range [][2]string{{"1ns", "3 runs removed"}, {"0d", "1 run removed"}} {
		keep, want := step[0], step[1]
		p := h.start(t, "runs", "prune", "--keep", keep)
		peak := p.peak()
		if e := p.end(t); e.code != 0 || !strings.Contains(e.stderr, want) || peak > 150 {
			t.Errorf("pruning takes %d MiB: %v", peak, e)
		}
		t.Logf("pruning: %d MiB; %s", peak, p.err.String())
	}
	h.write(t, "feed.csv", feed(4))
	if e := h.must(t, 0, "plan", "feed.csv", "--calendar", sandbox.CalendarID); strings.Contains(e.stdout, "to create") {
		t.Error(e)
	}
}

// carriedOut records of the newest run that all of it was done.
func carriedOut(t *testing.T, dir string) {
	t.Helper()
	workspace, err := files.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := workspace.Find(journal.Latest)
	if err != nil {
		t.Fatal(err)
	}
	j, _, err := run.Attach(journal.Attachment{Target: run.Header().Target, Turn: 1})
	if err != nil {
		t.Fatal(err)
	}
	add := func(r journal.Record) {
		if err := j.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	for op, err := range run.Sends() {
		if err != nil {
			t.Fatal(err)
		}
		key := journal.KeyHash(op.Event.Calendar, op.Event.Key)
		add(journal.Record{Type: journal.Intent, Op: op.N, Operation: op.Operation, Key: key, Hash: op.Hash})
		add(journal.Record{Type: journal.OK, Op: op.N, EventID: fmt.Sprintf("evt-%d", op.N)})
	}
	err = j.Commit(t.Context(), journal.Record{Type: journal.End, Code: "done"})
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
}

// sizes returns the sizes of the files below a folder.
func sizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	list := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "feed.csv" {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			list[path] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
