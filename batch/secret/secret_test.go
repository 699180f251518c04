package secret

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/yamldoc"
)

const canary = "canary-3f9a1c77d0e84b52"

func mustNew(t *testing.T, value string) Secret {
	t.Helper()
	s, err := New(value)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type holder struct {
	Exported   Secret
	hidden     Secret
	Credential Credential
	inner      *Secret
}

func TestSecretIsNeverPrinted(t *testing.T) {
	s := mustNew(t, canary)
	h := holder{s, s, Credential{Kind: Calendar, Secret: s}, &s}
	for _, value := range []any{s, &s, h, &h, []Secret{s}, map[string]Secret{"a": s}, struct{ e error }{fmt.Errorf("with %v", s)}} {
		for verb := range strings.SplitSeq("v +v #v s q x X d t c b o e f g p U T", " ") {
			if out := fmt.Sprintf("%"+verb, value); strings.Contains(out, canary) || strings.Contains(
				out, fmt.Sprintf("%x", canary),
			) || strings.Contains(out, fmt.Sprintf("%X", canary)) {
				t.Errorf("%%%s of %T prints the key: %s", verb, value, out)
			}
		}
	}
	if got := fmt.Sprintf("%v %s %q %d %#v", s, s, s, s, s); got != strings.TrimSpace(strings.Repeat(Redacted+" ", 5)) {
		t.Errorf("verbs print %q", got)
	}
}

func TestSecretIsNeverEncoded(t *testing.T) {
	s := mustNew(t, canary)
	h := holder{Exported: s, hidden: s, Credential: Credential{Secret: s}, inner: &s}
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(h); err != nil {
		t.Error(err)
	}
	if err := xml.NewEncoder(&out).Encode(h); err != nil {
		t.Error(err)
	}
	doc, err := yamldoc.Encode(struct {
		Key Secret `yaml:"key"`
	}{s})
	if err != nil {
		t.Error(err)
	}
	out.Write(doc)
	_ = gob.NewEncoder(&out).Encode(struct{ A Secret }{s}) // as a text, or refused
	for _, handler := range []slog.Handler{
		slog.NewTextHandler(&out, nil),
		slog.NewJSONHandler(&out, nil),
	} {
		slog.New(handler).Info("m", "key", s, "holder", h, "pointer", &h, slog.Any("group", []any{s, &s}))
	}
	if strings.Contains(out.String(), canary) {
		t.Errorf("encoded: %s", out.String())
	}
	if n := strings.Count(out.String(), Redacted); n < 8 {
		t.Errorf("%d places say %s, want at least 8:\n%s", n, Redacted, out.String())
	}
}

func TestSecretIsNotReachableByReflection(t *testing.T) {
	var walk func(v reflect.Value, depth int)
	walk = func(v reflect.Value, depth int) {
		if depth > 10 {
			return
		}
		switch v.Kind() {
		case reflect.String:
			if v.String() == canary {
				t.Error("reflection finds the key")
			}
		case reflect.Pointer, reflect.Interface:
			walk(v.Elem(), depth+1)
		case reflect.Struct:
			for _, field := range v.Fields() {
				walk(field, depth+1)
			}
		}
	}
	s := mustNew(t, canary)
	walk(reflect.ValueOf(holder{s, s, Credential{Secret: s}, &s}), 0)
}

func TestNewRefusesWhatCannotBeAKey(t *testing.T) {
	for name, value := range map[string]string{
		"nothing":           "",
		"line feed":         canary + "\n" + canary,
		"trailing newline":  canary + "\n",
		"carriage return":   canary + "\r",
		"NUL":               canary + "\x00",
		"escape":            "\x1b[0m" + canary,
		"delete":            canary + "\x7f",
		"blank":             canary + " " + canary,
		"tab":               "\t" + canary,
		"no ASCII":          canary + "é",
		"invalid UTF-8":     canary + "\xff",
		"far too long":      strings.Repeat(canary, 1000),
		"zero-width joiner": canary + "\u200d",
	} {
		s, err := New(value)
		if err == nil || !s.IsZero() {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), canary[:8]) {
			t.Errorf("%s: the error holds the key: %v", name, err)
		}
	}
}

