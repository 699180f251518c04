package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
	"eventbatch/batch/scratch"
)

// TestMain lets the test binary be another process of the same workspace.
func TestMain(m *testing.M) {
	if role := os.Getenv("JOURNAL_TEST_ROLE"); role != "" {
		if err := play(role, os.Getenv("JOURNAL_TEST_DIR")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(scratch.Run(m))
}

// play is what the other process does.
func play(role, dir string) error {
	w, err := OpenWorkspace(dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	switch role {
	case "hold", "commit":
		run, err := w.Find(journal.Latest)
		if err != nil {
			return err
		}
		j, _, err := run.Attach(journal.Attachment{Target: target})
		if err != nil {
			return err
		}
		fmt.Println("attached")
		if role == "hold" {
			select {}
		}
		for op := range run.Len() {
			if err := j.Commit(ctx, intent(op, plan.Create)); err != nil {
				return err
			}
			fmt.Println(op) // whoever reads this may count on it
		}
		return j.Close()
	case "import":
		unlock, err := w.Lock(ctx, journal.Runs)
		if err != nil {
			return err
		}
		found, err := w.Unfinished("same file")
		if err == nil && found == nil {
			var made *run
			made, err = newRun(w, plan.Header{Created: time.Now(), Identity: "same file", Target: target}, ops(3, plan.Create))
			if err == nil {
				found = made.Run
			}
		}
		if err != nil {
			return err
		}
		fmt.Println(found.ID())
		return unlock()
	}
	return errors.New("no such role")
}

// other starts this binary as another process.
func other(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "JOURNAL_TEST_ROLE="+role, "JOURNAL_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

func TestLockOfAnotherProcess(t *testing.T) {
	w, run := planned(t, 1)
	cmd, out := other(t, "hold", w.Folder())
	if !out.Scan() || out.Text() != "attached" {
		t.Fatalf("the other process said %q", out.Text())
	}
	_, _, err := run.Attach(journal.Attachment{Target: target})
	locked, ok := errors.AsType[*journal.LockedError](err)
	if !ok || locked.PID != cmd.Process.Pid || locked.What != "run "+run.ID() || locked.Since.IsZero() {
		t.Fatalf("attach gave %v, want process %d", err, cmd.Process.Pid)
	}
	if state, err := run.State(); err != nil || !state.Started {
		t.Errorf("looking at a run that another process holds: %+v, %v", state, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	attach(t, run)
}

// Two machines that share a workspace by accident: the second is told which is the first.
func TestLockOfAnotherMachine(t *testing.T) {
	_, run := planned(t, 1)
	attach(t, run)
	for _, test := range []struct{ holder, want string }{
		{"77 north", "process 77 of another machine, north"},
		{"77", "by process 77"},
		{"", "by another process"},
	} {
		if err := os.WriteFile(filepath.Join(run.folder, lockName), []byte(test.holder), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := run.Attach(journal.Attachment{Target: target}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.holder, err)
		}
	}
}

func TestLockWithinAProcess(t *testing.T) {
	_, run := planned(t, 1)
	j, _ := attach(t, run)
	_, _, err := run.Attach(journal.Attachment{Target: target})
	if locked, ok := errors.AsType[*journal.LockedError](err); !ok || locked.PID != os.Getpid() {
		t.Errorf("the second attach gave %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	attach(t, run)
}

func TestCommittedSurvivesKill(t *testing.T) {
	w, run := planned(t, 100_000)
	last := -1
	for round := range 4 {
		cmd, out := other(t, "commit", w.Folder())
		for n := 0; n < 20+60*round && out.Scan(); n++ {
			if op, err := strconv.Atoi(out.Text()); err == nil {
				last = max(last, op)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for out.Scan() {
			if op, err := strconv.Atoi(out.Text()); err == nil {
				last = max(last, op)
			}
		}
		_ = cmd.Wait()
		state, err := run.State()
		if err != nil {
			t.Fatal(err)
		}
		for op := range last + 1 {
			if state.Ops[op].Status != journal.Sent {
				t.Fatalf("round %d: op %d of %d is %v", round, op, last+1, state.Ops[op].Status)
			}
		}
	}
	if last < 0 {
		t.Error("no process committed anything")
	}
}

func TestSameFileImportedAtOnceBecomesOneRun(t *testing.T) {
	dir := t.TempDir()
	var (
		mu   sync.Mutex
		ids  = map[string]int{}
		done sync.WaitGroup
	)
	for range 4 {
		cmd, out := other(t, "import", dir)
		done.Go(func() {
			out.Scan()
			id := strings.TrimSpace(out.Text())
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			mu.Lock()
			ids[id]++
			mu.Unlock()
		})
	}
	done.Wait()
	if len(ids) != 1 {
		t.Errorf("four imports of one file became the runs %v", ids)
	}
}
