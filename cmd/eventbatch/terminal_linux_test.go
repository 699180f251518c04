package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"eventbatch/batch/sandbox"
)

// TestNothingIsAskedOfATerminal runs a command on a terminal that answers no
// questions, as a slow line or a recorder does: it must neither put one into the
// output nor wait for the answer.
func TestNothingIsAskedOfATerminal(t *testing.T) {
	control, terminal := openTerminal(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{
		Path: self, Args: []string{"eventbatch", "version"}, Env: []string{"TERM=xterm-256color", "HOME=" + t.TempDir()}, Dir: t.TempDir(),
		Stdin: terminal, Stdout: terminal, Stderr: terminal,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	shown, _ := io.ReadAll(control) // ends with EIO when the command has gone
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if strings.Contains(string(shown), "\x1b") || !strings.HasPrefix(string(shown), "eventbatch ") {
		t.Errorf("the terminal was sent %q", shown)
	}
	if took := time.Since(begin); took > 4*time.Second {
		t.Errorf("it took %s", took)
	}
}

// The first rows of a file fit into a terminal, which has 80 columns where it says no other number, and the
// times stand there before anybody was asked for their zone.
func TestTheRowsOfALookFitIntoATerminal(t *testing.T) {
	dir := t.TempDir()
	rows := "Titel;Datum;Uhrzeit;Ort;Plätze\nEin Abend mit vielen schönen Liedern;19.06.2027;14-17 Uhr;" +
		"Gemeindesaal am Markt, Hauptstraße 5;120\nTanz;26.06.2027;20 Uhr;Saal;\n"
	later := rows + "Sommernacht;27.06.2027;20-2 Uhr;Saal;\n" // the date of its end takes room from the texts
	if err := os.WriteFile(filepath.Join(dir, "verein.csv"), []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	text, _ := answered(t, dir, "n\n", "verein.csv")
	if want := "2 2027-06-19 Sat 14:00 17:00 Ein Abend mit vi… Gemeindesaal am… 120 3"; !strings.Contains(text, want) {
		t.Errorf("%q is not in %s", want, text)
	}
	if err := os.WriteFile(filepath.Join(dir, "verein.csv"), []byte(later), 0o600); err != nil {
		t.Fatal(err)
	}
	text, _ = answered(t, dir, "n\n", "verein.csv")
	if want := "4 2027-06-27 Sun 20:00 2027-06-28 02:00 Sommernacht Saal"; !strings.Contains(text, want) {
		t.Errorf("%q is not in %s", want, text)
	}
	if first := "2 2027-06-19 Sat 14:00 17:00 Ein Abend m… Gemeindesaa… 120 3"; !strings.Contains(text, first) {
		t.Errorf("%q is not in %s", first, text)
	}
}

// On a terminal a look ends with the question whether to open the page, to which Return says yes where something is
// wrong with the file.
func TestALookOffersThePage(t *testing.T) {
	const sound, wrong = "key,name,start_at,timezone\na,Tea,2027-03-01 19:00,Europe/Paris\n", "key,name,start_at\na,Tea,2027-03-01 19:00\n"
	for _, test := range []struct {
		name, rows, answer, asks string
		code                     int
		opens                    bool
	}{
		{"yes", sound, "y\n", "open it in the browser? [y/N]", exitDone, true},
		{"return", sound, "\n", "open it in the browser? [y/N]", exitDone, false},
		{"return, to mend", wrong, "\n", "open it in the browser? [Y/n]", exitDone, true},
		{"no", wrong, "n\n", "open it in the browser? [Y/n]", exitInvalid, false},
		{"the end of the input", wrong, "\x04", "open it in the browser? [Y/n]", exitInvalid, false},
		{"nothing to be seen", "", "", "", exitInvalid, false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "tea.csv"), []byte(test.rows), 0o600); err != nil {
			t.Fatal(err)
		}
		text, code := talked(t, dir, test.answer, "Ctrl-C ends", "\x03", "tea.csv")
		if code != test.code || !strings.Contains(text, test.asks) || strings.Contains(text, "in the browser?") != (test.asks != "") {
			t.Errorf("%s: exit code %d: %s", test.name, code, text)
		}
		if opens := strings.Contains(text, "the link works once") && strings.Contains(text, "http://127.0.0.1:"); opens != test.opens {
			t.Errorf("%s: the page is open is %t: %s", test.name, opens, text)
		}
	}
}

// Before questions are answered no row is read, and nothing is said of how many there are.
func TestNoRowsAreToldBeforeTheyAreRead(t *testing.T) {
	dir := t.TempDir()
	for rows, want := range map[string]string{
		"Veranstaltung,Datum,Uhrzeit\nSommerfest,19.06.2027,14:00\n":                                 "",
		"key,name,start_at,timezone\na,Tea,2027-03-01 19:00,Europe/Paris\nb,Tea,soon,Europe/Paris\n": "2 rows · 1 with mistakes · ",
	} {
		if err := os.WriteFile(filepath.Join(dir, "tea.csv"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		text, _ := talked(t, dir, "", "Ctrl-C ends", "\x03", "open", "tea.csv", "--no-browser")
		_, said, _ := strings.Cut(text, "#") // the link
		if _, said, _ = strings.Cut(said, " "); !strings.HasPrefix(said, want+"Ctrl-C ends") {
			t.Errorf("it says %q behind the link, want %q: %s", said, want, text)
		}
	}
}

// On a terminal a check of a file that needs a mapping goes on with map.
func TestCheckOffersToMap(t *testing.T) {
	for _, test := range []struct {
		name, answers string
		code          int
		says          string
		maps          bool
	}{
		{"yes", "y\n\n\n", exitDone, "next: eventbatch check verein.csv --mapping verein.map.yaml", true},
		{"return", "\n\n\n", exitDone, "mapping: verein.map.yaml", true},
		{"no", "n\n", exitInvalid, "the input cannot be read", false},
		{"the end of the input", "y\n\x04", exitInterrupted, "interrupted: nothing was written", false},
	} {
		dir := t.TempDir()
		const rows = "Unsere Termine,,\n,,\nVeranstaltung,Datum,Uhrzeit\nSommerfest,19.06.2027,14:00\n"
		if err := os.WriteFile(filepath.Join(dir, "verein.csv"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		text, code := answered(t, dir, test.answers, "check", "verein.csv", "--timezone", "Europe/Berlin")
		if code != test.code {
			t.Errorf("%s: exit code %d, want %d", test.name, code, test.code)
		}
		if !strings.Contains(text, "start map now? [Y/n]") || !strings.Contains(text, test.says) {
			t.Errorf("%s: %s", test.name, text)
		}
		if strings.Contains(text, "map proposes") {
			t.Errorf("%s: the offer is a hint too: %s", test.name, text)
		}
		if _, err := os.Stat(filepath.Join(dir, "verein.map.yaml")); (err == nil) != test.maps {
			t.Errorf("%s: the mapping: %v", test.name, err)
		}
	}
}

// An import of a file that map knows more of offers map before it asks whether to send.
func TestImportOffersToMap(t *testing.T) {
	const rows = "ID,Title,Start,Timezone,Max\na1,Tea,2027-03-01 19:00,Europe/Paris,40\n"
	for _, test := range []struct{ name, answers, says, never string }{
		{"yes", "y\n\n\n", "next: eventbatch check tea.csv --mapping tea.map.yaml", "create 1 event at"},
		{"no", "n\nn\n", "create 1 event at", "next: eventbatch check"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "tea.csv"), []byte(rows), 0o600); err != nil {
			t.Fatal(err)
		}
		text, _ := answered(t, dir, test.answers, "import", "tea.csv", "--sandbox")
		const knows = `map knows 1 more column ("Max")`
		if !strings.Contains(text, knows) || !strings.Contains(text, test.says) || strings.Contains(text, test.never) {
			t.Errorf("%s: %s", test.name, text)
		}
	}
}

// At a terminal init asks for what it has to know, until each answer can be used, and ends with
// a first sync, or with what to type for it.
func TestInitAsks(t *testing.T) {
	service, err := sandbox.New(sandbox.Config{Keys: sandbox.BuiltIn("").Keys, Calendars: sandbox.BuiltIn("").Calendars})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service)
	defer server.Close()
	t.Setenv("CALENDAR_KEY", sandbox.CalendarSecret)
	t.Setenv("ORGANIZATION_KEY", sandbox.OrganizationSecret)
	const calendar = "env:CALENDAR_KEY\n" + sandbox.CalendarID + "\n"
	for _, test := range []struct {
		name, answers string
		code          int
		says          []string
		writes        string // into eventbatch.yaml; empty where there is none
	}{
		{
			"every answer wrong once", "example.com\nURL\n" + sandbox.CalendarSecret +
				"\nenv:CALENDAR_KEY\ntwo words\n" + sandbox.CalendarID +
				"\nnone.csv\nfew.csv\ny\n", exitDone,
			[]string{
				"it does not begin with https://", "it is not a reference to where it is kept", "an id has no blanks",
				"none.csv: no such file or directory", "accepted, of Sandbox " + sandbox.CalendarID, "2 rows: 2 created",
				"next: eventbatch sync few --dry-run",
			},
			`syncs: few: file: "few.csv"`,
		},
		{
			"key of an organization, no file", "URL\nenv:ORGANIZATION_KEY\n\n\n", exitDone,
			[]string{"(Return: it is the key of an organization)", "for organization main: accepted"},
			`{kind: organization, organization: main, from: "env:ORGANIZATION_KEY"}`,
		},
		{
			"no trial", "URL\n" + calendar + "few.csv\nn\n", exitDone, []string{"next: eventbatch sync few --dry-run"}, "few.csv",
		},
		{
			"more than a first night makes", "URL\n" + calendar + "many.csv\n\n", exitRefused,
			[]string{"a first night creates 200 rows at most", "say once: eventbatch sync many --sandbox --max-create 201"},
			"many.csv",
		},
		{
			"headers of their own", "URL\n" + calendar + "verein.csv\n\n", exitInvalid,
			[]string{"eventbatch map", "say so in eventbatch.yaml, in sync verein: mapping: verein.map.yaml"},
			"verein.csv",
		},
		{
			"no time zone", "URL\n" + calendar + "zoneless.csv\n\n", exitInvalid,
			[]string{"eventbatch.yaml below zoneless:, such as timezone: Europe/Berlin; then: eventbatch sync zoneless --sandbox"},
			"zoneless.csv",
		},
		{"a key that is none", "URL\nenv:NO_KEY\ncal-1\n\n", exitNoPerm, []string{"eventbatch.yaml: written", "NO_KEY"}, "NO_KEY"},
		{"the end of the input", "URL\n\x04", exitRefused, []string{"no answer: nothing is written"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			var many strings.Builder
			many.WriteString("key,name,start_at,timezone\n")
			for i := range 201 {
				many.WriteString(fmt.Sprintf("k%d,Tea %d,2027-04-03T18:00:00Z,Etc/UTC\n", i, i))
			}
			for name, rows := range map[string]string{
				"few.csv":      "key,name,start_at,timezone\na,Tea,2027-04-03 18:00,Etc/UTC\nb,Cake,2027-04-04 18:00,Etc/UTC\n",
				"many.csv":     many.String(),
				"zoneless.csv": "key,name,start_at\na,Tea,2027-04-03 18:00\n",
				"verein.csv":   "Veranstaltung,Datum\nSommerfest,19.06.2027\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(rows), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			text, code := answered(t, dir, strings.Replace(test.answers, "URL", server.URL, 1), "init")
			if code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			for _, words := range test.says {
				if !strings.Contains(text, words) {
					t.Errorf("it does not say %q", words)
				}
			}
			written, err := os.ReadFile(filepath.Join(dir, "eventbatch.yaml"))
			got := strings.Join(strings.Fields(string(written)), " ")
			if (err == nil) != (test.writes != "") || !strings.Contains(got, test.writes) {
				t.Errorf("eventbatch.yaml: %v %s", err, got)
			}
			if strings.Contains(string(written), sandbox.CalendarSecret) {
				t.Error("the key is in eventbatch.yaml")
			}
			if t.Failed() {
				t.Log(text)
			}
			if test.name != "more than a first night makes" {
				return
			}
			if text, code := answered(t, dir, "", "sync", "many", "--sandbox", "--max-create", "201", "--dry-run"); code != exitDone {
				t.Errorf("what is said to be typed: exit code %d: %s", code, text)
			}
		})
	}
}

// answered runs a command in a folder on a terminal with what a person types, and returns what
// it shows, with one blank for all that is blank.
func answered(t *testing.T, dir, answers string, args ...string) (shown string, code int) {
	t.Helper()
	return talked(t, dir, answers, "", "", args...)
}

// talked is answered by a person who types something else once the command has said a word.
func talked(t *testing.T, dir, answers, word, then string, args ...string) (shown string, code int) {
	t.Helper()
	control, terminal := openTerminal(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{
		Path: self, Args: append([]string{"eventbatch"}, args...), Dir: dir,
		Env: []string{
			"TERM=dumb", "HOME=" + dir, "CALENDAR_KEY=" + os.Getenv("CALENDAR_KEY"), "ORGANIZATION_KEY=" + os.Getenv("ORGANIZATION_KEY"),
		},
		Stdin: terminal, Stdout: terminal, Stderr: terminal, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true},
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	if _, err := control.WriteString(answers); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	part := make([]byte, 4096)
	for {
		n, err := control.Read(part)
		text.Write(part[:n])
		if word != "" && bytes.Contains(text.Bytes(), []byte(word)) {
			if _, err := control.WriteString(then); err != nil {
				t.Fatal(err)
			}
			word = ""
		}
		if err != nil { // EIO when the command has gone
			break
		}
	}
	_ = cmd.Wait()
	return strings.Join(strings.Fields(text.String()), " "), cmd.ProcessState.ExitCode()
}

// openTerminal makes a terminal of 80 columns and the side that controls it.
func openTerminal(t *testing.T) (control, terminal *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no terminals here:", err)
	}
	t.Cleanup(func() { control.Close() })
	fd := int(control.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	return control, terminal
}
