package match_test

import (
	"slices"
	"testing"

	"eventbatch/mapping/match"
)

// What an answer brings up is listed beside the question, so that all is answered at once.
func TestWhatFollowsAnAnswerIsListedWithIt(t *testing.T) {
	columns := gather(t, "Attendee,Email,Ticket type,Order date\nAnn,ann@example.com,VIP,2027-05-01\n"+
		"Bob,bob@example.com,VIP,2027-05-02\n")
	p := columns.Propose(match.Config{})
	if asked(p, "rows") == nil {
		t.Fatalf("open are %+v", p.Questions)
	}
	following := columns.Following(p, match.Config{})
	at := slices.IndexFunc(following, func(f match.Following) bool { return f.ID == "start_at" })
	if at < 0 || !slices.Equal(following[at].After, []string{"rows=events"}) {
		t.Errorf("following are %+v", following)
	}
	for _, f := range following {
		if asked(p, f.ID) != nil {
			t.Errorf("%s is asked twice", f.ID)
		}
	}
}

func TestHoursThatGoBackMayBeOfSeveralDays(t *testing.T) {
	for file, why := range map[string]string{
		"Time,Session\n9:00,Opening\n17:30,Dinner\n9:30,Talk\n": "no column has a date, so that 3 rows would be on the same day, and " +
			`"9:30" stands below "17:30", so that there may be more than one day`,
		"Time,Session\n9:00,Opening\n17:30,Dinner\n": "no column has a date, so that 2 rows would be on the same day",
	} {
		if q := asked(gather(t, file).Propose(match.Config{}), "day"); q == nil || q.Why != why {
			t.Errorf("%s: %+v", file, q)
		}
	}
}
