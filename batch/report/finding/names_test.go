package finding

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesTellFilesApart(t *testing.T) {
	for _, c := range []struct{ paths, want []string }{
		{nil, []string{}},
		{[]string{"dir/a.xlsx", "dir/a.xlsx"}, []string{"a.xlsx", "a.xlsx"}}, // two sheets of one file
		{[]string{"/in/a.csv", "b.csv"}, []string{"a.csv", "b.csv"}},
		{[]string{"/in/new/a.csv", "/in/old/a.csv", "/in/old/b.csv"}, []string{"new/a.csv", "old/a.csv", "b.csv"}},
		{[]string{"/1/x/a.csv", "/2/x/a.csv"}, []string{"1/x/a.csv", "2/x/a.csv"}},
		{[]string{"a.csv", "old/a.csv", "./a.csv", ""}, []string{"a.csv", "old/a.csv", "./a.csv", ""}},
	} {
		if diff := cmp.Diff(c.want, Names(c.paths)); diff != "" {
			t.Errorf("%q: %s", c.paths, diff)
		}
	}
}
