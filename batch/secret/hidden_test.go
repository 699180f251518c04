package secret

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"eventbatch/mapping/failure"
)

func TestAddressShowsItsHostOnly(t *testing.T) {
	const text = "https://feeds.example:8443/" + canary + "/e.csv?key=" + canary
	a, err := ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	if a.URL().String() != text {
		t.Errorf("it leads to %s", a.URL())
	}
	const short = "https://feeds.example:8443#"
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "a", a, "in", struct{ A Address }{a})
	object, err := json.Marshal(map[string]any{"a": a, "in": []Address{a}})
	if err != nil {
		t.Fatal(err)
	}
	in := struct {
		A *Address
		b Address
	}{&a, a}
	for _, shown := range []string{
		a.String(), fmt.Sprintf("%v", a), fmt.Sprintf("%+v", in), fmt.Sprintf("%#v", in.b), fmt.Sprintf("%x %q %d", a, a, a), log.String(),
		string(object), fmt.Sprint(errors.New(a.String())),
	} {
		if strings.Contains(shown, canary) || strings.Contains(shown, fmt.Sprintf("%x", canary)) {
			t.Errorf("it is shown: %s", shown)
		}
	}
	if !strings.HasPrefix(a.String(), short) || len(a.String()) != len(short)+6 {
		t.Errorf("%s", a)
	}
	b, err := ParseAddress(text + "x")
	if err != nil || a.String() == b.String() {
		t.Errorf("two addresses are both %s, %v", a, err)
	}
	if (Address{}).String() != "" || !(Address{}).IsZero() || a.IsZero() {
		t.Error("the zero address")
	}
	var censor Censor
	a.AddTo(&censor)
	for _, said := range []string{text, "GET /" + canary + "/e.csv", canary} {
		if got := censor.Redact("cannot " + said); strings.Contains(got, canary) {
			t.Errorf("%q is left as %q", said, got)
		}
	}
}

func TestParseAddress(t *testing.T) {
	for _, text := range []string{
		"https://a.example", "https://a.example/b?c=d%20e", "http://127.0.0.1:1/x", "http://[::1]/", "HTTPS://a.example/",
		"https://docs.google.com/spreadsheets/d/x/export?format=csv&gid=7", "https://docs.google.com/spreadsheets/d/e/x/pub?output=csv",
	} {
		if _, err := ParseAddress(text); err != nil || !IsAddress(text) {
			t.Errorf("%s: %v", text, err)
		}
	}
	const sheets = "https://docs.google.com/spreadsheets/d/"
	for text, want := range map[string]string{
		"":                                                    "does not begin",
		"/etc/passwd":                                         "does not begin",
		"https:a.example/" + canary:                           "no URL",
		"https://" + canary + "\x00":                          "no URL",
		"https://me:" + canary + "@a.example":                 "user or password",
		"https://" + canary + "@a.example":                    "user or password",
		"https:///" + canary:                                  "no host",
		"http://a.example/" + canary:                          "loopback",
		"ftp://a.example/" + canary:                           "not https",
		"https://a.example/#" + canary:                        "never sent",
		sheets + canary + "/edit?gid=7#gid=7":                 "in place of edit and what follows it write export?format=csv&gid=7",
		sheets + canary + "/edit":                             "write export?format=xlsx",
		sheets + canary + "/edit?usp=sharing#gid=" + canary:   "write export?format=xlsx",
		sheets + "e/" + canary + "/pubhtml?gid=0&single=true": "in place of pubhtml and what follows it write pub?output=csv&gid=0",
	} {
		_, err := ParseAddress(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), canary) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, path := range []string{"events.csv", "https", "https:/x", "s3://b/c", "C:\\x", "a/https://b", "-"} {
		if IsAddress(path) {
			t.Errorf("%s is taken for an address", path)
		}
	}
}

func TestPhrasesMayHaveBlanks(t *testing.T) {
	values := map[string]string{
		"AUTH": "Bearer " + canary, "GERMAN": "pässwort " + canary, "EMPTY": "", "LINES": canary + "\nx", "BAD": canary + "\xff",
		"HOOK": "https://hooks.example/" + canary, "WRONG": "http://hooks.example/" + canary,
	}
	s := Sources{Lookup: func(name string) (string, bool) { v, ok := values[name]; return v, ok }}
	for _, name := range []string{"AUTH", "GERMAN"} {
		if got, err := s.ReadPhrase(t.Context(), Ref{"env", name}); err != nil || got.Reveal() != values[name] {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, want := range map[string]string{"EMPTY": "it is empty", "LINES": "line break", "BAD": "not UTF-8", "NONE": "not set"} {
		_, err := s.ReadPhrase(t.Context(), Ref{"env", name})
		if !errors.Is(err, failure.NoKey) || !strings.HasPrefix(err.Error(), "reading env:"+name+": ") ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if a, err := s.ReadAddress(t.Context(), Ref{"env", "HOOK"}); err != nil || a.URL().Path != "/"+canary {
		t.Errorf("%v, %v", a, err)
	}
	for _, name := range []string{"WRONG", "EMPTY", "AUTH"} {
		_, err := s.ReadAddress(t.Context(), Ref{"env", name})
		if !errors.Is(err, failure.NoKey) || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{"https://a.example/b", "http://[::1%25eth0]/", "https://\u00e4.example", "https://a:b@c", "https://%61"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			if len(text) > 12 && strings.Contains(err.Error(), text) {
				t.Errorf("the error repeats the address: %v", err)
			}
			return
		}
		if u := a.URL(); u.Hostname() == "" || u.User != nil || MayTravel(u) != nil {
			t.Errorf("%q", text)
		}
	})
}
