package report

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"eventbatch/batch/journal"
)

// safely lets a bubble read what another goroutine writes.
type safely struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *safely) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(data)
}

func (s *safely) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// watched shows the progress of 200 rows of which ten a second are settled, the
// fifth one failed, for so long.
func watched(t *testing.T, s *Screen, total int, d time.Duration, throttled time.Duration) {
	t.Helper()
	begin := time.Now()
	p := NewProgress(ProgressConfig{
		Screen: s, Total: total,
		Quota:  func() Quota { return Quota{Left: 42, ThrottledUntil: begin.Add(throttled)} },
		Finish: func(rows int) time.Time { return time.Now().Add(time.Duration(rows) * 100 * time.Millisecond) },
	})
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() { p.Watch(ctx) })
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for n := 1; time.Since(begin) < d; n++ {
		<-ticker.C
		outcome := journal.OK
		switch n {
		case 5:
			outcome = journal.Fail
		case 7:
			outcome = journal.Doubt
		}
		p.Settled(nil, &journal.Record{Type: outcome})
	}
	stop()
	watching.Wait()
}

// In a pipe there is a plain line every ten seconds.
func TestPipesAreToldEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safely
		watched(t, NewScreen(&out, ScreenConfig{}), 1200, 25*time.Second, 0)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 || strings.ContainsAny(out.String(), "\r\x1b") {
			t.Fatalf("%q", lines)
		}
		for i := range lines {
			if !strings.Contains(lines[i], " of 1,200 · 1 failed · 1 in doubt · quota 42 left · ") {
				t.Errorf("line %d: %q", i, lines[i])
			}
			if !strings.Contains(lines[i], " · 2 min left") {
				t.Errorf("line %d: %q", i, lines[i])
			}
		}
	})
}

// A run that is done in a moment leaves no line at all in a pipe.
func TestShortRunsAreQuietInPipes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safely
		watched(t, NewScreen(&out, ScreenConfig{}), 50, 5*time.Second, 0)
		if out.String() != "" {
			t.Errorf("%q", out.String())
		}
	})
}

// On a terminal the line moves, never wraps whatever the width, and is wiped.
func TestTerminalLineNeverWraps(t *testing.T) {
	for _, width := range []int{20, 40, 60, 80, 100, 200} {
		synctest.Test(t, func(t *testing.T) {
			var out safely
			s := &Screen{w: &out, terminal: true, width: func() int { return width }}
			watched(t, s, 50_000, 5*time.Second, 0)
			text := out.String()
			if strings.Contains(text, "\n") || !strings.HasSuffix(text, "\r\x1b[K") {
				t.Errorf("at %d: the line is left behind: %q", width, text[max(0, len(text)-200):])
			}
			widest := 0
			for drawn := range strings.SplitSeq(text, "\r") {
				widest = max(widest, utf8.RuneCountInString(strings.TrimPrefix(drawn, "\x1b[K")))
			}
			if widest >= width-1 {
				t.Errorf("a line of %d characters on a terminal of %d: %q", widest, width, text[:min(len(text), 400)])
			}
			if width >= 60 && !strings.Contains(text, "1 failed") {
				t.Errorf("at %d: failures are not told", width)
			}
			if width >= 80 && !strings.Contains(text, " left, until") {
				t.Errorf("at %d: the finish is not told: %q", width, text[len(text)-200:])
			}
			if width >= 100 && !strings.Contains(text, "█") && !strings.Contains(text, "░") {
				t.Errorf("at %d: there is no bar", width)
			}
			if width == 200 && !strings.Contains(text, "quota 42 left") {
				t.Errorf("at %d: the quota is not told", width)
			}
		})
	}
}

// A terminal that is made narrower or wider gets another line.
func TestTerminalMayChangeItsWidth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safely
		begin := time.Now()
		s := &Screen{w: &out, terminal: true, width: func() int {
			if time.Since(begin) > 2*time.Second {
				return 50
			}
			return 120
		}}
		watched(t, s, 50_000, 4*time.Second, 0)
		text := out.String()
		after := text[strings.LastIndex(text, "quota 42 left")+len("quota 42 left"):]
		if !strings.Contains(after, "of 50,000 · ") {
			t.Errorf("%q", after)
		}
	})
}

// While a 429 holds everybody up, the line says for how long.
func TestThrottledRunsSayForHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out safely
		watched(t, NewScreen(&out, ScreenConfig{}), 1200, 15*time.Second, 60*time.Second)
		if !strings.Contains(out.String(), "· throttled, goes on in 50 s · done about ") {
			t.Errorf("%q", out.String())
		}
	})
}

// said gives the line of a run of 700 rows of which 195 are settled, with so much
// room.
func said(room int, quota Quota, also func(*Progress)) string {
	p := NewProgress(ProgressConfig{
		Total: 700, Quota: func() Quota { return quota }, Finish: func(int) time.Time { return time.Now().Add(3 * time.Minute) },
	})
	for range 195 {
		p.Settled(nil, &journal.Record{Type: journal.OK})
	}
	if also != nil {
		also(p)
	}
	return p.line(room)
}

