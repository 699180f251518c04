package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/report"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/trial"
)

// tracer gives the path of strace. A machine without it, or that forbids it,
// skips the test, but for CI, which has to have it.
func tracer(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err == nil {
		var out []byte
		if out, err = exec.CommandContext(t.Context(), path, "-f", "-e", "trace=none", "true").CombinedOutput(); err == nil {
			return path
		}
		err = errors.New(strings.TrimSpace(string(out)))
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("strace is needed: %v", err)
	}
	t.Skipf("strace is not to be had: %v", err)
	return ""
}

// A disk that fails under the journal, at any moment: the command stops with 74,
// and, repeated on a sound disk, makes every event once.
func TestFailingDiskUnderTheJournal(t *testing.T) {
	strace := tracer(t)
	for _, test := range []struct{ name, inject string }{
		// Calls are counted by thread, and the journal's writer moves from one to
		// another: a fault that begins late may come later still.
		{"EIO of the first sync", "fsync:error=EIO:when=1+"},
		{"EIO of a later sync, once", "fsync:error=EIO:when=5"},
		{"EIO of all later syncs", "fsync:error=EIO:when=9+"},
		{"disk full at once", "pwrite64:error=ENOSPC:when=1+"},
		{"disk full later", "pwrite64:error=ENOSPC:when=7+"},
		{"EIO of a write, once", "pwrite64:error=EIO:when=4"},
		{"write of no byte", "pwrite64:retval=0:when=6+"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const rows = 150
			service := serve(t, sandbox.Config{
				Limits: sandbox.Limits{Calendar: 10_000, Window: time.Second}, Latency: 3 * time.Millisecond,
			})
			h := newHome(t, service.profile())
			p := newProgramme("row", rows)
			h.write(t, "rows.csv", p.text.String())
			flags := []string{"--calendar", sandbox.CalendarID, "--json"}
			command := append([]string{"import", "rows.csv", "--yes", "--pace", "0"}, flags...)
			// The path of the journal is known once the run is planned.
			planned := decodeJSON[report.Run](t, h.must(t, 0, append([]string{"plan", "rows.csv"}, flags...)...).stdout)
			call, _, _ := strings.Cut(test.inject, ":")
			args := append([]string{
				"-f", "-qq", "-o", h.path("calls"), "-P", planned.Files.Journal,
				"-e", "trace=" + call, "-e", "inject=" + test.inject, program(t),
			}, command...)
			e := h.startProgram(t, strace, args...).end(t)
			calls, err := os.ReadFile(h.path("calls"))
			if err != nil || !strings.Contains(string(calls), "INJECTED") {
				t.Fatalf("no fault was injected (%v): %v\n%s", err, e, clip(string(calls)))
			}
			trial.Struck(t, 1, "failing disk")
			if e.code != 74 {
				t.Errorf("want exit 74: %v", e)
			}
			doc := decodeJSON[report.Run](t, e.stdout)
			if doc.Exit.Code != 74 || doc.Exit.Reason != "ioerr" || !strings.Contains(e.stderr, filepath.Base(planned.Files.Journal)) {
				t.Errorf("it says: %v", e)
			}
			created := service.Stats().Created
			t.Logf("%d events made before it stopped, %d lines of the journal", created, lines(t, planned.Files.Journal))
			if created == rows {
				t.Error("all was sent: the fault came too late")
			}
			// What the disk still shows is read without harm.
			h.must(t, 0, "show", "latest", "--json")

			e = h.must(t, 0, command...)
			if doc := decodeJSON[report.Run](t, e.stdout); !doc.Resumed && created > 0 || doc.Run != planned.Run ||
				doc.Rows[found.Created] != rows {
				t.Errorf("afterwards: %+v", doc)
			}
			service.once(t, p.wanted())
			service.joined(t, p, h.resultsOf(t, "latest", "key"))
		})
	}
}

// A disk that fails while the plan is written leaves no run behind.
func TestFailingDiskUnderThePlan(t *testing.T) {
	strace := tracer(t)
	for _, inject := range []string{"fsync:error=EIO:when=1+", "rename,renameat,renameat2:error=EIO:when=1+"} {
		t.Run(inject, func(t *testing.T) {
			t.Parallel()
			service := serve(t, sandbox.Config{Limits: sandbox.Limits{Calendar: 10_000, Window: time.Second}})
			h := newHome(t, service.profile())
			p := newProgramme("row", 20)
			h.write(t, "rows.csv", p.text.String())
			command := []string{"import", "rows.csv", "--yes", "--calendar", sandbox.CalendarID}
			call, _, _ := strings.Cut(inject, ":")
			args := []string{"-f", "-qq", "-o", h.path("calls"), "-e", "trace=" + call, "-e", "inject=" + inject, program(t)}
			e := h.startProgram(t, strace, append(args, command...)...).end(t)
			if e.code != 74 {
				t.Errorf("want exit 74: %v", e)
			}
			trial.Struck(t, 1, "failing disk")
			if n := service.arrived.Load(); n > 1 { // one lists the calendar
				t.Errorf("%d requests were sent", n)
			}
			h.must(t, 0, command...)
			service.once(t, p.wanted())
		})
	}
}

// A disk that fails under the quota's ledger: what cannot be counted is not sent.
func TestFailingDiskUnderTheLedger(t *testing.T) {
	strace := tracer(t)
	for _, inject := range []string{"pwrite64:error=EIO:when=9+", "pwrite64:error=ENOSPC:when=1+", "flock:error=EIO:when=20+"} {
		t.Run(inject, func(t *testing.T) {
			t.Parallel()
			const rows = 60
			service := serve(t, sandbox.Config{Limits: sandbox.Limits{Calendar: 10_000, Window: time.Second}})
			h := newHome(t, service.profile())
			p := newProgramme("row", rows)
			h.write(t, "rows.csv", p.text.String())
			command := []string{"import", "rows.csv", "--yes", "--pace", "0", "--calendar", sandbox.CalendarID}
			// The ledger is there after a first request.
			h.must(t, 0, append(command, "--limit", "1")...)
			ledgers, err := filepath.Glob(h.path(".state/eventbatch/quota/*"))
			if err != nil || len(ledgers) == 0 {
				t.Fatalf("no ledger: %v", err)
			}
			call, _, _ := strings.Cut(inject, ":")
			args := []string{"-f", "-qq", "-o", h.path("calls"), "-e", "trace=" + call, "-e", "inject=" + inject}
			for _, ledger := range ledgers {
				args = append(args, "-P", ledger)
			}
			e := h.startProgram(t, strace, append(append(args, program(t)), command...)...).end(t)
			if e.code != 74 {
				t.Errorf("want exit 74: %v", e)
			}
			trial.Struck(t, 1, "failing disk")
			if created := service.Stats().Created; created == rows {
				t.Error("all was sent: the fault came too late")
			}
			h.must(t, 0, command...)
			service.once(t, p.wanted())
			service.joined(t, p, h.resultsOf(t, "latest", "key"))
		})
	}
}

func lines(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}
