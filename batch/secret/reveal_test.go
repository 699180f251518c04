package secret_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Only what sends a secret may look at it: the transport at keys, package feed at the
// headers of its requests, package notify at the password of its mail. This package itself does so to compare and to hash.
func TestOnlyTheTransportRevealsKeys(t *testing.T) {
	root := filepath.Join("..", "..")
	uses := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // the compiler says it better
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Reveal" {
				uses[filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), root+string(filepath.Separator)))]++
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if uses["batch/api"] == 0 {
		t.Errorf("the transport does not reveal keys: the search is broken: %v", uses)
	}
	delete(uses, "batch/api")
	delete(uses, "batch/feed")
	delete(uses, "batch/notify")
	delete(uses, "batch/postgres")
	delete(uses, "batch/secret")
	for dir := range uses {
		t.Errorf("%s reveals keys", dir)
	}
}
