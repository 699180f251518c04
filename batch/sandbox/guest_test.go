package sandbox

import (
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
)

// TestAnswers has guests answer what their event asks, and nothing else.
func TestAnswers(t *testing.T) {
	_, c := unlimited(t)
	questions := strings.TrimSuffix(catalog.Field(catalog.FieldRegistrationQuestions).Example, "]") +
		`,{"id":"q2","label":"Plays","required":true,"question_type":"multi-select","options":["Brass","Choir"]}` +
		`,{"id":"q3","label":"Why?","required":false,"question_type":"text"}]`
	event := c.create("Tea", `"registration_questions":`+questions)
	for answers, path := range map[string]string{
		`[]`: "",
		`[{"question_id":"q3","answer":"So"},{"question_id":"q2","answer":["Choir"]}]`: "",
		`[{"question_id":"q9","answer":"So"}]`:                                         "0.question_id",
		`[{"question_id":"q1","answer":"any"},{"question_id":"q1","answer":"meat"}]`:   "1.answer",
		`[{"question_id":"q1","answer":["any"]}]`:                                      "0.answer",
		`[{"question_id":"q2","answer":"Choir"}]`:                                      "0.answer",
		`[{"question_id":"q2","answer":["Choir","Flute"]}]`:                            "0.answer",
		`[{"question_id":"q3","answer":""}]`:                                           "0.answer",
		`[{"question_id":"q3"}]`:                                                       "0.answer",
		`[{"question_id":"q3","answer":"So","label":"Why?"}]`:                          "0.answer",
		`["So"]`: "0",
		`{}`:     "",
	} {
		r := c.must(`POST /v1/events/guests/add {"event_id":"` + event + `","guests":[{"email":"a@example.org"},` +
			`{"email":"b@example.org","registration_answers":` + answers + `}]}`)
		if path != "" && !strings.Contains(r.body, "- guests.1.registration_answers."+path+":") {
			t.Errorf("%s: %s, want a problem at %s", answers, r.body, path)
		}
		if fine := path == "" && answers != "{}"; fine != (r.status == 200) {
			t.Errorf("%s: %d %s", answers, r.status, r.body)
		}
	}
}
