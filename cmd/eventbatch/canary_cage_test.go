package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/sandbox"
)

// cage is a home whose commands all hold two random keys, and a watch over
// everything that leaves them.
type cage struct {
	*home
	key   string          // of the calendar
	org   string          // of the organization
	more  []string        // other secrets that nobody may see
	found map[string]bool // files that were told of
	sound map[string]bool // the secrets and contents of files that do not show them
}

// bigLimits let a test's requests leave at once.
var bigLimits = sandbox.Limits{Calendar: 10_000, Window: 50 * time.Millisecond}

// canary returns a text that nothing else holds.
func canary() string { return fmt.Sprintf("canary%016x%016x", rand.Uint64(), rand.Uint64()) }

func newCage(t *testing.T, url string) *cage {
	t.Helper()
	c := &cage{key: canary(), org: canary(), found: map[string]bool{}, sound: map[string]bool{}}
	c.home = newHome(t, profileOf(url, bigLimits))
	c.env = append(c.env,
		"CALENDAR_KEY="+c.key, "ORGANIZATION_KEY="+c.org,
		"GODEBUG=http2debug=2", "GOTRACEBACK=all")
	c.write(t, "rows.csv", newProgramme("row", 12).text.String())
	return c
}

// syncs describes one beside a profile: its feed, its webhook and its heartbeat are at
// addresses that hold a key, and its feed is sent one too. It returns how often one of
// the addresses was asked for.
func (c *cage) syncs(t *testing.T, profile string) *atomic.Int64 {
	t.Helper()
	asked := &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, c.key) {
			asked.Add(1)
		}
		switch n := asked.Load(); {
		case strings.HasPrefix(r.URL.Path, "/feed/"):
			fmt.Fprintf(
				w, "key,name,start_at,timezone,calendar\nn,Night %d,2027-04-03T18:00:00Z,Etc/UTC,%s\nw,Wrong,,,%[2]s\n", n,
				sandbox.CalendarID,
			)
		case strings.HasPrefix(r.URL.Path, "/hook/"):
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, r.URL.String()) // what it says is told
		}
	}))
	t.Cleanup(server.Close)
	for name, folder := range map[string]string{"FEED_URL": "/feed/", "HOOK_URL": "/hook/", "PING_URL": "/ping/"} {
		c.env = append(c.env, name+"="+server.URL+folder+c.key)
	}
	c.write(t, "eventbatch.yaml", profile+`syncs:
  members:
    file: env:FEED_URL
    headers: {authorization: env:ORGANIZATION_KEY}
    format: csv
    skip_invalid: true
    notify: {on: [failed, refused, changed], to: [{webhook: "env:HOOK_URL"}], again_after: 1s}
    heartbeat: env:PING_URL
    metrics: night.prom
`)
	return asked
}

// keys are those that the service of a cage accepts.
func (c *cage) keys() []sandbox.Key {
	return []sandbox.Key{
		{Kind: sandbox.CalendarKey, Calendar: sandbox.CalendarID, Secret: c.key},
		{Kind: sandbox.OrganizationKey, Organization: sandbox.OrganizationID, Secret: c.org},
	}
}

// sing runs a command and fails the test if the key is seen on its streams, in
// any file that it leaves, or on the command line of any of its processes. stop
// ends a command that would not end by itself; it may be nil.
func (c *cage) sing(t *testing.T, stop func(*process), args ...string) ended {
	t.Helper()
	return c.singAs(t, program(t), stop, args...)
}

func (c *cage) singAs(t *testing.T, path string, stop func(*process), args ...string) ended {
	t.Helper()
	p := c.startProgram(t, path, args...)
	seen := make(chan []string, 1)
	go func() { seen <- c.watch(p) }()
	if stop != nil {
		stop(p)
	}
	e := p.end(t)
	said := strings.Join(args, " ")
	for _, line := range <-seen {
		t.Errorf("%s: a command line shows the key: %q", said, line)
	}
	c.examine(t, said+": stdout", []byte(e.stdout))
	c.examine(t, said+": stderr", []byte(e.stderr))
	c.search(t, said)
	return e
}

// watch reads the command lines of the process and of all that it starts, until
// it ends. A command that gives a key takes longer than from one look to the next.
func (c *cage) watch(p *process) (shown []string) {
	if runtime.GOOS != "linux" {
		return nil
	}
	tick := time.NewTicker(15 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, pid := range family(p.Process.Pid) {
			line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			has := slices.ContainsFunc(c.secrets(), func(s string) bool { return bytes.Contains(line, []byte(s)) })
			if err == nil && has && !slices.Contains(shown, string(line)) {
				shown = append(shown, string(line))
			}
		}
		select {
		case <-p.done:
			return shown
		case <-tick.C:
		}
	}
}

// family gives a process and its descendants.
func family(pid int) []int {
	list := []int{pid}
	for i := 0; i < len(list); i++ {
		folder := fmt.Sprintf("/proc/%d/task/", list[i])
		tasks, err := os.ReadDir(folder)
		if err != nil {
			continue // it has ended
		}
		for _, task := range tasks {
			text, err := os.ReadFile(folder + task.Name() + "/children")
			if err != nil {
				continue
			}
			for field := range strings.FieldsSeq(string(text)) {
				if child, err := strconv.Atoi(field); err == nil {
					list = append(list, child)
				}
			}
		}
	}
	return list
}

// search looks through every file that commands have left.
func (c *cage) search(t *testing.T, said string) {
	t.Helper()
	err := filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), "given-") || c.found[path] {
			return err
		}
		if slices.ContainsFunc(c.secrets(), func(s string) bool { return strings.Contains(path, s) }) {
			t.Errorf("%s: the key is in the name of %s", said, path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(fmt.Append(data, c.secrets()))
		if c.sound[string(sum[:])] {
			return nil
		}
		rel, _ := filepath.Rel(c.dir, path)
		c.found[path] = c.examine(t, said+": file "+rel, data)
		c.sound[string(sum[:])] = !c.found[path]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// examine looks for the keys in every form, in what is there and in what a person
// sees of it, and for the ends of a key that was cut.
func (c *cage) examine(t *testing.T, where string, data []byte) (found bool) {
	t.Helper()
	return examine(t, where, data, c.secrets())
}

func (c *cage) secrets() []string { return append([]string{c.key, c.org}, c.more...) }

func examine(t *testing.T, where string, data []byte, keys []string) (found bool) {
	t.Helper()
	for part, data := range parts(data) {
		both := [][]byte{data, seen(data)}
		for _, key := range keys {
			list := forms(key)
			list["begin"], list["end"] = key[:24], key[len(key)-24:]
			for _, data := range both {
				for name, form := range list {
					if i := bytes.Index(data, []byte(form)); i >= 0 {
						t.Errorf("%s %s shows a key in the form %s: …%s…", where, part, name, data[max(0, i-120):min(len(data), i+120)])
						return true
					}
				}
			}
		}
	}
	return false
}
