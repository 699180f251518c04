package mapping

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/mapping/fix"
)

// A season that is moved by some days has each of its times so many days later by the clock of its zone, and
// moved back it is the same file.
func TestASeasonMovedThereAndBackIsTheSame(t *testing.T) {
	dir := t.TempDir()
	config := func(path string) Config {
		return Config{Files: []string{path}, Timezone: "Europe/Berlin", DateOrder: "dmy", Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	// Times about noon, which no clock skips.
	layouts := []string{"02.01.2006 15:04", "2006-01-02 15:04", "Monday, 2 January 2006, 15:04"}
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		var text strings.Builder
		text.WriteString("key,name,start_at,end_at\n")
		for i := range rapid.IntRange(1, 8).Draw(t, "rows") {
			at := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(-900, 900).Draw(t, "day"))
			fmt.Fprintf(&text, "k%d,A,%q,%q\n", i, at.Format(layout), at.Add(2*time.Hour).Format(layout))
		}
		text.WriteString("last,A,\"01.02.2030 12:00\",\"01.02.2030 13:00\"\n") // which says how numbers are written
		days := rapid.IntRange(1, 800).Draw(t, "days") * rapid.SampledFrom([]int{-1, 1}).Draw(t, "sign")
		season, next, back := filepath.Join(dir, "season.csv"), filepath.Join(dir, "next.csv"), filepath.Join(dir, "back.csv")
		if err := os.WriteFile(season, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, move := range []struct {
			from, to string
			days     int
		}{{season, next, days}, {next, back, -days}} {
			mended, err := Mend(t.Context(), config(move.from), fix.Rules{Shift: move.days})
			if err != nil {
				t.Fatal(err)
			}
			var copied bytes.Buffer
			if err := mended.Copy().Write(t.Context(), &copied); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(move.to, copied.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := mended.CheckShift(t.Context(), config(move.from), move.days); err != nil || len(mended.Left) > 0 {
				t.Fatalf("by %d: %v, left %v\n%s\n%s", move.days, err, mended.Left, text.String(), copied.String())
			}
		}
		if got, err := os.ReadFile(back); err != nil || string(got) != text.String() {
			t.Fatalf("%v\n%s\n%s", err, text.String(), got)
		}
	})
}
