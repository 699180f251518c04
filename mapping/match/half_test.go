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

// Where people count to 12 and no time of the file counts to 24, one question asks for a whole column.
func TestHoursOfAClockThatCountsTo12AreAskedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		zone, times string
		want        []string
	}{
		"bare hours":              {"America/Chicago", "7:30|2:00|10:00", []string{"start_at:7:30"}},
		"two shapes":              {"America/Chicago", "7:30|2:00-4:00|12:15-1:00", []string{"start_at:7:30"}},
		"one counts to 24":        {"America/Chicago", "7:30|2:00|19:30", nil},
		"an end counts to 24":     {"America/Chicago", "9:00|11:30-13:00", nil},
		"written by a program":    {"America/Chicago", "07:30|09:00|10:00", nil},
		"a zero among others":     {"America/Chicago", "07:30|2:00|10:00", []string{"start_at:07:30"}},
		"with seconds":            {"America/Chicago", "7:30:00|2:00:00", nil},
		"midday":                  {"America/Chicago", "12:00|12:30", nil},
		"where people count on":   {"Europe/Berlin", "7:30|2:00|10:00", nil},
		"others say their halves": {"America/Chicago", "7:30|2:00 PM", []string{"start_at:7:30"}},
	} {
		var text strings.Builder
		text.WriteString("Title,Date,Time,TZ\n")
		for clock := range strings.SplitSeq(c.times, "|") {
			text.WriteString("a,2027-09-04," + clock + "," + c.zone + "\n")
		}
		p := gather(t, text.String()).Propose(match.Config{})
		if open := p.File.Open; len(open) != len(c.want) || len(c.want) > 0 && open[0].Key != c.want[0] {
			t.Errorf("%s: open are %v, want %q", name, open, c.want)
		}
		if len(c.want) == 0 || strings.Contains(c.times, "PM") {
			continue
		}
		if p = gather(t, text.String()).Propose(match.Config{Answers: map[string]string{c.want[0]: "pm"}}); p.Open() > 0 {
			t.Errorf("%s: answered, open are %v", name, p.File.Open)
		}
	}
}

// One question is for all hours of a column, and says how many they are.
func TestAQuestionAboutHalvesCountsTheColumn(t *testing.T) {
	const file = "Titel,Datum,Beginn,TZ\na,4.9.2027,11:00,UTC\nb,5.9.2027,halb 8,UTC\nc,6.9.2027,viertel nach 7,UTC\n"
	p := gather(t, file).Propose(match.Config{})
	if q := asked(p, "start_at:halb 8"); q == nil || p.Open() != 1 || !strings.HasPrefix(q.Why, "2 rows") {
		t.Errorf("open are %+v", p.Questions)
	}
}
