package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"eventbatch/mapping/schema"
)

// constants reads the code constants from the source, so that none can be
// added without an explanation.
func constants(t *testing.T) map[schema.Code]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../schema/code.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[schema.Code]string{}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			v := spec.(*ast.ValueSpec)
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			if other, ok := codes[schema.Code(text)]; ok {
				t.Errorf("%s and %s are both %s", v.Names[0], other, text)
			}
			codes[schema.Code(text)] = v.Names[0].Name
		}
	}
	return codes
}

func TestEveryCodeIsExplained(t *testing.T) {
	known := constants(t)
	seen := map[schema.Code]bool{}
	for _, info := range Codes {
		if _, ok := known[info.Code]; !ok || seen[info.Code] {
			t.Errorf("%s: no constant, or explained twice", info.Code)
		}
		seen[info.Code] = true
		if got, ok := Lookup(info.Code); !ok || got != info {
			t.Errorf("%s is not found", info.Code)
		}
	}
	for code, name := range known {
		if !seen[code] {
			t.Errorf("%s (%s) is not explained", name, code)
		}
	}
	if _, ok := Lookup("no-such-code"); ok {
		t.Error("an unknown code is found")
	}
}

func TestExplanationsReadAlike(t *testing.T) {
	for _, info := range Codes {
		if word := strings.Trim(string(info.Code), "abcdefghijklmnopqrstuvwxyz-"); word != "" {
			t.Errorf("%s is not kebab-case: %q", info.Code, word)
		}
		if info.Title == "" || strings.HasSuffix(info.Title, ".") || strings.ToLower(info.Title[:1]) != info.Title[:1] {
			t.Errorf("%s: title %q", info.Code, info.Title)
		}
		if n := strings.Count(info.Explain+" ", ". "); n < 2 || n > 5 || !strings.HasSuffix(info.Explain, ".") {
			t.Errorf("%s: explained in %d sentences", info.Code, n)
		}
		if info.Example == "" {
			t.Errorf("%s: no example", info.Code)
		}
	}
}

func TestCodeSeverity(t *testing.T) {
	for code, want := range map[schema.Code]schema.Severity{
		schema.CodeRowGone: schema.Warning, schema.CodeUnmatchedColumn: schema.Warning, schema.CodeHeldBack: schema.Warning,
		schema.CodeOtherLink: schema.Warning, schema.CodeDeprecatedName: schema.Warning,
		schema.CodeHiddenRows: schema.Warning, schema.CodeStruckRows: schema.Warning, schema.CodeMergedCells: schema.Warning,
		schema.CodeImageHostUnchecked: schema.Warning, schema.CodeDSTGap: schema.Error, schema.CodeLostDigits: schema.Error,
		"nothing-known": schema.Error,
	} {
		if got := Severity(code); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
	}
	if schema.CodeDSTGap != "dst-gap" {
		t.Error("dst-gap is written in mapping files and cannot change")
	}
}
