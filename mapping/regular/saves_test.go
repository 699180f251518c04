package regular

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

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

func TestASaveIsToldOnceItIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.csv")
		other := path + ".map.yaml"
		saved(t, path, "one")
		ctx, stop := context.WithCancel(t.Context())
		var s Saves
		var told chan time.Duration
		next := func() {
			s.Look([]string{path, other})
			begun, tell := time.Now(), make(chan time.Duration, 1)
			told = tell
			go func() {
				if s.Wait(ctx) == nil {
					tell <- time.Since(begun)
				}
				close(tell)
			}()
		}
		at := func(want time.Duration) {
			t.Helper()
			if got := <-told; got != want {
				t.Errorf("told after %v, want %v", got, want)
			}
		}

		next()
		time.Sleep(10*lookEvery + lookEvery/2)
		saved(t, path, "one and two") // seen at 11, whole at 12
		at(12 * lookEvery)

		next()
		time.Sleep(lookEvery / 2)
		for text := "written"; len(text) < 10; text += "…" { // seen at 1, still written at 2
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			time.Sleep(lookEvery)
		}
		at(2 * lookEvery)

		next()
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5*lookEvery + lookEvery/2)
		saved(t, path, "back")
		at(7 * lookEvery)

		next()
		saved(t, other, "version: 1") // a file that was not there
		at(2 * lookEvery)

		next()
		time.Sleep(lookEvery)
		stop()
		if _, ok := <-told; ok {
			t.Error("the end of the context is no save")
		}
	})
}
