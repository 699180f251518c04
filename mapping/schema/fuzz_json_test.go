package schema

import (
	"encoding/json"
	"testing"
)

func FuzzAppendText(f *testing.F) {
	f.Add("a\"b\\c\n\x00\x7f\xff\u2028é日\xf0\x9f")
	f.Fuzz(func(t *testing.T, text string) {
		var got string
		if err := json.Unmarshal(AppendText(nil, text), &got); err != nil || got != string([]rune(text)) {
			t.Fatalf("%q comes back as %q, %v", text, got, err)
		}
	})
}

func FuzzProblem(f *testing.F) {
	f.Add(`{"file":"a.csv","row":3,"column":"AB","severity":"warning","code":"bad-enum","message":"m"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var p, again Problem
		if json.Unmarshal([]byte(text), &p) != nil {
			return
		}
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &again); err != nil || (p.Place.Row > 0 && again != p) {
			t.Fatalf("%+v comes back as %+v, %v", p, again, err)
		}
	})
}
