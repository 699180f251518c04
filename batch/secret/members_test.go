package secret

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSecretMembersAreHidden(t *testing.T) {
	for _, tt := range [][2]string{
		{`{"id": "web-1", "secret": "x", "name": "x"}`, `{"id": "web-1", "secret": "[redacted]", "name": "x"}`},
		{`{"Secret":"x","signing_secret":"x"}`, `{"Secret":"[redacted]","signing_secret":"[redacted]"}`},
		{`[{"a":[{"apiKey":"x"}]},{"api_key":"x"}]`, `[{"a":[{"apiKey":"[redacted]"}]},{"api_key":"[redacted]"}]`},
		{`{"Access Token":"x","PASSWORD":"x"}`, `{"Access Token":"[redacted]","PASSWORD":"[redacted]"}`},
		{`{"\u0073ecret":"x","secret" : "x" , "secret":7}`, `{"\u0073ecret":"[redacted]","secret" : "[redacted]" , "secret":"[redacted]"}`},
		{`{"secrets":{"secret":"x","list":[{"token":"x"}]},"b":1}`, `{"secrets":"[redacted]","b":1}`},
		{`{"secret":null,"token":"","password":false,"token_type":"bearer","key":"k","next_cursor":"c"}`, ""},
		{`"secret"`, ""},
		{`[]`, ""},
		{`{}`, ""},
		{`{"secret":`, ""},
		{`7`, ""},
	} {
		text, want := tt[0], tt[1]
		if want == "" {
			want = text
		}
		if got := string(HideMembers(json.RawMessage(text))); got != want {
			t.Errorf("%s\nbecame %s\nwant   %s", text, got, want)
		}
	}
	deep := strings.Repeat(`{"a":[`, 4000) + `{"token":"x"}` + strings.Repeat(`]}`, 4000)
	if strings.Contains(string(HideMembers(json.RawMessage(deep))), `"x"`) {
		t.Error("it is shown in the depth")
	}
}
