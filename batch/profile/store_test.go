package profile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"eventbatch/mapping/failure"
)

func TestTheProfileNamesTheDatabase(t *testing.T) {
	for _, tt := range []struct {
		name, file, profile string
		want                string
		fails               error
	}{
		{name: "none", file: "profiles: {a: {}, b: {}}"}, // which of the two is meant need not be known
		{name: "the only one", file: "profiles: {a: {store: {from: file:address}}}", want: "postgres://a"},
		{name: "another one's", file: "profiles: {a: {store: {from: file:address}}, b: {}}", profile: "b"},
		{name: "which one", file: "profiles: {a: {store: {from: file:address}}, b: {}}", fails: failure.Config},
		{name: "nothing there", file: "profiles: {a: {store: {from: env:NONE}}}", fails: failure.NoKey},
	} {
		dir := t.TempDir()
		err := errors.Join(
			os.WriteFile(filepath.Join(dir, "eventbatch.yaml"), []byte(tt.file), 0o600),
			os.WriteFile(filepath.Join(dir, "address"), []byte("postgres://a\n"), 0o600),
		)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Store(t.Context(), Flags{Profile: tt.profile}, Env{Dir: dir})
		text := ""
		if !got.IsZero() {
			text = got.Reveal()
		}
		if text != tt.want || (err != nil) != (tt.fails != nil) || tt.fails != nil && !errors.Is(err, tt.fails) {
			t.Errorf("%s: %q, %v", tt.name, text, err)
		}
	}
}
