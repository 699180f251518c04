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

// A text that stands for the date in one row, and for the hour in others, has one question, whose answer is for both columns.
func TestATextOfTwoColumnsHasOneAnswer(t *testing.T) {
	c := gather(t, "Titel,Datum,Uhrzeit\nChor,05.03.2027,19:30\nJazz,abgesagt,20:00\nOper,07.03.2027,abgesagt\n"+
		"Tanz,08.03.2027,abgesagt\nKino,09.03.2027,abgesagt\nTrio,10.03.2027,18:00\nDuo,11.03.2027,18:00\nRock,12.03.2027,18:00\n")
	answers := map[string]string{"timezone": "Europe/Berlin"}
	q := asked(c.Propose(match.Config{Answers: answers}), "start_at:abgesagt")
	if q == nil || q.Text != `what is "abgesagt" of "Datum" and "Uhrzeit" for start?` || q.Why != "4 rows say it" || q.Free != "" ||
		!slices.Equal(q.Columns, []string{"Datum", "Uhrzeit"}) || !slices.Equal(choicesOf(q), []string{"skip", "blank"}) {
		t.Fatalf("%+v", q)
	}
	for answer, filter := range map[string]string{
		"blank": "", "18:30": "", // a time of day is no date
		"skip": `lower(trim(col("Datum"))) not in ["abgesagt"] && lower(trim(col("Uhrzeit"))) not in ["abgesagt"]`,
	} {
		answers["start_at:abgesagt"] = answer
		p := c.Propose(match.Config{Answers: answers})
		settled := 0
		for i := range p.Settled {
			if s := &p.Settled[i]; s.ID == q.ID && s.Text == q.Text && slices.Equal(s.Columns, q.Columns) {
				settled++
			}
		}
		if open := asked(p, q.ID) != nil; open != (answer == "18:30") || !open && settled != 1 || p.File.Filter != filter {
			t.Errorf("%s: open %t, settled %d, filter %s", answer, open, settled, p.File.Filter)
		}
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
