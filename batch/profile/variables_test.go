package profile

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Whatever the configuration names as holding a secret, no command hears of it: neither one that
// prints a key nor one that writes rows.
func TestCommandsHearNoSecretOfOthers(t *testing.T) {
	const document = `profiles:
  main:
    base_url: https://events.example
    store: {from: "env:STORE_ADDRESS"}
    keys:
      - {kind: calendar, calendar: cal-1, from: "env:MAIN_KEY"}
      - {kind: calendar, calendar: cal-2, from: "cmd:print-key"}
  other: {keys: [{kind: calendar, calendar: cal-3, from: "env:OTHER_KEY"}]}
syncs:
  fed:
    file: env:FEED_ADDRESS
    headers: {Authorization: "env:FEED_TOKEN"}
    heartbeat: env:PING
    notify: {to: [{webhook: "env:HOOK"}]}
  said: {file: {command: "pg_dump"}, profile: main}
mail: {host: "smtp.example.org:587", from: "e@example.org", user: "env:SMTP_USER", password: "env:SMTP_PASSWORD"}
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "eventbatch.yaml"), []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	env := Env{Dir: dir, Environ: []string{"PATH=/bin", "PGPASSWORD=x", "EVENTBATCH_API_KEY=x", "EVENTBATCH_STORE=x"}}
	for _, found := range regexp.MustCompile(`env:([A-Z_]+)`).FindAllStringSubmatch(document, -1) {
		env.Environ = append(env.Environ, found[1]+"=x")
	}
	given := slices.Clone(env.Environ)
	const want = "PATH=/bin PGPASSWORD=x"
	syncs, err := Syncs(Flags{}, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syncs {
		if got := strings.Join(s.Secrets.CommandEnvironment(), " "); got != want {
			t.Errorf("sync %s: %s", s.Name, got)
		}
	}
	conn, err := Load(Flags{Profile: "main"}, env)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range conn.Targets.keys {
		if got := strings.Join(k.sources.CommandEnvironment(), " "); got != want {
			t.Errorf("%s: %s", k.Place, got)
		}
	}
	if !slices.Equal(env.Environ, given) {
		t.Error("the caller's environment has changed")
	}
}
