package match_test

import (
	"bytes"
	"encoding/csv"
	"testing"
	"time"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
)

// What is proposed for a file reads that file: the only errors are those of
// questions that were left open.
func TestWhatIsProposedReadsItsFile(t *testing.T) {
	for _, set := range headerSets(t) {
		t.Run(set.name, func(t *testing.T) {
			columns := gatherRecords(set.records)
			config := match.Config{Answers: map[string]string{"timezone": "Europe/Berlin"}}
			p := columns.Propose(config)
			if asked(p, "date_order") != nil {
				config.Answers["date_order"] = "dmy"
			}
			if q := asked(p, "name"); q != nil {
				config.Answers["name"] = q.Choices[0].Value
			}
			if q := asked(p, "start_at"); q != nil {
				config.Answers["start_at"] = q.Choices[0].Value
			}
			if asked(p, "rows") != nil {
				return // guests are no events
			}
			p = columns.Propose(config)
			f, err := mapfile.Decode([]byte(written(t, p)), "events.map.yaml")
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := csv.NewWriter(&text).WriteAll(set.records); err != nil {
				t.Fatal(err)
			}
			reading, err := mapping.Read(t.Context(), mapping.Config{
				Files: []string{"-"}, Stdin: &text, Format: "csv", Mapping: f, Now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
			})
			if err != nil {
				t.Fatal(err)
			}
			for row, err := range reading.Results(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range row.Problems {
					if problem.Severity == schema.Error {
						t.Errorf("%v", &problem)
					}
				}
				if row.Skipped == "" && (row.Draft.Text(catalog.FieldName) == "" || row.Draft.Text(catalog.FieldStartAt) == "") {
					t.Errorf("row %d has no name or no start", row.Draft.Place.Row)
				}
			}
			if t.Failed() {
				t.Log("\n" + written(t, p))
			}
		})
	}
}
