package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
)

// contender is one way to do a thing: a command.
type contender struct {
	Name string
	args []string
	code int // that it ends with
	runs []spent
}

// spent is what a command has used: seconds by the clock and of the processors, and MiB.
type spent struct{ wall, cpu, memory float64 }

// contest has contenders do the same thing in turns.
type contest struct {
	Title      string
	Contenders []*contender // the first one is ours
}

// hold has each contender run so many times, in turns: a machine has its moods.
func (c *contest) hold(ctx context.Context, dir string, rounds int) error {
	for range rounds {
		for _, one := range c.Contenders {
			cmd := exec.CommandContext(ctx, one.args[0], one.args[1:]...)
			cmd.Dir, cmd.Env = dir, append(cmd.Environ(), "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
			begin := time.Now()
			err := cmd.Run()
			took := time.Since(begin).Seconds()
			state := cmd.ProcessState
			if state == nil || state.ExitCode() != one.code {
				return fmt.Errorf("%s, by %s: %w", c.Title, strings.Join(one.args, " "), err)
			}
			one.runs = append(one.runs, spent{took, (state.UserTime() + state.SystemTime()).Seconds(), peak(state)})
		}
	}
	return nil
}

// Runs is how often each contender ran.
func (c *contest) Runs() int { return len(c.Contenders[0].runs) }

// Lines are the contest as rows of a table: who, and the medians of the time, of ours in it, of the processors, of ours
// in that, and of the memory.
func (c *contest) Lines() (lines [][]string) {
	ours := c.Contenders[0].runs
	for i, one := range c.Contenders {
		wall, cpu := func(s spent) float64 { return s.wall }, func(s spent) float64 { return s.cpu }
		line := []string{
			one.Name, seconds(median(one.runs, wall)), times(ours, one.runs, wall),
			seconds(median(one.runs, cpu)), times(ours, one.runs, cpu),
			"–",
		}
		if most := median(one.runs, func(s spent) float64 { return s.memory }); most > 0 {
			line[5] = fmt.Sprintf("%.0f MiB", most)
		}
		if i == 0 {
			line[2], line[4] = "", ""
		}
		lines = append(lines, line)
	}
	return lines
}

func median(runs []spent, of func(spent) float64) float64 {
	var list []float64
	for _, run := range runs {
		list = append(list, of(run))
	}
	return middle(list)
}

func middle(list []float64) float64 {
	slices.SortFunc(list, cmp.Compare[float64])
	return list[len(list)/2]
}

// times is how many times as long ours took, in the middle of the turns.
func times(ours, theirs []spent, of func(spent) float64) string {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, of(ours[i])/max(of(theirs[i]), 1e-6))
	}
	return fmt.Sprintf("%.2f ×", middle(ratios))
}

// peak returns how many MiB a process has held at the most: Linux says it in KiB, macOS in bytes, and others do not. Linux
// takes what this one held when it started the process for the least, within two MiB: 0 where it is no more than that.
func peak(state *os.ProcessState) float64 {
	most := reflect.Indirect(reflect.ValueOf(state.SysUsage())).FieldByName("Maxrss")
	switch runtime.GOOS {
	case "linux":
		if most.Int() <= held()+2<<10 {
			return 0
		}
		return float64(most.Int()) / (1 << 10)
	case "darwin":
		return float64(most.Int()) / (1 << 20)
	}
	return 0
}

// held returns how many KiB this process has held at the most, 0 where Linux does not say.
func held() (most int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(after, &most)
	return most
}

// seconds is a time in seconds, or in milliseconds where it is short.
func seconds(s float64) string {
	if s < 0.1 {
		return fmt.Sprintf("%.1f ms", 1000*s)
	}
	return fmt.Sprintf("%.2f s", s)
}