func TestFingerprint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[!-~]{1,64}`).Draw(t, "key")
		other := rapid.StringMatching(`[!-~]{1,64}`).Draw(t, "other")
		a, err := New(value)
		if err != nil {
			t.Fatal(err)
		}
		b, err := New(other)
		if err != nil {
			t.Fatal(err)
		}
		if a.Reveal() != value {
			t.Fatal("another value is revealed")
		}
		if len(a.Fingerprint()) != 12 || strings.Trim(a.Fingerprint(), "0123456789abcdef") != "" {
			t.Fatalf("fingerprint %q", a.Fingerprint())
		}
		if (a.Fingerprint() == b.Fingerprint()) != (value == other) || a.Equal(b) != (value == other) {
			t.Fatalf("%q and %q", value, other)
		}
	})
	if got := (Secret{}).Fingerprint(); got != "" {
		t.Errorf("fingerprint of nothing is %q", got)
	}
	// Journals hold it: another hash would unbind every run.
	if got := mustNew(t, canary).Fingerprint(); got != "121ad12e3691" {
		t.Errorf("fingerprint %q", got)
	}
}

func TestParseKind(t *testing.T) {
	for text, want := range map[string]Kind{"": Calendar, "calendar": Calendar, " OAuth ": OAuth, "Organization": Organization} {
		if got, err := ParseKind(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := ParseKind("org"); err == nil {
		t.Error("org is taken for a kind")
	}
}

func TestParseBase(t *testing.T) {
	for address, fault := range map[string]string{
		"https://api.example.com":            "",
		"https://api.example.com/public/":    "",
		"http://localhost:8787":              "",
		"http://127.0.0.1:1/v":               "",
		"http://127.8.9.1":                   "",
		"http://[::1]:8787":                  "",
		"http://[::ffff:127.0.0.1]":          "",
		"":                                   "no address",
		"api.example.com":                    "https://",
		"api.example.com:443":                "https://",
		"127.0.0.1:8787":                     "https://",
		"http://api.example.com":             "loopback",
		"http://localhost.example.com":       "loopback",
		"http://127.0.0.1.example.com":       "loopback",
		"http://2130706433":                  "loopback",
		"ftp://example.com":                  "not https",
		"https://":                           "no host",
		"https://:443":                       "no host",
		"https://user:" + canary + "@x.com":  "user or password",
		"https://x.com?key=" + canary:        "query",
		"https://x.com#" + canary:            "fragment",
		"https://x.com:" + canary + "/":      "no URL",
		"https:api.example.com":              "https://",
		"https://exa mple.com/" + canary[:8]: "no URL",
	} {
		_, err := ParseBase(address)
		switch {
		case fault == "" && err != nil:
			t.Errorf("%s: %v", address, err)
		case fault != "" && (err == nil || !strings.Contains(err.Error(), fault)):
			t.Errorf("%s: %v, want %s", address, err, fault)
		case err != nil && strings.Contains(err.Error(), canary[:8]):
			t.Errorf("the error repeats the address: %v", err)
		}
	}
}

func TestCheckHeader(t *testing.T) {
	for _, name := range []string{"x-service-api-key", "Authorization", "X_Key"} {
		if err := CheckHeader(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "a b", "a:b", "a\r\nb", "é", "Idempotency-Key", "X-IDEMPOTENCY-KEY", "host", "Content-Length"} {
		if CheckHeader(name) == nil {
			t.Errorf("%q is accepted", name)
		}
	}
}

func TestMalformedKeyHasAHint(t *testing.T) {
	_, err := New("a\nb")
	if e, ok := errors.AsType[*failure.Error](err); !ok || e.Hint() == "" {
		t.Errorf("%v", err)
	}
}
