package desk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// every are all clicks, with their patterns.
func every() (all []click, patterns []*regexp.Regexp) {
	all = slices.Concat(asking, deciding, others)
	for _, c := range all {
		patterns = append(patterns, regexp.MustCompile(c.Typed))
	}
	return all, patterns
}

// written returns a text of a program, where it is one; what is put into it is a word.
func written(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, err == nil && n.Kind == token.STRING
	case *ast.BinaryExpr:
		before, some := written(n.X)
		behind, more := written(n.Y)
		if n.Op != token.ADD || !some && !more {
			return "", false
		}
		if !some {
			before = "word"
		}
		if !more {
			behind = "word"
		}
		return before + behind, true
	}
	return "", false
}

// No hint of a file has a person who clicks type something: each text of the packages that read and plan is gone through.
func TestHintsSayWhatIsClicked(t *testing.T) {
	all, patterns := every()
	met := make([]bool, len(all))
	typed := regexp.MustCompile(
		`(^|[ ,(])(say|check|correct|have|let|run|say it with|say which with) (--[a-z]|eventbatch )|^(eventbatch map |with --)`)
	for _, folder := range []string{
		"mapping", "batch/plan", "batch/plan.go", "batch/source", "cmd/eventbatch/cmd_map_say.go",
		"batch/outcome.go", "batch/resolve.go", "batch/retry.go", "batch/undo_end.go",
	} {
		err := filepath.WalkDir(filepath.Join("../../..", filepath.FromSlash(folder)), func(path string, _ fs.DirEntry, err error) error {
			read := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "catalog")
			if err != nil || !read {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				text, ok := written(n)
				if !ok || text == "" || unicode.IsUpper(rune(text[0])) || strings.HasSuffix(text, "\n") { // which is no hint
					return !ok
				}
				for i := range all {
					met[i] = met[i] || patterns[i].MatchString(text)
				}
				got := text
				for i := range all {
					got = patterns[i].ReplaceAllString(got, all[i].Click)
				}
				if typed.MatchString(got) {
					t.Errorf("%s: %q has a person type, and the page says %q", path, text, got)
				}
				return false
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range all {
		if !met[i] {
			t.Errorf("no hint has %s", all[i].Typed)
		}
	}
}

// Times are named as the page names their columns, and a command line that a hint has stays as it is.
func TestMessagesNameTimesInWords(t *testing.T) {
	all, patterns := every()
	for text, want := range map[string]string{
		"end_at is before start_at":                     "end is before start",
		"end_at is the same as start_at: the platform":  "end is the same as start: the platform",
		"if start_at moves, the end stays where it is":  "if start moves, the end stays where it is",
		"leave end_at blank where the end is not known": "leave end blank where the end is not known",
		"fill it by --fill end_at=start_at+2h":          "fill it by --fill end_at=start_at+2h",
	} {
		got := text
		for i := range all {
			got = patterns[i].ReplaceAllString(got, all[i].Click)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
