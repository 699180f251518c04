package match_test

import (
	"testing"

	"eventbatch/mapping/match"
)

// An answer that is for all of a column stays one, whichever of its cells is the first that lacks it now.
func TestAnAnswerForAColumnOutlivesTheCellThatItNames(t *testing.T) {
	const head = "Titel,Datum,Beginn,Ende,TZ\na,2.10.2027,19:00,21:00,UTC\nb,3.10.2027,20:00,21:00,UTC\n"
	for name, rows := range map[string]string{
		"as it was asked":   "c,10.-12.10.2027,halb 8,21:00,UTC\n",
		"of another cell":   "c,11.-13.10.2027,halb 7,21:00,UTC\n",
		"of several shapes": "c,30.10.-1.11.2027,halb 7,21:00,UTC\nd,4./5.10.2027,7:30,21:00,UTC\n",
	} {
		answers := map[string]string{
			"start_at:halb 8": "pm", "start_at:10.-12.10.2027": "one event", "split:Datum": "no",
		}
		p := gather(t, head+rows).Propose(match.Config{Answers: answers})
		if p.Open() > 0 {
			t.Errorf("%s: open are %+v", name, p.Questions)
		}
	}
}
