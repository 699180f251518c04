package install

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"github.com/rhysd/actionlint"
	"github.com/robfig/cron/v3"
	"go.yaml.in/yaml/v3"
)

// odd is a name that each format has to quote.
const odd = `a b %h $HOME "q" 'p' <x> & \ --y é`

// night returns a job that can be run here, in a folder of an odd name. The program
// writes its arguments and its keys down, one a line.
func night(t *testing.T) (job Job, said string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), odd)
	said = filepath.Join(folder, "said")
	program := filepath.Join(folder, "event batch")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" \"$MAIN_KEY\" >said\n"
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(program, []byte(script), 0o700)); err != nil {
		t.Fatal(err)
	}
	return Job{
		Sync: "members", Flags: []string{"--profile", odd}, Variables: []string{"MAIN_KEY", "ORG_KEY"},
		Schedule: Schedule{At: Clock{3, 5}, Zone: "Europe/Berlin", Now: time.Date(2027, 1, 20, 12, 0, 0, 0, time.UTC)},
		Host:     Host{Program: program, User: "nobody", Folder: folder, Workspace: filepath.Join(folder, ".eventbatch")},
		Image:    "registry.example.org/eventbatch:1.2",
	}, said
}

func written(t *testing.T, kind string, job Job) string {
	t.Helper()
	var text bytes.Buffer
	if err := Write(&text, kind, job); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// command returns what the program of night is called with.
func (j *Job) command() []string {
	return []string{"sync", "members", "--workspace", j.Workspace, "--profile", odd}
}

// calls runs a line of a shell, and asks that it calls the program as it should.
func calls(t *testing.T, job Job, line, said string) {
	t.Helper()
	line = strings.Replace(line, "/etc/eventbatch/members.env", "./keys", 1)
	keys := filepath.Join(job.Folder, "keys")
	if err := os.WriteFile(keys, []byte("MAIN_KEY='k $1'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", line).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, line, output)
	}
	got, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(append(job.command(), "k $1"), strings.Split(strings.TrimSuffix(string(got), "\n"), "\n")); diff != "" {
		t.Error(diff)
	}
}

func TestCronRunsTheSyncAtItsTime(t *testing.T) {
	job, said := night(t)
	variables := map[string]string{}
	var lines []string
	for line := range strings.Lines(written(t, "cron", job)) {
		line = strings.TrimSuffix(line, "\n")
		if name, value, set := strings.Cut(line, "="); set && !strings.ContainsAny(name, " #") {
			variables[name] = value
		} else if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 {
		t.Fatalf("%d lines run something: %q", len(lines), lines)
	}
	fields := strings.SplitN(lines[0], " ", 7)
	schedule, err := cron.ParseStandard("CRON_TZ=" + variables["CRON_TZ"] + " " + strings.Join(fields[:5], " "))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := schedule.Next(job.Now).UTC(), time.Date(2027, 1, 21, 2, 5, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("the next run is at %s, not %s", got, want)
	}
	if fields[5] != "nobody" || variables["SHELL"] != "/bin/sh" {
		t.Errorf("run by %s as %s", variables["SHELL"], fields[5])
	}
	calls(t, job, strings.ReplaceAll(fields[6], `\%`, "%"), said)
}

// Systemd itself reads its units.
func TestSystemdTakesItsUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze here")
	}
	job, _ := night(t)
	job.User, job.Program = "root", filepath.Join(t.TempDir(), "event batch")
	if err := os.WriteFile(job.Program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	service, timer, found := strings.Cut(written(t, "systemd", job), "\n\n# /etc/systemd/system/eventbatch-members.timer")
	if !found {
		t.Fatalf("no timer in\n%s", service)
	}
	folder := t.TempDir()
	files := []string{filepath.Join(folder, "eventbatch-members.service"), filepath.Join(folder, "eventbatch-members.timer")}
	for i, text := range []string{service, "#" + timer} {
		if err := os.WriteFile(files[i], []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Units of the machine that are wanting are no matter of ours: what names our files is.
	output, _ := exec.CommandContext(t.Context(), analyze, append([]string{"verify"}, files...)...).CombinedOutput()
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, "eventbatch-members") {
			t.Error(line)
		}
	}
	_, calendar, _ := strings.Cut(timer, "OnCalendar=")
	calendar, _, _ = strings.Cut(calendar, "\n")
	output, err = exec.CommandContext(t.Context(), analyze, "calendar", "--base-time=2027-01-20 12:00:00 UTC", calendar).CombinedOutput()
	if err != nil || !strings.Contains(string(output), "2027-01-21 02:05:00 UTC") {
		t.Errorf("%v\n%s", err, output)
	}
}

