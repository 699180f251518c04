package main

import "testing"

func TestAnswersAreFitToBePrinted(t *testing.T) {
	for _, test := range []struct {
		name, answer, want string
		secrets            bool
	}{
		{"an empty answer is an empty object", ``, `{}`, false},
		{"a secret is left out", `{"id":"wh-1","secret":"whs_0a/b"}`, `{"id":"wh-1","secret":"[redacted]"}`, false},
		{"however deep", `{"entries":[{"secret":"a\"b"},{"n":1.50}]}`, `{"entries":[{"secret":"[redacted]"},{"n":1.50}]}`, false},
		{"unless it is asked for", `{"secret":"whs_0ab"}`, `{"secret":"whs_0ab"}`, true},
		{"none is none", `{"secret":""}`, `{"secret":""}`, false},
		{"what hides is escaped", "{\"name\":\"a\u202eb\u200b\U000e0001é\"}", `{"name":"a\u202eb\u200b\udb40\udc01é"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := string(fit([]byte(test.answer), test.secrets)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
