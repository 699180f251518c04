package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"eventbatch/batch/night"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/batch/service"
	"eventbatch/batch/source"
)

// What an earlier version has remembered of a night is compared with what this one would remember: were the order another,
// the first night after an upgrade would plan a feed without anything new.
func TestWhatANightIsBoundToStandsInOneOrder(t *testing.T) {
	p := profile.Default()
	p.BaseURL = "https://api.example.com"
	p.Keys = []profile.Key{{Kind: secret.Calendar, From: secret.Ref{Scheme: "env", Value: "KEY"}}}
	conn, err := service.Open(service.Config{Connection: profile.New(p, "", profile.Env{}), Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	config := PlanConfig{Service: conn, Source: source.Config{Missing: source.Report}}
	config.Options.Slug, config.Options.Compare, config.Options.First, config.Options.OnConflict = "derive", "live", "fail", "mine"
	config.Options.SkipInvalid, config.Options.Owns = true, []string{"name", "start_at"}
	s := syncRun{
		SyncConfig: &SyncConfig{Sync: night.Sync{Name: "members"}},
		plan: &SyncPlan{
			PlanConfig: config, Keys: []string{"calendar", "cal-1", ""}, Leave: []string{"mail", "cancel"},
			Rules: night.Rules{Mapping: []byte("m"), Key: []string{"k"}},
		},
	}
	s.bind()
	hashes := slices.Sorted(maps.Values(s.plan.Rules.Hashes()))
	if len(hashes) != 4 {
		t.Fatalf("%d rules", len(hashes))
	}
	want := strings.Join([]string{
		"members", "https://api.example.com", "calendar cal-1 ", "1.2.3", "derive", "live", "fail", "mine", "report", "true", "false",
		"name start_at", "mail cancel", strings.Join(hashes, " "),
	}, "\x00")
	if sum := sha256.Sum256([]byte(want)); s.bound != hex.EncodeToString(sum[:8]) {
		t.Errorf("the night is bound to %s, want the hash of %q", s.bound, want)
	}
}
