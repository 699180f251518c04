package match_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
)

// readsBack fails where the written mapping is another than the proposed one.
func readsBack(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *match.Proposal,
) {
	t.Helper()
	asked := map[string]bool{}
	for _, q := range p.Questions { // or one answer would be taken for both
		if asked[q.ID] {
			t.Fatalf("asked twice: %s", q.ID)
		}
		asked[q.ID] = true
	}
	text, err := p.Write("proposed for a file: with #, \n and \x00")
	if err != nil {
		t.Fatalf("%v", err)
	}
	got, err := mapfile.Decode(text, "events.map.yaml")
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	ignored := len(got.Ignore)
	want, have := p.File, *got
	want.Ignore, want.Source, have.Ignore = nil, mapfile.Origin{}, nil
	a, err := want.Encode()
	if err != nil {
		t.Fatalf("%v", err)
	}
	b, err := have.Encode()
	if err != nil {
		t.Fatalf("%v", err)
	}
	if string(a) != string(b) || ignored != len(p.Ignored) {
		t.Fatalf("proposed:\n%s\nread back:\n%s\nwritten:\n%s", a, b, text)
	}
}

var odd = []string{
	"Title", "Date", "Time", "Start", "End", "Zone", "Link", "Status", "Visibility", "Ort", "Where", "Duration", "GPS", "Lat", "Long",
	"ID", "No", "Event ID", "Private", "All day",
	"# note", "a: b", "- x", "'", `"`, "[x]", "{y}", "*", "a?b", `c\d`, "yes", "null", "1", "~", "|", ">", "%", "@", "`", "&a", "!t",
	"two\nlines", "tab\there", "ends ", " begins", "é", "日本", "\u2028", "", "  ",
	"2027-04-03", "03/04/2027 18:00", "13.04.2027", "18:00", "18:00 - 19:00", "2027-01-01 10:00 → 2027-01-02", "https://zoom.us/j/1",
	"https://example.com/a.jpg", "<p>x</p>", "53.1", "12", "90 min", "Everyone", "cancelled", "Europe/Paris", "EST", "evt-1", "cal-1",
	"ja", "Nein",
}

func TestAnyProposalReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 12).Draw(t, "width")
		text := rapid.OneOf(rapid.SampledFrom(odd), rapid.StringN(0, 12, 24))
		records := make([][]string, rapid.IntRange(1, 5).Draw(t, "rows"))
		for i := range records {
			for range width {
				records[i] = append(records[i], text.Draw(t, "cell"))
			}
		}
		columns := gatherRecords(records)
		config := match.Config{Answers: map[string]string{}}
		p := columns.Propose(config)
		readsBack(t, p)
		for _, q := range p.Questions {
			if len(q.Choices) > 0 {
				config.Answers[q.ID] = rapid.SampledFrom(q.Choices).Draw(t, q.ID).Value
			}
		}
		readsBack(t, columns.Propose(config))
	})
}

func FuzzPropose(f *testing.F) {
	for _, set := range headerSets(f) {
		var text strings.Builder
		for _, record := range set.records {
			text.WriteString(strings.Join(record, "\t") + "\n")
		}
		f.Add(text.String())
	}
	f.Add(strings.Join(odd, "\t"))
	f.Add("DAte\tArt Time\n2027-04-03\t00000\n2027-04-03\t18:00")                              // a reason too long for its line
	f.Add("<Ⱥ\n<Ⱥ>")                                                                           // a letter whose lower case is longer
	f.Add("Title\tTitle\tTitle\t\t\t\n\t\t\t\t\t<Ⱥ")                                           // the same in a column without a header
	f.Add("Name\tStart\tTimezone\nA\t2027-04-03 18:00\t53.7997")                               // a zone's name over cells that are none
	f.Add("Name\tDate\tTime\nA\t2027-04-03\t18:00\nB\t2027-04-04\t18:00\nC\tmorgen?\tmorgen?") // a text of two columns of one field
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1500 || !utf8.ValidString(text) {
			t.Skip() // no reader of a file gives such a text
		}
		var records [][]string
		for line := range strings.SplitSeq(text, "\n") {
			records = append(records, strings.Split(line, "\t"))
		}
		readsBack(t, gatherRecords(records).Propose(match.Config{}))
	})
}