func TestSystemdQuotesEachWord(t *testing.T) {
	for _, test := range []struct{ word, want string }{
		{"/usr/bin/eventbatch", `"/usr/bin/eventbatch"`},
		{`a b`, `"a b"`},
		{`50% of $HOME`, `"50%% of $$HOME"`},
		{`"\`, `"\"\\"`},
	} {
		if got := execWord(test.word); got != test.want {
			t.Errorf("%s: %s, want %s", test.word, got, test.want)
		}
	}
}

// property is a value of a property list: a text, a list or a dictionary.
type property any

// propertyList reads an element of a property list, as its format says.
func propertyList(d *xml.Decoder, begin xml.StartElement) (property, error) {
	var text strings.Builder
	var list []property
	for {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			value, err := propertyList(d, token)
			if err != nil {
				return nil, err
			}
			if token.Name.Local == "key" != (begin.Name.Local == "dict" && len(list)%2 == 0) {
				return nil, errors.New("a key in the wrong place")
			}
			list = append(list, value)
		case xml.EndElement:
			switch begin.Name.Local {
			case "key", "string":
				return text.String(), nil
			case "integer":
				return strconv.Atoi(text.String())
			case "array", "plist":
				return list, nil
			case "dict":
				dict := map[string]property{}
				for i := 0; i+1 < len(list); i += 2 {
					dict[list[i].(string)] = list[i+1]
				}
				return dict, nil
			}
			return nil, errors.New("no element of a property list: " + begin.Name.Local)
		}
	}
}

func TestLaunchdReadsItsPropertyList(t *testing.T) {
	job, said := night(t)
	text := written(t, "launchd", job)
	decoder := xml.NewDecoder(strings.NewReader(text))
	var root property
	for root == nil {
		token, err := decoder.Token()
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if begin, ok := token.(xml.StartElement); ok {
			if root, err = propertyList(decoder, begin); err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
		}
	}
	if token, err := decoder.Token(); err != io.EOF && strings.TrimSpace(string(token.(xml.CharData))) != "" {
		t.Errorf("%v after the list", token)
	}
	dict := root.([]property)[0].(map[string]property)
	if dict["Label"] != "eventbatch-members" || dict["UserName"] != "nobody" || dict["WorkingDirectory"] != job.Folder {
		t.Errorf("%v", dict)
	}
	if diff := cmp.Diff(map[string]property{"Hour": 3, "Minute": 5}, dict["StartCalendarInterval"]); diff != "" {
		t.Error(diff)
	}
	program := dict["ProgramArguments"].([]property)
	if program[0] != "/bin/sh" || program[1] != "-c" {
		t.Errorf("%v", program)
	}
	calls(t, job, program[2].(string), said)
}

// actionlint knows the workflows of GitHub, their keys, expressions and permissions.
func TestGitHubTakesTheWorkflow(t *testing.T) {
	job, _ := night(t)
	text := written(t, "github", job)
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Shellcheck: "", Pyflakes: ""})
	if err != nil {
		t.Fatal(err)
	}
	complaints, err := linter.Lint("workflow.yml", []byte(text), nil)
	if err != nil || len(complaints) > 0 {
		t.Fatalf("%v %v in\n%s", err, complaints, text)
	}
	workflow, _ := actionlint.Parse([]byte(text))
	for name, variables := range map[string]int{"plan": 3, "sync": 3} {
		steps := workflow.Jobs[name].Steps
		i := slices.IndexFunc(steps, func(s *actionlint.Step) bool {
			run, ok := s.Exec.(*actionlint.ExecRun)
			return ok && strings.Contains(run.Run.Value, "docker run")
		})
		if i < 0 || len(steps[i].Env.Vars) != variables {
			t.Fatalf("job %s does not run the program with its keys", name)
		}
		run := steps[i].Exec.(*actionlint.ExecRun).Run.Value
		if dry := strings.Contains(run, "--dry-run"); dry != (name == "plan") {
			t.Errorf("job %s: %s", name, run)
		}
	}
	for _, step := range slices.Concat(workflow.Jobs["plan"].Steps, workflow.Jobs["sync"].Steps) {
		if run, ok := step.Exec.(*actionlint.ExecRun); ok {
			check := exec.CommandContext(t.Context(), "sh", "-n")
			check.Stdin = strings.NewReader(run.Run.Value)
			if output, err := check.CombinedOutput(); err != nil {
				t.Errorf("%v: %s\n%s", err, output, run.Run.Value)
			}
		}
	}
}

// GitHub's schedules know no time zones: there is one for each season, and the first step
// lets one of them pass.
func TestGitHubRunsAtTheHourOfEachSeason(t *testing.T) {
	job, _ := night(t)
	for _, test := range []struct {
		zone string
		at   Clock
		want []string
	}{
		{"Europe/Berlin", Clock{3, 5}, []string{"5 2 * * *", "5 1 * * *"}},
		{"UTC", Clock{3, 5}, []string{"5 3 * * *"}},
		{"Asia/Kolkata", Clock{3, 0}, []string{"30 21 * * *"}},
		{"America/New_York", Clock{22, 0}, []string{"0 3 * * *", "0 2 * * *"}},
		{"Australia/Lord_Howe", Clock{12, 0}, []string{"0 1 * * *", "30 1 * * *"}},
	} {
		job.Zone, job.At = test.zone, test.at
		got, err := view{job}.UTC()
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s in %s: %q %v, want %q", test.at, test.zone, got, err, test.want)
		}
		workflow, problems := actionlint.Parse([]byte(written(t, "github", job)))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		due := workflow.Jobs["sync"].Steps[0].Exec.(*actionlint.ExecRun).Run.Value
		passed := 0
		for _, schedule := range append(test.want, "") {
			output := filepath.Join(t.TempDir(), "output")
			step := exec.CommandContext(t.Context(), "bash", "-e", "-c", due)
			step.Env = append(os.Environ(), "SCHEDULE="+schedule, "GITHUB_OUTPUT="+output)
			if text, err := step.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			if text, err := os.ReadFile(output); err == nil && string(text) == "due=yes\n" {
				passed++
			}
		}
		if passed != 2 { // one schedule, and whoever starts it by hand
			t.Errorf("%s: %d of %q are let through", test.zone, passed, append(test.want, "by hand"))
		}
	}
}

// cronJob has the members of a CronJob that are used, under the names that Kubernetes
// has for them: any other is an error of reading.
type cronJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Schedule                string
		TimeZone                string `yaml:"timeZone"`
		ConcurrencyPolicy       string `yaml:"concurrencyPolicy"`
		StartingDeadlineSeconds int    `yaml:"startingDeadlineSeconds"`
		JobTemplate             struct {
			Spec struct {
				BackoffLimit          *int `yaml:"backoffLimit"`
				ActiveDeadlineSeconds int  `yaml:"activeDeadlineSeconds"`
				Template              struct{ Spec pod }
			}
		} `yaml:"jobTemplate"`
	}
}

type pod struct {
	RestartPolicy                 string `yaml:"restartPolicy"`
	TerminationGracePeriodSeconds int    `yaml:"terminationGracePeriodSeconds"`
	AutomountServiceAccountToken  *bool  `yaml:"automountServiceAccountToken"`
	SecurityContext               struct {
		RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
		RunAsUser      int                   `yaml:"runAsUser"`
		RunAsGroup     int                   `yaml:"runAsGroup"`
		FSGroup        int                   `yaml:"fsGroup"`
		SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
	Containers []struct {
		Name, Image     string
		Args            []string
		WorkingDir      string `yaml:"workingDir"`
		Env             []variable
		SecurityContext struct {
			AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
			ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
			Capabilities             struct{ Drop []string }
		} `yaml:"securityContext"`
		Resources    struct{ Requests map[string]string }
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name                  string
		ConfigMap             *struct{ Name string } `yaml:"configMap"`
		PersistentVolumeClaim *struct {
			ClaimName string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
		EmptyDir *struct{} `yaml:"emptyDir"`
	}
}

type variable struct {
	Name, Value string
	ValueFrom   struct {
		SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
	} `yaml:"valueFrom"`
}

type claim struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		AccessModes []string `yaml:"accessModes"`
		Resources   struct{ Requests map[string]string }
	}
}

func TestKubernetesHasEachMemberInItsPlace(t *testing.T) {
	job, _ := night(t)
	decoder := yaml.NewDecoder(strings.NewReader(written(t, "kubernetes", job)))
	decoder.KnownFields(true)
	var volume claim
	var c cronJob
	if err := errors.Join(decoder.Decode(&volume), decoder.Decode(&c)); err != nil {
		t.Fatal(err)
	}
	if err := decoder.Decode(&struct{}{}); err != io.EOF {
		t.Errorf("a third document: %v", err)
	}
	if volume.Kind != "PersistentVolumeClaim" || c.Kind != "CronJob" || c.APIVersion != "batch/v1" || c.Spec.TimeZone != "Europe/Berlin" {
		t.Errorf("%+v %+v", volume, c)
	}
	if _, err := cron.ParseStandard(c.Spec.Schedule); err != nil {
		t.Error(err)
	}
	p := c.Spec.JobTemplate.Spec.Template.Spec
	container := p.Containers[0]
	if diff := cmp.Diff([]string{"sync", "members", "--workspace", "/workspace/eventbatch", "--profile", odd}, container.Args); diff != "" {
		t.Error(diff)
	}
	if !p.SecurityContext.RunAsNonRoot || !container.SecurityContext.ReadOnlyRootFilesystem || container.Image != job.Image {
		t.Errorf("%+v", p)
	}
	var secrets []string
	for _, v := range container.Env[1:] {
		secrets = append(secrets, v.Name+" "+v.ValueFrom.SecretKeyRef.Name+" "+v.ValueFrom.SecretKeyRef.Key+v.Value)
	}
	if want := []string{"MAIN_KEY eventbatch-members MAIN_KEY", "ORG_KEY eventbatch-members ORG_KEY"}; !slices.Equal(secrets, want) {
		t.Errorf("%q, want %q", secrets, want)
	}
	mounted := map[string]bool{}
	for _, m := range container.VolumeMounts {
		mounted[m.Name] = true
	}
	for _, v := range p.Volumes {
		if !mounted[v.Name] {
			t.Errorf("%s is mounted nowhere", v.Name)
		}
	}
}

// A job without keys in variables has no place for them.
func TestAJobMayNeedNoVariable(t *testing.T) {
	job, _ := night(t)
	job.Variables, job.Program = nil, "/usr/local/bin/eventbatch"
	for _, kind := range Kinds {
		text := written(t, kind, job)
		for _, word := range []string{"members.env", "EnvironmentFile", "secretKeyRef", "secrets."} {
			if strings.Contains(text, word) {
				t.Errorf("%s has %s:\n%s", kind, word, text)
			}
		}
	}
}

func TestWhatNoQuoteCanHoldIsRefused(t *testing.T) {
	for _, test := range []struct {
		name, kind, want string
		change           func(*Job)
	}{
		{"a line end in a path", "cron", "control character", func(j *Job) { j.Folder = "/a\n* * * * * root x" }},
		{"a blank in the name", "systemd", "letters, digits", func(j *Job) { j.Sync = "a b" }},
		{"a quote in the program", "systemd", "no program", func(j *Job) { j.Program = `/opt/"x"/eventbatch` }},
		{"a path as the name", "launchd", "letters, digits", func(j *Job) { j.Sync = "../x" }},
		{"a capital", "kubernetes", "small letters", func(j *Job) { j.Sync = "Members" }},
		{"a blank in the user", "cron", "no blanks", func(j *Job) { j.User = "a b" }},
		{"an expression", "github", "expression", func(j *Job) { j.Flags = []string{"--profile", "${{ secrets.X }}"} }},
	} {
		job, _ := night(t)
		job.Program = "/usr/local/bin/eventbatch"
		test.change(&job)
		if err := Write(io.Discard, test.kind, job); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestATimeOfDayIsRead(t *testing.T) {
	for text, want := range map[string]string{"03:00": "03:00", "3:05": "03:05", "23:59": "23:59"} {
		if c, err := ParseClock(text); err != nil || c.String() != want {
			t.Errorf("%s: %s %v", text, c, err)
		}
	}
	for _, text := range []string{"", "24:00", "3", "03:00:00", "noon"} {
		if c, err := ParseClock(text); err == nil {
			t.Errorf("%q is %s", text, c)
		}
	}
}

// A unit whose folder lies below /tmp could not enter it were its /tmp its own.
func TestUnitBelowTmpHasTheTmpOfAll(t *testing.T) {
	for folder, own := range map[string]bool{
		"/srv/events": true, "/tmp": false, "/tmp/events": false, "/var/tmp/events": false, "/tmpfiles": true, "/srv/tmp/x": true,
	} {
		for _, job := range []Job{
			{Host: Host{Program: "/usr/bin/eventbatch", User: "nobody", Folder: folder, Workspace: folder + "/.eventbatch"}},
			{
				Host:  Host{Program: "/usr/bin/eventbatch", User: "nobody", Folder: "/srv", Workspace: "/srv/.eventbatch"},
				Flags: []string{"--config=" + folder + "/eventbatch.yaml"},
			},
		} {
			job.Sync, job.Schedule = "members", Schedule{At: Clock{3, 5}, Zone: "Europe/Berlin"}
			if got := strings.Contains(written(t, "systemd", job), "PrivateTmp=yes"); got != own {
				t.Errorf("%s, %q: PrivateTmp is %v", folder, job.Flags, got)
			}
		}
	}
}
