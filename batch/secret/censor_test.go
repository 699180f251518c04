package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const censored = "sk-live_7f3a.9b2c+5d/81"

func censorOf(t testing.TB, keys ...string) *Censor {
	t.Helper()
	c := new(Censor)
	for _, key := range keys {
		s, err := New(key)
		if err != nil {
			t.Fatal(err)
		}
		c.Add(s)
	}
	return c
}

// each writes every byte of a text in one form.
func each(form, text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, form, c)
	}
	return b.String()
}

// writings are ways to write a key down.
var writings = map[string]func(key string) string{
	"plain":         func(key string) string { return key },
	"upper case":    strings.ToUpper,
	"hex":           func(key string) string { return hex.EncodeToString([]byte(key)) },
	"upper hex":     func(key string) string { return strings.ToUpper(hex.EncodeToString([]byte(key))) },
	"hex dump":      func(key string) string { return fmt.Sprintf("% x", key) },
	"upper dump":    func(key string) string { return fmt.Sprintf("% X", key) },
	"hex pairs":     func(key string) string { return strings.ReplaceAll(fmt.Sprintf("% x", key), " ", ":") },
	"decimal":       func(key string) string { return fmt.Sprint([]byte(key)) },
	"JSON bytes":    func(key string) string { return strings.ReplaceAll(fmt.Sprint([]byte(key)), " ", ",") },
	"list of bytes": func(key string) string { return strings.ReplaceAll(fmt.Sprint([]byte(key)), " ", ", ") },
	"base64":        func(key string) string { return base64.StdEncoding.EncodeToString([]byte(key)) },
	"bare base64":   func(key string) string { return base64.RawStdEncoding.EncodeToString([]byte(key)) },
	"base64url":     func(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) },
	"login":         func(key string) string { return base64.StdEncoding.EncodeToString([]byte("a:" + key)) },
	"longer login":  func(key string) string { return base64.URLEncoding.EncodeToString([]byte("ab:" + key + "x")) },
	"query":         url.QueryEscape,
	"percent":       func(key string) string { return each("%%%02X", key) },
	"twice percent": func(key string) string { return url.QueryEscape(each("%%%02x", key)) },
	"entities":      func(key string) string { return each("&#%d;", key) },
	"hex entities":  func(key string) string { return each("&#x%x;", key) },
	"names":         strings.NewReplacer("_", "&lowbar;", ".", "&period;", "/", "&sol;", "+", "&plus;").Replace,
	"escapes":       func(key string) string { return each(`\u%04x`, key) },
	"byte escapes":  func(key string) string { return each(`\x%02x`, key) },
	"JSON in JSON": func(key string) string {
		inner, _ := json.Marshal(each(`\u%04x`, key))
		return string(inner)
	},
}

// hide puts characters that nobody sees into a text.
func hide(text string) string {
	unseen := []string{"\u200b", "\u00ad", "\u202e", "\x00", "\x1b", "\ufeff", "\u034f", "\ufe0f", "\U000e0061", "\ufffd", "\xff", "\u3164"}
	var b strings.Builder
	for i, c := range []byte(text) {
		b.WriteByte(c)
		b.WriteString(unseen[i%len(unseen)])
	}
	return b.String()
}

func TestKeyIsFoundHoweverItIsWritten(t *testing.T) {
	c := censorOf(t, "another-key-0123456789", censored)
	for name, write := range writings {
		for _, form := range []string{write(censored), hide(write(censored))} {
			const before, after = "grüße \n{\"a\":\"", "\"} 50% & more"
			text := before + form + after
			got := c.Redact(text)
			if !strings.Contains(got, Redacted) || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
				t.Errorf("%s: %q becomes %q", name, text, got)
			}
			if c.Redact(got) != got {
				t.Errorf("%s: something is left in %q", name, got)
			}
			if !c.Holds([]byte(text)) {
				t.Errorf("%s: not noticed in %q", name, text)
			}
		}
	}
	escaped := strings.ReplaceAll(hide(censored), "\u200b", `\u200b`) // as JSON may have it
	if !c.Holds([]byte(`{"name":"` + escaped + `"}`)) {
		t.Error("not noticed behind escapes that nobody sees")
	}
}

func TestKeyThatMayBeAWordIsRedactedOnly(t *testing.T) {
	c := censorOf(t, "tea")
	if got := c.Redact("bad key tea, tea"); got != "bad key [redacted], [redacted]" {
		t.Errorf("%q", got)
	}
	if c.Holds([]byte(`{"name":"tea"}`)) {
		t.Error("a word of an event is taken for the key")
	}
	if got := new(Censor).Redact("tea"); got != "tea" {
		t.Errorf("a censor that knows no key makes %q", got)
	}
}

func TestTextWithoutAKeyStaysAsItIs(t *testing.T) {
	c := censorOf(t, censored)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got := c.Redact(text); got != text || c.Holds([]byte(text)) {
			t.Fatalf("%q becomes %q", text, got)
		}
	})
}

func TestKeyIsFoundWhateverIsAroundIt(t *testing.T) {
	c := censorOf(t, censored)
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after")
		key := rapid.SampledFrom([]string{censored, hide(censored), each("%%%02x", censored)}).Draw(t, "key")
		got := c.Redact(before + key + after)
		if !strings.Contains(got, Redacted) || strings.Contains(got, key) || !c.Holds([]byte(before+key+after)) {
			t.Fatalf("%q", got)
		}
	})
}

func TestCensorShowsNoKey(t *testing.T) {
	c := censorOf(t, censored)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		out := fmt.Sprintf(verb, c)
		for name, write := range writings {
			if strings.Contains(out, write(censored)) {
				t.Errorf("%s shows the key (%s): %s", verb, name, out)
			}
		}
	}
}
