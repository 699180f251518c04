// Package install writes what has a machine run a sync every night.
//
// A job says what is run, as whom, where and when; a kind is what runs it: cron,
// systemd, launchd, a workflow of GitHub or Kubernetes. The texts are templates,
// and each word that comes from outside is written there as its format quotes it.
// Keys are never in them, only the names of the variables that hold keys.
package install

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"eventbatch/mapping/spelling"
	"eventbatch/templates"
)

// Kinds are what can run a sync.
var Kinds = []string{"cron", "systemd", "launchd", "github", "kubernetes"}

// Contained reports whether a kind runs an image instead of the program of this machine.
func Contained(kind string) bool { return kind == "github" || kind == "kubernetes" }

// Job is a sync that is run every day.
type Job struct {
	Sync      string   // its name
	Flags     []string // that the sync is given besides, with absolute paths
	Variables []string // that hold its keys
	Schedule
	Host
	// Image holds the program, for a kind that runs one.
	Image string
}

// Schedule is when a job is run.
type Schedule struct {
	At   Clock
	Zone string // IANA
	// Now is when the schedule begins: where none is known of time zones, it is
	// written for the hours of the year that follows.
	Now time.Time
}

// Clock is a time of day.
type Clock struct{ Hour, Minute int }

// ParseClock reads 03:00.
func ParseClock(text string) (Clock, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return Clock{}, errors.New("it is no time of day such as 03:00")
	}
	return Clock{t.Hour(), t.Minute()}, nil
}

func (c Clock) String() string { return fmt.Sprintf("%02d:%02d", c.Hour, c.Minute) }

// Host is where on this machine a job is run; paths are absolute.
type Host struct {
	Program   string
	User      string
	Folder    string // in which it is run
	Workspace string
}

// Write writes what a kind needs to run the job.
func Write(w io.Writer, kind string, job Job) error {
	if err := job.check(kind); err != nil {
		return err
	}
	text, err := template.New(kind+".tmpl").Funcs(quoting).ParseFS(templates.Install, "install/"+kind+".tmpl")
	if err != nil {
		return err
	}
	return text.Execute(w, view{job})
}

// check refuses what some format could not hold whatever the quotes.
func (j *Job) check(kind string) error {
	outside := append([]string{j.Program, j.User, j.Folder, j.Workspace, j.Zone, j.Image}, j.Flags...)
	for _, word := range append(outside, j.Variables...) {
		if strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fmt.Errorf("%q has a control character, which cannot be written for %s", word, kind)
		}
	}
	if kind == "github" && slices.ContainsFunc(outside, func(word string) bool { return strings.Contains(word, "${{") }) {
		return errors.New("${{ begins an expression of GitHub, and cannot be written for it")
	}
	if kind == "systemd" && strings.ContainsAny(j.Program, `"'\$%`) {
		return fmt.Errorf("systemd runs no program in a path such as %s", j.Program)
	}
	const small, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	allowed := small + strings.ToUpper(small) + digits + "-_"
	if kind == "kubernetes" {
		allowed = small + digits + "-"
	}
	if j.Sync == "" || len(j.Sync) > 40 || strings.Trim(j.Sync, allowed) != "" || strings.Trim(j.Sync, "-_") != j.Sync {
		return fmt.Errorf("the sync's name %q cannot be a name of %s, which has %s only, at most 40", j.Sync, kind, inWords(allowed))
	}
	if strings.ContainsAny(j.User, " \t:") || strings.ContainsAny(j.Image, " \t") {
		return errors.New("a user or an image has no blanks")
	}
	return nil
}

func inWords(allowed string) string {
	if strings.Contains(allowed, "A") {
		return "letters, digits, - and _"
	}
	return "small letters, digits and -"
}

// view is a job as the templates see it.
type view struct{ Job }

// ID returns the name that the job has where it is installed.
func (v view) ID() string { return "eventbatch-" + v.Sync }

// InTemp reports whether the job needs something of the folders that a unit with PrivateTmp has of its own.
func (v view) InTemp() bool {
	return slices.ContainsFunc(append(v.Command(), v.Folder), func(word string) bool {
		if _, value, cut := strings.Cut(word, "="); cut && strings.HasPrefix(word, "--") {
			word = value
		}
		return strings.HasPrefix(word+"/", "/tmp/") || strings.HasPrefix(word+"/", "/var/tmp/")
	})
}

// KeyFile returns the file of the variables that hold keys.
func (v view) KeyFile() string { return "/etc/eventbatch/" + v.Sync + ".env" }

// Log returns the file of what the job says.
func (v view) Log() string { return filepath.Join(v.Folder, v.ID()+".log") }

// About returns what has to be there for the job.
func (v view) About() []string {
	if len(v.Variables) == 0 {
		return nil
	}
	lines := make([]string, len(v.Variables))
	for i, name := range v.Variables {
		lines[i] = name + "='…'"
	}
	return []string{
		v.KeyFile() + " holds its keys, one a line, and is readable by " + v.User + " only (chmod 600):",
		"  " + strings.Join(lines, "  "),
	}
}

// Command returns the program with its arguments.
func (v view) Command() []string {
	return append([]string{v.Program, "sync", v.Sync, "--workspace", v.Workspace}, v.Flags...)
}

// InContainer returns the arguments where the workspace is a folder of a container.
func (v view) InContainer(workspace string) []string {
	return append([]string{"sync", v.Sync, "--workspace", workspace}, v.Flags...)
}

// Shell returns the command line of a shell that runs the job.
func (v view) Shell() string {
	line := "cd " + spelling.Quoted(v.Folder) + " && "
	if len(v.Variables) > 0 {
		line += "set -a && . " + spelling.Quoted(v.KeyFile()) + " && set +a && "
	}
	return line + "exec " + words(v.Command())
}

// UTC returns the schedules, in the five fields of cron, by a clock without zones:
// one for each offset that the zone has in the year.
func (v view) UTC() ([]string, error) {
	zone, err := time.LoadLocation(v.Zone)
	if err != nil {
		return nil, err
	}
	var lines []string
	begin := v.Now.In(zone)
	for day := range 366 {
		at := time.Date(begin.Year(), begin.Month(), begin.Day()+day, v.At.Hour, v.At.Minute, 0, 0, zone).UTC()
		line := fmt.Sprintf("%d %d * * *", at.Minute(), at.Hour())
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}
