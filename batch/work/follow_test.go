package work

import (
	"testing"

	"eventbatch/batch/postgres"
)

func TestEachReasonOfWaitingIsCountedAndNamed(t *testing.T) {
	const key, other = "no key for cal-00", "planned with another key"
	for _, test := range []struct {
		waits []string
		want  string
	}{
		{nil, ""},
		{[]string{"", ""}, ""},
		{[]string{key}, "1 share waits: no key for cal-00"},
		{[]string{key, other}, "1 share waits: no key for cal-00; 1 share waits: planned with another key"},
		{[]string{key, "", other, other}, "2 shares wait: planned with another key; 1 share waits: no key for cal-00"},
		{
			[]string{"a", "b", "c", "d", "e"},
			"1 share waits: a; 1 share waits: b; 1 share waits: c; 2 shares wait for other reasons",
		},
	} {
		var shares []postgres.Share
		for _, why := range test.waits {
			shares = append(shares, postgres.Share{Waits: why})
		}
		if got := waiting(shares); got != test.want {
			t.Errorf("%q: %q, want %q", test.waits, got, test.want)
		}
	}
}
