package api

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/secret"
)

func TestHeadersOfEachKind(t *testing.T) {
	for name, c := range map[string]struct {
		credential secret.Credential
		headers    Headers
		want       http.Header
	}{
		"calendar": {
			secret.Credential{Kind: secret.Calendar, Calendar: "cal-1"}, Headers{}, http.Header{"X-Service-Api-Key": {canary}},
		},
		"no kind": {secret.Credential{}, Headers{}, http.Header{"X-Service-Api-Key": {canary}}},
		"oauth": {
			secret.Credential{Kind: secret.OAuth, Calendar: "cal-1"}, Headers{}, http.Header{"Authorization": {"Bearer " + canary}},
		},
		"organization": {
			secret.Credential{Kind: secret.Organization, Calendar: "cal-1"},
			Headers{},
			http.Header{"X-Service-Api-Key": {canary}, "X-Service-Calendar-Id": {"cal-1"}},
		},
		"no calendar": {secret.Credential{Kind: secret.Organization}, Headers{}, http.Header{"X-Service-Api-Key": {canary}}},
		"names of others": {
			secret.Credential{Kind: secret.Organization, Calendar: "c"},
			Headers{"x-a", "x-b"},
			http.Header{"X-A": {canary}, "X-B": {"c"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got http.Header
			client, _ := testClient(t, "https://x.test", func(config *Config) {
				c.credential.Secret = config.Credential.Secret
				config.Credential, config.Headers = c.credential, c.headers
			}, via(served(func(w http.ResponseWriter, r *http.Request) {
				got = r.Header
				_, _ = w.Write([]byte(`{"id":"u"}`))
			})))
			if _, err := UserOf(ask(t.Context(), client, "users/get-self", nil)); err != nil {
				t.Fatal(err)
			}
			got.Del("Accept")
			got.Del("User-Agent")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	good := Config{
		BaseURL: "https://x.test", Gate: &gate{},
		Credential: secret.Credential{Kind: secret.Organization, Calendar: "c", Secret: testSecret(t)},
	}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"no base URL":        func(c *Config) { c.BaseURL = "" },
		"plain http":         func(c *Config) { c.BaseURL = "http://x.test" },
		"no key":             func(c *Config) { c.Credential.Secret = secret.Secret{} },
		"no gate":            func(c *Config) { c.Gate = nil },
		"unknown kind":       func(c *Config) { c.Credential.Kind = "x" },
		"idempotency header": func(c *Config) { c.Headers.APIKey = "Idempotency-Key" },
		"split header":       func(c *Config) { c.Headers.Calendar = "a\r\nb" },
		"split calendar":     func(c *Config) { c.Credential.Calendar = "a\r\nb: c" },
	} {
		config := good
		change(&config)
		if _, err := New(config); err == nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestKeyGoesToNoOtherHost(t *testing.T) {
	client, g := testClient(t, "https://x.test", via(trip(func(r *http.Request) (*http.Response, error) {
		t.Errorf("sent to %s", r.URL)
		return nil, http.ErrServerClosed
	})))
	base := *client.base
	for _, address := range []string{"https://y.test", "https://x.test:444", "http://x.test", "http://127.0.0.1"} {
		// A defect elsewhere, were there one, that leads requests astray.
		base, err := base.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		client.base = base
		err = update(t.Context(), client, []byte(`{}`), nil)
		if kind(err) != "refused" || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %T %v", address, err, err)
		}
	}
	if !cmp.Equal(g.ends, []any{"unsent", "unsent", "unsent", "unsent"}) {
		t.Errorf("slots: %v", g.ends)
	}
}

func TestTransportSpeaksTLSWithTheCAFile(t *testing.T) {
	var got string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Proto
		_, _ = w.Write([]byte(`{"id":"usr-1"}`))
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = discard()
	server.StartTLS()
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	transport, err := NewTransport(TransportConfig{CAFile: file})
	if err != nil {
		t.Fatal(err)
	}
	defer transport.CloseIdleConnections()
	client, _ := testClient(t, server.URL, via(transport))
	if _, err := UserOf(ask(t.Context(), client, "users/get-self", nil)); err != nil || got != "HTTP/1.1" {
		t.Errorf("%v over %s", err, got)
	}
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, file + "x"} {
		if _, err := NewTransport(TransportConfig{CAFile: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
