package storetest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// isStore is the line by which a type is declared to be a store.
var isStore = regexp.MustCompile(`(?m)^var _ (?:journal\.)?(?:Store|Shared) = .*\*(\w+)\)`)

func TestEveryStoreIsTested(t *testing.T) {
	root, stores := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if found := isStore.FindSubmatch(text); err == nil && found != nil {
			stores++
			if tests := tests(t, filepath.Dir(path)); !strings.Contains(tests, "storetest.Run(") {
				t.Errorf("%s declares %s to be a store, and no test beside it calls storetest.Run", path, found[1])
			}
		}
		return err
	})
	if err != nil || stores == 0 {
		t.Error(stores, err)
	}
}

// tests returns the text of the tests in a folder.
func tests(t *testing.T, folder string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
