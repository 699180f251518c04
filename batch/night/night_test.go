package night

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"eventbatch/batch/feed"
)

var (
	start = time.Date(2027, 3, 1, 2, 0, 0, 0, time.UTC)
	state = feed.State{ETag: `"v1"`, SHA256: "aa"}
	rules = map[string]string{"the mapping": "m1", "the key column": "k1"}
)

func ending(day int, reason string) Night {
	at := start.AddDate(0, 0, day)
	return Night{Begun: at, Ended: at.Add(time.Minute), Reason: reason, Run: "run"}
}

// A feed is compared with the last one only where nothing was left to do and nothing else has
// changed; and every seventh night it is read whole.
func TestAFeedIsComparedWithANightThatWasDone(t *testing.T) {
	var m Memory
	if m.Known("b") != (feed.State{}) {
		t.Error("the first night has nothing to compare with")
	}
	m.End(ending(0, "partial"), state, "b", rules)
	if m.Known("b") != (feed.State{}) {
		t.Error("rows were left to do")
	}
	m.End(ending(1, doneReason), state, "b", rules)
	if m.Known("b") != state || m.Known("another mapping") != (feed.State{}) {
		t.Error("the night was done, with one mapping")
	}
	for day := range 6 {
		if m.Known("b") != state {
			t.Fatalf("on night %d after it was read whole", day+1)
		}
		m.Idle(ending(2+day, doneReason))
	}
	if m.Known("b") != (feed.State{}) {
		t.Error("the seventh night reads it whole")
	}
	m.End(ending(9, "refused"), state, "b", rules)
	m.End(ending(10, "unavailable"), feed.State{}, "b", rules)
	if m.Known("b") != (feed.State{}) {
		t.Error("two nights were not done")
	}
	m.End(ending(11, doneReason), state, "b", rules)
	if m.Known("b") != state {
		t.Error("it is done again")
	}
}

func TestRulesThatMoveAreNamed(t *testing.T) {
	var m Memory
	if m.Moved(rules) != nil {
		t.Error("before the first night nothing has moved")
	}
	m.End(ending(0, doneReason), state, "b", rules)
	if got := m.Moved(map[string]string{"the mapping": "m2", "the key column": "k1"}); !slices.Equal(got, []string{"the mapping"}) {
		t.Errorf("%q moved", got)
	}
}

func TestMemoryIsStored(t *testing.T) {
	everywhere(t, func(t *testing.T, texts Store) {
		m, err := Load(texts, "members")
		if err != nil || m.Done != nil {
			t.Fatal(m, err)
		}
		m.End(ending(0, doneReason), state, "b", rules)
		if err := m.Save(texts, "members"); err != nil {
			t.Fatal(err)
		}
		again, err := Load(texts, "members")
		if err != nil || again.Known("b") != state || again.Last != m.Last {
			t.Errorf("%+v, %v", again, err)
		}
		if syncs, err := texts.Syncs(); !slices.Equal(syncs, []string{"members"}) || err != nil {
			t.Errorf("%q, %v", syncs, err)
		}
		if err := texts.Replace("members", memoryName, []byte("{")); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(texts, "members"); err == nil || !strings.Contains(err.Error(), "members/memory.json") {
			t.Error(err)
		}
	})
}

func TestWhatIsRememberedIsCopiedOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, to Store) {
		from, _ := syncFolder(t)
		m := Memory{Version: version}
		m.End(ending(0, doneReason), state, "b", rules)
		err := errors.Join(m.Save(from, "members"), from.Replace("members", "lock", nil), from.Replace("members", ToldName, []byte("{}")))
		if err != nil {
			t.Fatal(err)
		}
		log(t, from, Entry{Sync: "members", Began: start, Ended: start.Add(time.Minute)})
		for range 2 {
			if err := Copy(from, to); err != nil {
				t.Fatal(err)
			}
			if err := from.Replace("members", ToldName, []byte("[]")); err != nil { // what is there stays
				t.Fatal(err)
			}
		}
		if again, err := Load(to, "members"); err != nil || again.Known("b") != state {
			t.Errorf("%+v, %v", again, err)
		}
		if nights, _, err := Logged(to, start); len(nights) != 1 || err != nil {
			t.Errorf("%v, %v", nights, err)
		}
		if text, err := to.Read("members", ToldName); string(text) != "{}" || err != nil {
			t.Errorf("%s, %v", text, err)
		}
		if _, err := to.Read("members", "lock"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
}

func TestWhoHasWaitedLongestComesFirst(t *testing.T) {
	names := []string{"late", "early", "never"}
	Longest(names, map[string]*Memory{
		"late": {Done: &Done{At: start.AddDate(0, 0, 3)}}, "early": {Done: &Done{At: start}}, "never": {},
	})
	if !slices.Equal(names, []string{"never", "early", "late"}) {
		t.Error(names)
	}
}

// A key is long gone once two readings of different contents lack it, half a day apart; one
// that was back in between begins anew.
func TestAKeyIsLongGoneFromTwoReadings(t *testing.T) {
	var m Memory
	for i, night := range []struct {
		hours   int
		reading string
		gone    string // keys
		long    string
	}{
		{0, "r1", "a b", ""},
		{1, "r2", "a b", ""},  // too soon
		{24, "r1", "a b", ""}, // what it was first gone from
		{24, "r3", "b", "b"},
		{48, "r4", "a b", "b"}, // a was back
		{72, "r5", "a", "a"},
	} {
		var long map[string]bool
		m.Gone, long = m.Missed(start.Add(time.Duration(night.hours)*time.Hour), night.reading, strings.Fields(night.gone))
		var keys []string
		for key := range strings.FieldsSeq(night.gone) {
			if long[key] {
				keys = append(keys, key)
			}
		}
		if got := strings.Join(keys, " "); got != night.long || len(m.Gone) != len(strings.Fields(night.gone)) {
			t.Errorf("reading %d: %q are long gone, want %q; remembered %v", i, got, night.long, m.Gone)
		}
	}
}
