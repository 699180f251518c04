package sandbox

import (
	"encoding/json"
	"testing"
)

// A text that is plain is taken as it stands, and comes out as encoding/json has it.
func FuzzUnquote(f *testing.F) {
	for _, text := range []string{
		``, `"`, `""`, `"a"`, `"a" `, `"a"b"`, `"a\"`, `"a\n"`, "\"a\n\"", "\"\xff\"", `"é"`, `"\ud800"`,
		"\"\ufffd\"", `1`, `"a`, "\"\x7f\"", "\"\u2028\"",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		var want string
		if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &want) != nil {
			want = ""
		}
		if got := unquote(value); got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	})
}
