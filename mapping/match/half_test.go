package match_test

import (
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

// Where others say in which half of the day they are, 5:30 may be in either.
func TestABareHourAmongHalvesOfTheDayIsAsked(t *testing.T) {
	for times, want := range map[string][]string{
		"7:30 PM|5:30|8:00|noon|19:00": {"start_at:5:30", "start_at:8:00"},
		"6-8pm|5:30|12:15":             {"start_at:5:30"},
		"7p|5:30-7:00":                 {"start_at:5:30-7:00"},
		"19:30|5:30|8:00":              nil,
		"7:30 PM|10 Uhr":               nil,
	} {
		var text strings.Builder
		text.WriteString("Title,Date,Time,TZ\n")
		for clock := range strings.SplitSeq(times, "|") {
			text.WriteString("a,2027-09-04," + clock + ",UTC\n")
		}
		var open []string
		p := gather(t, text.String()).Propose(match.Config{})
		for _, q := range p.Questions {
			if !q.Optional {
				open = append(open, q.ID)
			}
		}
		if !slices.Equal(open, want) {
			t.Errorf("%s: open are %q, want %q", times, open, want)
		}
		if want == nil {
			continue
		}
		answers := map[string]string{}
		for _, id := range want {
			answers[id] = strings.TrimPrefix(id, "start_at:")
		}
		if p = gather(t, text.String()).Propose(match.Config{Answers: answers}); p.Open() > 0 {
			t.Errorf("%s: answered, open are %+v", times, p.Questions)
		}
	}
}