// The clock of a bubble begins at midnight UTC of 1 January 2000.
func TestTheLineSaysWhatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		done := " · done about " + now.Add(3*time.Minute).Local().Format("15:04")
		unreachable := func(p *Progress) { p.Waiting(now.Add(1900*time.Millisecond), false) }
		usedUp := Quota{Waiting: now.Add(37400 * time.Millisecond)}
		for _, test := range []struct {
			name  string
			room  int
			quota Quota
			also  func(*Progress)
			want  string
		}{
			{"all well", wide, Quota{Left: 5}, nil, "195 of 700 · quota 5 left · 3 min left"},
			{"others send", wide, Quota{Left: 5}, func(p *Progress) {
				p.config.Quota = nil
				p.Stand(600, 2, 1)
			}, "101 of 700 · 2 failed · 1 in doubt · 3 min left"},
			{"quota used up", wide, usedUp, nil, "195 of 700 · waiting for the quota, goes on in 38 s" + done},
			{"on a narrow terminal", 58, usedUp, nil, "195 of 700 · waits 38 s for the quota" + done},
			{"on a very narrow terminal", 40, usedUp, nil, "195 of 700 · waits 38 s for the quota"},
			{"throttled", wide, Quota{ThrottledUntil: now.Add(time.Minute)}, nil, "195 of 700 · throttled, goes on in 60 s" + done},
			{
				"throttled for hours", wide,
				Quota{ThrottledUntil: now.Add(23 * time.Hour)},
				nil,
				"195 of 700 · throttled, goes on in 23 h 00 min" + done,
			},
			{"unreachable", wide, Quota{Left: 5}, unreachable, "195 of 700 · cannot reach the service, trying again in 2 s"},
			{"unreachable, on 80 columns", 58, Quota{Left: 5}, unreachable, "195 of 700 · cannot reach the service, trying again in 2 s"},
			{"several requests", wide, Quota{}, func(p *Progress) {
				p.Waiting(now.Add(9*time.Second), false)
				p.Waiting(now.Add(4*time.Second), false)
				p.Waiting(now.Add(6*time.Second), false)
			}, "195 of 700 · cannot reach the service, trying again in 4 s"},
			{
				"an attempt is under way", wide,
				Quota{},
				func(p *Progress) { p.Waiting(now, false) },
				"195 of 700 · cannot reach the service, trying again",
			},
			{
				"errors of the service", wide,
				Quota{},
				func(p *Progress) { p.Waiting(now.Add(8*time.Second), true) },
				"195 of 700 · the service fails, trying again in 8 s",
			},
			{
				"an attempt that waits for the quota", wide, usedUp, func(p *Progress) { p.Waiting(now, true) },
				"195 of 700 · waiting for the quota, goes on in 38 s" + done,
			},
			{"something came through since", wide, Quota{Left: 5}, func(p *Progress) {
				unreachable(p)
				p.Settled(nil, &journal.Record{Type: journal.OK})
			}, "196 of 700 · quota 5 left · 3 min left"},
		} {
			if got := said(test.room, test.quota, test.also); got != test.want {
				t.Errorf("%s: %q, want %q", test.name, got, test.want)
			}
		}
	})
}

func TestLineLeavesOutWhatItCanBestDoWithout(t *testing.T) {
	parts := []part{
		{"10 of 20 rows", "", 0}, {"1 failed", "", 1}, {"quota 3 left", "", 5}, {"9.1/s", "", 6}, {"done at once", "", 3},
	}
	for room, want := range map[int]string{
		100: "10 of 20 rows · 1 failed · quota 3 left · 9.1/s · done at once",
		58:  "10 of 20 rows · 1 failed · quota 3 left · done at once",
		45:  "10 of 20 rows · 1 failed · done at once",
		30:  "10 of 20 rows · 1 failed",
		14:  "10 of 20 rows",
		5:   "10 o…",
		0:   "…",
	} {
		if got := fit(append([]part(nil), parts...), room); got != want && !(room == 0 && utf8.RuneCountInString(got) <= 1) {
			t.Errorf("%d: %q, want %q", room, got, want)
		}
	}
}

// A line of wide characters takes no more places than there are, whatever room there is.
func TestALineOfWideCharactersFits(t *testing.T) {
	for room := -1; room < 30; room++ {
		got := fit([]part{{words: "新年会と花見の集い · 100 件"}}, room)
		if Width(got) > max(room, 1) {
			t.Errorf("in %d places %q takes %d", room, got, Width(got))
		}
	}
}

// A log is told the progress as numbers, as often as it wants, and the screen nothing.
func TestALogIsToldTheProgressInNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen safely
		var last Stand
		told := 0
		p := NewProgress(ProgressConfig{
			Screen: NewScreen(&screen, ScreenConfig{}), Total: 8,
			Finish: func(int) time.Time { return time.Now().Add(time.Minute) },
			Log: func(words string, so Stand) {
				if told++; !strings.HasPrefix(words, Number(so.Settled)+" of 8 · ") {
					t.Errorf("it is told %q, of %+v", words, so)
				}
				last = so
			},
			Every: 250 * time.Millisecond,
		})
		for _, end := range []journal.Type{journal.OK, journal.Fail, journal.Doubt} {
			p.Settled(nil, &journal.Record{Type: end})
		}
		ctx, stop := context.WithTimeout(t.Context(), 1100*time.Millisecond)
		defer stop()
		p.Watch(ctx)
		if want := (Stand{Settled: 3, Total: 8, Failed: 1, InDoubt: 1}); told != 4 || last != want || screen.String() != "" {
			t.Errorf("it was told %d times, at last %+v, want %+v; the screen says %q", told, last, want, screen.String())
		}
	})
}
