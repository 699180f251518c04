package finding

import (
	"strings"
	"testing"
)

func TestDecodeOneTakesOneValueOfKnownMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{"key":"a"}` + "\n":  "",
		`{"key":"a","kye":1}`: `unknown field "kye"`,
		`{"key":"a"}{}`:       "more than one",
		`{"key":"a"} ,`:       "more than one",
		`{"key":`:             "EOF",
	} {
		var one struct{ Key string }
		err := DecodeOne(strings.NewReader(text), &one)
		if want == "" && (err != nil || one.Key != "a") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
