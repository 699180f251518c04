package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person at a terminal is asked once what all files of a folder leave open; a return leaves it open.
func TestAMigrationAsksOnceWhatIsOpen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, answers string
		code          int
		says          string
	}{
		{"a zone", "Mars/Base\nEurope/Berlin\n", exitDone, "events 2 2 0"},
		{"no answer", "\n", exitPartial, "say --timezone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			shop := filepath.Join(dir, "shop")
			if err := os.Mkdir(shop, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"one", "two"} {
				text := "Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private\n" +
					name + ",05/30/2027,10:00 AM,05/30/2027,11:00 AM,False,,,\n"
				if err := os.WriteFile(filepath.Join(shop, name+".csv"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			text, code := answered(t, dir, test.answers, "migrate", "shop", "--sandbox", "--dry-run")
			if code != test.code || strings.Count(text, "which time zone are the times of shop/one.csv, shop/two.csv?") == 0 ||
				!strings.Contains(text, test.says) {
				t.Errorf("exit code %d, want %d: %s", code, test.code, text)
			}
		})
	}
}
