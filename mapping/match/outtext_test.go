package match_test

import (
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

const calledOff = "Titel,Datum,Uhrzeit,Plätze\nChor,05.03.2027,19:30,100\nJazz,06.03.2027,abgesagt,50\nOper,07.03.2027,ABGESAGT,50\n" +
	"Lesung,08.03.2027,tba,tba\nKino,09.03.2027,20:00,80\nTanz,10.03.2027,-,80\n"

// choicesOf returns the values that a question offers.
func choicesOf(q *match.Question) (values []string) {
	for _, c := range q.Choices {
		values = append(values, c.Value)
	}
	return values
}

// A text that calls the event off where others have their hour is asked about, and leaving its rows out is the likeliest answer.
func TestAnEventThatIsCalledOffInItsHourMayBeLeftOut(t *testing.T) {
	answers := map[string]string{"timezone": "Europe/Berlin"}
	p := gather(t, calledOff).Propose(match.Config{Answers: answers})
	q := asked(p, "start_at:abgesagt")
	if q == nil || q.Default != "skip" || q.Why != "2 rows say it" ||
		!slices.Equal(choicesOf(q), []string{"skip", "blank"}) || p.File.Filter != "" {
		t.Fatalf("%+v, filter %s", q, p.File.Filter)
	}
	answers["start_at:abgesagt"], answers["start_at:tba"] = "skip", "skip" // tba is as a blank, where nobody says otherwise
	p = gather(t, calledOff).Propose(match.Config{Answers: answers})
	if p.Open() > 0 || p.File.Filter != `lower(trim(col("Uhrzeit"))) not in ["abgesagt", "tba"]` {
		t.Fatalf("%d open, filter %s", p.Open(), p.File.Filter)
	}
	var out []string
	for _, s := range p.Shapes {
		if s.Refused {
			t.Errorf("%q is refused", s.Example)
		}
		if s.Becomes == "left out" && s.Settled == "start_at:"+strings.ToLower(s.Example) {
			out = append(out, s.Example)
		}
	}
	if !slices.Equal(out, []string{"abgesagt", "ABGESAGT", "tba"}) {
		t.Errorf("left out: %q", out)
	}
}

// What most rows say may be left out, and is not by Enter.
func TestWhatMostRowsSayIsNotLeftOutByItself(t *testing.T) {
	p := gather(t, "Titel,Datum,Uhrzeit\nA,05.03.2027,19:30\nB,06.03.2027,entfällt\nC,07.03.2027,entfällt\n").Propose(match.Config{})
	if q := asked(p, "start_at:entfällt"); q == nil || q.Default == "skip" || !slices.Contains(choicesOf(q), "skip") {
		t.Errorf("%+v", q)
	}
}

// A mapping that is there shows the rows that its filter leaves out as left out, not as refused.
func TestAMappingThatIsThereLeavesItsRowsOut(t *testing.T) {
	answers := map[string]string{"timezone": "Europe/Berlin", "start_at:abgesagt": "skip", "start_at:tba": "skip"}
	c := gather(t, calledOff)
	p := c.Given(match.Config{}, &gather(t, calledOff).Propose(match.Config{Answers: answers}).File)
	var out []string
	for _, s := range p.Shapes {
		if s.Becomes == "left out" {
			out = append(out, s.Example)
		}
	}
	if !slices.Equal(out, []string{"abgesagt", "ABGESAGT", "tba"}) {
		t.Errorf("left out: %q", out)
	}
}
