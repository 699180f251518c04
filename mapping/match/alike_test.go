package match_test

import (
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

// One answer is for all cells of a shape, whichever of them it names.
func TestOneAnswerSettlesAShape(t *testing.T) {
	const (
		ends = "Name,Start,End,TZ\nA,3/1/2027 10:00,3/1/2027 12:00,UTC\nB,3/2/2027 10:00,3/15/2027,UTC\n" +
			"C,4/1/2027 9:00,4/19/2027,UTC\nD,5/1/2027 9:00,5/1/2027 12:00,UTC\nE,5/2/2027 9:00,5/2/2027 12:00,UTC\n"
		orders = "Name,Start,TZ\nA,25/3/2027 10:00,UTC\nB,3/15/2027 9:00,UTC\nC,4/19/2027 8:00,UTC\nD,4/2/2027 9:00,UTC\n"
		seats  = "Name,Start,Seats,TZ\nA,2027-03-01 10:00,40,UTC\nB,2027-03-02 10:00,10-15,UTC\nC,2027-03-03 10:00,30-40,UTC\n" +
			"D,2027-03-03 10:00,50,UTC\n"
	)
	for _, tt := range []struct{ file, answers, open, has string }{
		{ends, "", "end_at:3/15/2027", ""},
		{ends, "end_at:3/15/2027=blank", "", "3/15/2027: all blank"},
		{ends, "end_at:4/19/2027=18:30", "", "4/19/2027: at 18:30"},
		{orders, "", "date_order", ""},
		{orders, "date_order=dmy", "start_at:3/15/2027 9:00", ""},
		{orders, "date_order=dmy or mdy", "", "3/15/2027 9:00: month first"},
		{orders, "date_order=mdy or dmy", "", "25/3/2027 10:00: day first"},
		{orders, "date_order=dmy;start_at:3/15/2027 9:00=blank", "", "4/19/2027 8:00: blank"},
		{seats, "", "max_capacity:10-15 max_capacity:30-40", ""},
		{seats, "max_capacity:30-40=blank", "", "30-40: all blank"},
	} {
		answers := map[string]string{}
		for answer := range strings.SplitSeq(tt.answers, ";") {
			if id, value, found := strings.Cut(answer, "="); found {
				answers[id] = value
			}
		}
		p := gather(t, tt.file).Propose(match.Config{Answers: answers})
		var open []string
		for _, q := range p.Questions {
			if !q.Optional {
				open = append(open, q.ID)
			}
		}
		text, err := p.Write("")
		if err != nil || strings.Join(open, " ") != tt.open || !strings.Contains(string(text), tt.has) || len(p.Unused) > 0 {
			t.Errorf("%s: open is %q, unused %q, %v in\n%s", tt.answers, open, p.Unused, err, text)
		}
	}
}
