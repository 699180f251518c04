package secret

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"

	"eventbatch/mapping/failure"
)

// TestMain makes this binary the program of the commands under test.
func TestMain(m *testing.M) {
	switch os.Getenv("SECRET_TEST_PROGRAM") {
	case "":
		keyring.MockInit()
		os.Exit(m.Run())
	case "key":
		os.Stdout.WriteString(canary + "\n")
	case "crlf":
		os.Stdout.WriteString(canary + "\r\n")
	case "lines":
		os.Stdout.WriteString(canary + "\nuser: x\n")
	case "fail":
		os.Stdout.WriteString(canary)
		os.Stderr.WriteString("cannot unlock " + canary)
		os.Exit(3)
	case "flood":
		os.Stdout.WriteString(strings.Repeat(canary, 10_000))
	case "environment":
		if os.Getenv("EVENTBATCH_API_KEY") != "" {
			os.Exit(4)
		}
		os.Stdout.WriteString(strings.Join(os.Args[1:], ","))
	case "sleep":
		time.Sleep(time.Minute)
	case "silent":
	}
}

func sources(program string, environ ...string) Sources {
	return Sources{
		Environ: append(environ, "SECRET_TEST_PROGRAM="+program, "EVENTBATCH_API_KEY="+canary),
		Lookup: func(name string) (string, bool) {
			value, ok := map[string]string{"KEY": canary, "EMPTY": "", "LINES": canary + "\n" + canary}[name]
			return value, ok
		},
	}
}

func self(t *testing.T, args ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "cmd:" + strings.Join(append([]string{"'" + exe + "'"}, args...), " ")
}

func TestSourcesGiveTheKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "k")
	if err := os.WriteFile(file, []byte(canary+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := keyring.Set("eventbatch", "main/one", canary); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ ref, program string }{
		"environment":      {"env:KEY", ""},
		"file":             {"file:" + file, ""},
		"command":          {self(t), "key"},
		"command, CRLF":    {self(t), "crlf"},
		"command's words":  {self(t, `canary-3f9a1c77""`+`d0e84b52`), "environment"},
		"keyring":          {"keyring:eventbatch/main/one", ""},
		"blank after cmd:": {strings.Replace(self(t), "cmd:", "cmd:  ", 1), "key"},
	} {
		ref, err := ParseRef(c.ref)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := sources(c.program).Read(t.Context(), ref)
		if err != nil || got.Reveal() != canary {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRelativeFilesStartAtDir(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k"), []byte(canary), 0o400); err != nil {
		t.Fatal(err)
	}
	home := Sources{Lookup: func(string) (string, bool) { return dir, true }}
	for ref, s := range map[string]Sources{"file:k": {Dir: dir}, "file:~/k": home} {
		r, err := ParseRef(ref)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Read(t.Context(), r); err != nil || got.Reveal() != canary {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

func TestSourcesThatGiveNoKey(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return "file:" + path
	}
	for name, c := range map[string]struct{ ref, program, want, hint string }{
		"unset variable":      {"env:NONE", "", "not set", ""},
		"empty variable":      {"env:EMPTY", "", "empty", ""},
		"lines in variable":   {"env:LINES", "", "line break", "alone"},
		"no file":             {"file:" + dir + "/none", "", "no such file", ""},
		"directory":           {"file:" + dir, "", "directory", ""},
		"empty file":          {write("empty", "\n", 0o600), "", "empty", ""},
		"readable by group":   {write("group", canary, 0o640), "", "0640", "chmod 600 " + dir + "/group"},
		"readable by all":     {write("all", canary, 0o604), "", "0604", "chmod 600"},
		"two lines":           {write("two", canary+"\n"+canary+"\n", 0o600), "", "line break", "alone"},
		"two trailing lines":  {write("trail", canary+"\n\n", 0o600), "", "line break", "alone"},
		"byte-order mark":     {write("bom", "\ufeff"+canary, 0o600), "", "not ASCII", "alone"},
		"huge file":           {write("huge", strings.Repeat(canary, 1<<16), 0o600), "", "long", ""},
		"failing command":     {self(t), "fail", "exit status 3", "by hand"},
		"command's lines":     {self(t), "lines", "line break", "alone"},
		"flooding command":    {self(t), "flood", "more than", ""},
		"silent command":      {self(t), "silent", "empty", ""},
		"no such program":     {"cmd:/nowhere/at/all", "", "no such program", ""},
		"program not in PATH": {"cmd:eventbatch-no-such-program", "", "no such program", ""},
		"no keyring entry":    {"keyring:a/b", "", "no such entry", "first"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("modes are those of Unix")
			}
			ref, err := ParseRef(c.ref)
			if err != nil {
				t.Fatal(err)
			}
			s, err := sources(c.program).Read(t.Context(), ref)
			e, ok := errors.AsType[*failure.Error](err)
			if !ok || !s.IsZero() {
				t.Fatalf("got %v, %v", s, err)
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(e.Hint(), c.hint) || (c.hint == "") != (e.Hint() == "") {
				t.Errorf("error %q, hint %q; want %q, %q", err, e.Hint(), c.want, c.hint)
			}
			if strings.Contains(err.Error()+e.Hint(), canary[:8]) {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

func TestKeyringThatIsNotThere(t *testing.T) {
	keyring.MockInitWithError(errors.New("no bus"))
	defer keyring.MockInit()
	_, err := Sources{}.Read(t.Context(), Ref{"keyring", "a/b"})
	if e, ok := errors.AsType[*failure.Error](err); !ok || e.Hint() == "" || !strings.Contains(err.Error(), "no bus") {
		t.Errorf("got %v", err)
	}
}

func TestCommandIsBoundedInTime(t *testing.T) {
	s := sources("sleep")
	s.Timeout = 50 * time.Millisecond
	ref, err := ParseRef(self(t))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := s.Read(t.Context(), ref); err == nil || !strings.Contains(err.Error(), "within 50ms") {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sources("sleep").Read(ctx, ref); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestKeyringIsBoundedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := func(string, string) (string, error) {
			time.Sleep(time.Hour)
			return canary, nil
		}
		start := time.Now()
		_, _, err := Sources{Timeout: time.Minute}.ask(t.Context(), ask, "a/b")
		if err == nil || time.Since(start) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := (Sources{Timeout: time.Minute}).ask(ctx, ask, "a/b"); err == nil {
			t.Error("no error")
		}
		time.Sleep(2 * time.Hour) // the store answers, the goroutines end
	})
}

func TestParseRef(t *testing.T) {
	for text, want := range map[string]Ref{
		"env:A":                   {"env", "A"},
		"file: /run/secrets/a:b ": {"file", "/run/secrets/a:b"},
		"cmd:pass show a/b":       {"cmd", "pass show a/b"},
		"keyring:s/u":             {"keyring", "s/u"},
	} {
		if got, err := ParseRef(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", canary, "key:" + canary, "ENV:" + canary, "env:", "file: ", "env:a\nb",
		"keyring:" + canary, "keyring:/" + canary, "keyring:" + canary + "/", "cmd:'" + canary, "cmd:" + canary + " | head", "cmd:''",
	} {
		_, err := ParseRef(text)
		if err == nil {
			t.Errorf("%q is accepted", text)
		} else if strings.Contains(err.Error(), canary) {
			t.Errorf("the error repeats the text: %v", err)
		}
	}
	if got := (Ref{"cmd", "vault -token=" + canary}).String(); got != "cmd:vault" {
		t.Errorf("a command is shown as %q", got)
	}
}

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		`pass show a/b`:             {"pass", "show", "a/b"},
		"  a\tb ":                   {"a", "b"},
		`sh -c 'cat k | head -n1'`:  {"sh", "-c", "cat k | head -n1"},
		`a "b c"d 'e'"f" ""`:        {"a", "b cd", "ef", ""},
		`a\ b "c\"d" 'e\f' \$`:      {"a b", `c"d`, `e\f`, "$"},
		`op read op://Vault/x/y?z*`: {"op", "read", "op://Vault/x/y?z*"},
	} {
		got, err := split(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	for _, line := range []string{"", " ", `'a`, `"a`, `a\`, `a | b`, `a > b`, `a; b`, `a && b`, `a $B`, `a "$B"`, "a `b`", "a (b)", `''`} {
		if words, err := split(line); err == nil {
			t.Errorf("%s: %q", line, words)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`pass show a/b`, `sh -c 'a | b'`, `a "b\"c" \ d`, `'`, `"\`, "a\x00b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := split(line)
		if err != nil {
			return
		}
		// Each word, quoted, comes back.
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		again, err := split(strings.Join(quoted, " "))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(words, again); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzNew(f *testing.F) {
	for _, seed := range []string{canary, "", "a b", "a\n", "é", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		s, err := New(value)
		if err != nil {
			if len(value) > 12 && strings.Contains(err.Error(), value) {
				t.Errorf("the error holds the value: %v", err)
			}
			return
		}
		if s.Reveal() != value || bytes.ContainsFunc([]byte(value), func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q", value)
		}
	})
}
