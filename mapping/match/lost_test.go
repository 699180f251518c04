package match_test

import (
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/match"
)

func TestEventsThatDoNotTakePlaceAreLeftOutOrAskedAbout(t *testing.T) {
	for _, tt := range []struct{ header, cells, filter, asked string }{
		{"Status", "fix abgesagt", `lower(trim(col("Status"))) not in ["abgesagt"]`, ""},
		{"Status", "fix entfällt-wegen-Sturm", "", "filter:Status"},
		{"Cancelled", "no yes", `lower(trim(col("Cancelled"))) not in ["yes"]`, ""},
		{"Abgesagt", "x ", `lower(trim(col("Abgesagt"))) not in ["x"]`, ""},
		{"Bemerkung", "abgesagt Kuchen", `lower(trim(col("Bemerkung"))) not in ["abgesagt"]`, ""},
		{"Bemerkung", "Kuchen Tee", "", ""},
		{"Bemerkung", "abgesagt-wegen-Sturm Tee", "", "filter:Bemerkung"},
		{"Beschreibung", "abgesagt-wegen-Sturm Tee", "", "filter:Beschreibung"},
		{"Beschreibung", "abgesagt Tee", `lower(trim(col("Beschreibung"))) not in ["abgesagt"]`, ""},
		{"Beschreibung", "entfällt-bei-Regen Tee", "", ""},
	} {
		first, second, _ := strings.Cut(tt.cells, " ")
		rows := "\na,2027-03-20 19:00,UTC," + first + "\nb,2027-03-21 19:00,UTC," + second + "\n"
		p := gather(t, "Titel,Beginn,TZ,"+tt.header+rows).Propose(match.Config{})
		var asked strings.Builder
		for _, q := range p.Questions {
			if !q.Optional {
				asked.WriteString(q.ID)
			}
		}
		if p.File.Filter != tt.filter || asked.String() != tt.asked {
			t.Errorf("%s: %s: the filter is %s, open is %q", tt.header, tt.cells, p.File.Filter, asked.String())
		}
	}
}

func TestAStateThatIsSetOffInANameIsAskedAboutWithLeave(t *testing.T) {
	for name, optional := range map[string]bool{"DRAFT: Tea": true, "Tea (cancelled)": true, "Tea – sold out": false, "NBA draft": false} {
		p := gather(t, "Title,Start,TZ\nTea,2027-03-20 19:00,UTC\n"+name+",2027-03-21 19:00,UTC\n").Propose(match.Config{})
		if p.Open() > 0 == optional {
			t.Errorf("%s: open are %+v", name, p.Questions)
		}
	}
}

func TestARangeOfDaysDoesNotLoseTheTimesOfDay(t *testing.T) {
	const rows = "Titel,Datum,Beginn,TZ\na,2027-05-01,19:00,UTC\nb,2027-05-02,20:00,UTC\nc,7 May 2027 - 9 May 2027,10:00,UTC\n"
	p := gather(t, rows).Propose(match.Config{})
	start, _ := p.File.Columns.Get("start_at")
	if p.Open() != 1 || !slices.Equal(start.From, []string{"Datum", "Beginn"}) ||
		p.Questions[len(p.Questions)-1].ID != "start_at:7 May 2027 - 9 May 2027" {
		t.Errorf("start is %v, open are %+v", start, p.Questions)
	}
}

func TestAColumnThatAPersonChoseFeedsItsFieldOnce(t *testing.T) {
	columns := gatherRecords([][]string{
		{"Name", "Visibility", "Who"}, {"Reading", "Title", "Everyone"}, {"Concert", "", "Members"}, {"Dance", "", "Everyone"},
	})
	p := columns.Propose(match.Config{Answers: map[string]string{"visibility": "Visibility"}})
	fed := 0
	for _, item := range p.File.Columns {
		if item.Key == "visibility" {
			fed++
		}
	}
	if fed > 1 {
		t.Errorf("visibility stands %d times among the columns", fed)
	}
}

// Of a column whose state makes some events private, the other cells are no cells that cannot be read.
func TestAStateThatMakesEventsPrivateRefusesNoOther(t *testing.T) {
	const rows = "Titel,Beginn,TZ,Status\na,2027-03-20 19:00,UTC,fix\nb,2027-03-21 19:00,UTC,intern\nc,2027-03-22 19:00,UTC,fix\n"
	p := gather(t, rows).Propose(match.Config{Answers: map[string]string{"private:Status": "private"}})
	text, err := p.Write("a.csv")
	if err != nil || !strings.Contains(string(text), `? "private"`) || strings.Contains(string(text), "cannot be read") {
		t.Errorf("%s: %v", text, err)
	}
}
