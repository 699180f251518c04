package api

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the service tells is read as encoding/json reads it, odd as it may be.
func FuzzMembersAreAsTheStandardLibraryReadsThem(f *testing.F) {
	for _, text := range []string{
		``, `null`, `[]`, `"text"`, `{}`, `{"a":1} {}`, `{"a":1}x`, `{"a":1`, `{"a":}`, `{"a":1,"a":null,"A":[ 2 ]}`,
		` { "a" : { "b" : 1 } } `,
		"{\"a\xff\":\"\xff\"}", `{"\ud800":"\ud800"}`, `{"a":01}`, "{\"a\":\"\x01\"}", `{"":null}`, `{"a":1e999}`, "\ufeff{}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want members
		wrong := json.Unmarshal(text, &want)
		if wrong != nil {
			want = nil
		}
		got, err := readMembers(text)
		if d := cmp.Diff(want, got); d != "" || (err != nil) != (wrong != nil) {
			t.Errorf("%q: %v, not %v (-want +got):\n%s", text, err, wrong, d)
		}
	})
}
