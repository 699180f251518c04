package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/batch/report/page"
)

// lookEvery is how often files are looked at.
const lookEvery = 500 * time.Millisecond

// saved writes a file as an editor does that puts a new one in the place of the old.
func saved(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// Each save is checked and said whole, the number of invalid rows first.
func TestACheckIsSaidAgainAtEverySave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const head = "key,name,start_at,timezone\n"
		path := filepath.Join(t.TempDir(), "a.csv")
		mapping := filepath.Join(filepath.Dir(path), "a.map.yaml")
		saved(t, path, head+"a,Tea,2030-03-20 18:00,Nowhere\nb,Jazz,2030-03-20 25:00,Europe/Paris\n")
		saved(t, mapping, "version: 1\nkey: key\n")
		var words bytes.Buffer
		a := &env{
			streams: streams{
				stdin: strings.NewReader(""), lines: bufio.NewReader(strings.NewReader("")), stdout: &output{w: io.Discard}, stderr: &words,
			},
			logging: logging{log: slog.New(slog.DiscardHandler)},
		}
		a.screen = a.newScreen()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			c := checkCommand{
				env: a, watch: true, reading: readingFlags{mapping: mapping}, page: pageFlags{audience: string(page.Customer)},
			}
			ended <- c.watchFiles(ctx, []string{path})
		}()
		block := func(want ...string) {
			t.Helper()
			time.Sleep(5 * lookEvery)
			synctest.Wait()
			text := words.String()
			if !strings.HasPrefix(text, want[0]) {
				t.Errorf("it begins otherwise than with %q:\n%s", want[0], text)
			}
			for _, w := range want {
				if strings.Count(text, w) != 1 {
					t.Errorf("%q is not in it once:\n%s", w, text)
				}
			}
			words.Reset()
		}
		block("2 of 2 rows invalid\n", "bad-zone", "bad-time", ", until Ctrl-C\n\n")
		saved(t, path, head+"a,Tea,2030-03-20 18:00,Europe/Paris\nb,Jazz,2030-03-20 25:00,Europe/Paris\n")
		block("2 → 1 row invalid\n", "bad-time")
		saved(t, mapping, "version: 1\nkey: [\n")
		block("not checked\n", "eventbatch: ", "a.map.yaml:")
		saved(t, mapping, "version: 1\nkey: key\n")
		block("1 of 2 rows invalid\n", "bad-time")
		saved(t, path, head+"a,Tea,2030-03-20 18:00,Europe/Paris\n")
		block("1 → 0 rows invalid\n", "1 row can be imported")
		time.Sleep(time.Hour)
		synctest.Wait()
		if words.Len() > 0 {
			t.Errorf("without a save it says %s", &words)
		}
		stop()
		if err := <-ended; exitCode(err) != exitInterrupted {
			t.Errorf("it ends with %v", err)
		}
	})
}
