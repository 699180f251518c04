package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows lists for each package of this module the packages of this module
// that it may import. Change the table first, then the code.
var arrows = map[string][]string{
	"mapping/spelling": {},
	"mapping/schema":   {"mapping/richtext"},
	"mapping/value":    {"mapping/schema", "mapping/spelling", "mapping/datetime", "mapping/richtext"},
	"mapping/catalog":  {"mapping/schema", "mapping/value", "mapping/pattern"},
	"mapping/failure":  {},
	"mapping/regular":  {},
	"mapping/pattern":  {},
	"mapping/durable":  {},
	"mapping/own":      {"mapping/durable", "mapping/failure", "mapping/regular"},
	"mapping/yamldoc":  {"mapping/spelling", "mapping/pattern"},
	"mapping/datetime": {"mapping/spelling", "mapping/pattern"},
	"mapping/reads":    {"mapping/schema", "mapping/value", "mapping/catalog", "mapping/yamldoc", "mapping/datetime", "mapping/spelling"},
	"mapping/sheet": {
		"mapping/schema", "mapping/value", "mapping/catalog", "mapping/datetime", "mapping/regular", "mapping/sheet/codepage",
		"mapping/sheet/ics", "mapping/sheet/ooxml", "mapping/spelling",
	},
	"mapping/sheet/codepage": {},
	"mapping/sheet/ics":      {"mapping/schema", "mapping/value", "mapping/datetime"},
	"mapping/sheet/ooxml":    {"mapping/schema"},
	"mapping/annotate": {
		"mapping/failure", "mapping/durable", "mapping/schema", "mapping/sheet", "mapping/sheet/ooxml", "mapping/proposal",
	},
	"mapping/baseline": {"mapping/schema", "mapping/value", "mapping/catalog"},
	"mapping/record": {
		"mapping/failure", "mapping/schema", "mapping/value", "mapping/catalog", "mapping/sheet", "mapping/baseline", "mapping/formula",
		"mapping/spelling", "mapping/template",
	},
	"mapping/check":    {"mapping/schema", "mapping/value", "mapping/catalog", "mapping/reads", "mapping/spelling"},
	"mapping/reshape":  {"mapping/schema", "mapping/sheet", "mapping/datetime"},
	"mapping/richtext": {"mapping/pattern"},
	"mapping/formula":  {"mapping/schema", "mapping/value", "mapping/catalog", "mapping/sheet", "mapping/spelling", "mapping/datetime"},
	"mapping/mapfile": {
		"mapping/failure",
		"mapping/schema", "mapping/value", "mapping/catalog", "mapping/spelling", "mapping/yamldoc", "mapping/datetime", "mapping/sheet",
		"mapping/formula",
		"mapping/reads", "mapping/reshape", "mapping/regular", "templates",
	},
	"mapping": {
		"mapping/failure",
		"mapping/schema", "mapping/value", "mapping/catalog", "mapping/spelling", "mapping/datetime", "mapping/sheet", "mapping/check",
		"mapping/reshape",
		"mapping/baseline", "mapping/richtext", "mapping/formula", "mapping/mapfile", "mapping/match", "mapping/fix", "mapping/reads",
	},
	"mapping/match": {
		"mapping/pattern",
		"mapping/schema", "mapping/value", "mapping/catalog", "mapping/yamldoc", "mapping/datetime", "mapping/sheet", "mapping/mapfile",
		"mapping/spelling",
		"mapping/reads", "mapping/reshape", "mapping/richtext",
	},
	"mapping/template": {"mapping/schema", "mapping/value", "mapping/catalog", "mapping/sheet", "mapping/sheet/ooxml", "mapping/datetime"},
	"mapping/proposal": {},
	"mapping/fix": {
		"mapping/pattern",
		"mapping/proposal", "mapping/failure", "mapping/schema", "mapping/value", "mapping/catalog", "mapping/datetime", "mapping/sheet",
		"mapping/spelling", "mapping/reads",
		"mapping/yamldoc",
	},

	"batch/printable": {"mapping/spelling"},
	"batch/secret":    {"mapping/failure", "mapping/spelling", "batch/printable"},
	"batch/feed":      {"mapping/failure", "mapping/sheet", "batch/printable", "batch/secret", "batch/api"},
	"batch/night": {
		"mapping/failure", "mapping/own", "batch/feed", "batch/journal", "batch/journal/files", "batch/printable", "batch/report/finding",
	},
	"batch/notify": {
		"mapping/pattern",
		"mapping/failure", "mapping/durable", "mapping/own", "mapping/schema", "mapping/catalog", "batch/printable", "batch/secret",
		"batch/report/finding",
	},
	"batch/profile": {
		"mapping/failure", "mapping/yamldoc", "mapping/regular", "mapping/schema", "mapping/value", "mapping/catalog", "mapping/spelling",
		"batch/secret", "batch/feed", "batch/plan",
		"batch/notify", "mapping/datetime", "mapping/own", "mapping/sheet",
	},
	"batch/plan": {
		"mapping/schema", "mapping/value", "mapping/catalog", "mapping/check", "mapping/failure", "mapping/baseline", "mapping/spelling",
	},
	"batch/quota": {"mapping/failure", "mapping/own"},
	"batch/api": {
		"mapping/failure", "mapping/schema", "mapping/catalog", "mapping/regular", "mapping/spelling", "batch/printable", "batch/secret",
	},
	"batch/journal": {
		"mapping/failure", "mapping/durable", "mapping/own", "mapping/schema", "mapping/catalog", "batch/plan", "batch/printable",
	},
	"batch/journal/files": {"mapping/failure", "mapping/durable", "mapping/own", "batch/journal", "batch/plan", "batch/printable"},
	"batch/postgres":      {"mapping/failure", "batch/secret", "batch/plan", "batch/journal", "batch/journal/files"},
	"batch/work":          {"mapping/failure", "batch/plan", "batch/printable", "batch/journal", "batch/postgres", "batch/send"},
	"batch/pgtest":        {},
	"batch/pagetest":      {},
	"batch/trial":         {},
	"batch/export":        {"mapping/schema", "mapping/catalog", "mapping/failure", "mapping/own", "batch/api"},
	"batch/balance":       {"mapping/schema", "mapping/value", "mapping/catalog"},
	"batch/send": {
		"mapping/failure", "mapping/schema", "mapping/value", "mapping/catalog", "batch/plan", "batch/api", "batch/quota", "batch/journal",
	},
	"batch/report": {
		"mapping/pattern", "mapping/fix", "mapping/match",
		"mapping/schema", "mapping/value", "mapping/catalog", "mapping/richtext", "batch/plan", "batch/printable", "batch/journal",
		"batch/balance", "batch/report/finding", "mapping/own", "mapping/spelling",
	},
	"batch/agents":   {"mapping/failure", "mapping/regular", "batch/secret", "batch/manual", "batch/report/finding"},
	"batch/dialog":   {"mapping/match", "batch/printable", "batch/report"},
	"batch/eventlog": {"mapping/schema", "batch/plan", "batch/printable", "batch/report", "batch/report/finding"},
	"batch/report/finding": {
		"mapping/schema", "mapping/value", "mapping/catalog", "mapping/spelling", "batch/journal", "batch/plan", "batch/printable",
	},
	"batch/report/file": {
		"mapping/failure", "mapping/durable", "mapping/own", "mapping/schema", "mapping/sheet", "mapping/annotate", "mapping/spelling",
		"batch/plan", "batch/printable", "batch/report/finding", "batch/report/page", "batch/report/month",
	},
	"batch/report/page": {
		"mapping/pattern", "mapping/failure", "mapping/regular", "mapping/schema", "mapping/catalog", "batch/plan", "batch/printable",
		"batch/report/finding", "batch/report/month", "templates",
	},
	"batch/report/month": {"batch/journal", "batch/night", "batch/report/finding"},
	"batch/sandbox":      {"mapping/failure", "mapping/own", "mapping/schema", "mapping/value", "mapping/catalog", "mapping/pattern"},
	"batch/install":      {"mapping/failure", "mapping/datetime", "mapping/spelling", "templates"},
	"batch/manual":       {"batch/report", "batch/report/finding", "templates"},
	"batch/service": {
		"mapping/failure", "mapping/schema", "mapping/catalog", "batch/secret", "batch/profile", "batch/plan", "batch/quota", "batch/api",
		"batch/journal",
		"batch/report", "batch/sandbox",
	},
	"batch/live": {
		"mapping/failure", "mapping/schema", "mapping/value", "mapping/catalog", "batch/api", "batch/plan", "batch/journal", "batch/report",
		"batch/service",
	},
	"batch/source": {
		"mapping/failure", "mapping/spelling", "mapping/datetime", "mapping/schema", "mapping/value", "mapping/catalog", "mapping",
		"batch/plan", "batch/journal", "batch/report", "batch/live",
	},
	"batch": {
		"mapping/durable", "mapping/failure",
		"mapping", "mapping/baseline", "mapping/datetime", "mapping/schema", "mapping/value", "mapping/catalog", "mapping/sheet",
		"mapping/check",
		"mapping/own", "mapping/regular", "batch/secret", "batch/feed", "batch/night", "batch/notify", "batch/printable",
		"batch/profile", "batch/plan", "batch/quota", "batch/api", "batch/journal", "batch/journal/files", "batch/export", "mapping/record",
		"batch/service", "batch/live", "batch/source", "batch/send", "batch/postgres", "batch/work", "batch/balance", "batch/report",
		"batch/report/finding", "batch/report/month", "batch/sandbox",
	},

	"batch/scratch":            {},
	"batch/internal/storetest": {"mapping/failure", "batch/plan", "batch/journal"},

	"templates": {},
	"cmd/proof": {"mapping/durable", "batch/printable", "batch/trial", "templates"},
	"cmd/eventbatch/desk": {
		"mapping/pattern",
		"mapping", "mapping/reads", "mapping/schema", "mapping/durable", "mapping/fix", "mapping/own", "mapping/regular", "mapping/sheet",
		"batch/plan", "batch/printable", "batch/report",
		"batch/report/finding", "templates",
	},
	"cmd/eventbatch/late": {},
	"cmd/eventbatch": {
		"cmd/eventbatch/desk", "cmd/eventbatch/late",
		"mapping/failure",
		"mapping", "mapping/durable", "mapping/own", "mapping/spelling", "mapping/datetime", "mapping/record",
		"mapping/mapfile", "mapping/schema", "mapping/value", "mapping/catalog",
		"mapping/sheet", "mapping/check",
		"batch", "batch/service", "batch/live", "batch/source",
		"batch/secret", "batch/feed", "batch/profile", "batch/plan", "mapping/yamldoc", "batch/printable",
		"batch/quota",
		"batch/api",
		"batch/journal", "batch/journal/files", "batch/postgres", "batch/work", "batch/send", "batch/report", "batch/sandbox",
		"mapping/match", "mapping/template",
		"mapping/regular", "mapping/fix", "batch/report/finding", "batch/report/file", "batch/report/page", "batch/install",
		"batch/eventlog", "batch/dialog", "batch/agents",
		"batch/night", "batch/notify", "batch/report/month", "batch/manual", "templates",
	},
}

// owners lists for each third-party module the only packages that may import
// it. golang.org/x/sys and golang.org/x/text serve as the standard library does.
var owners = map[string][]string{
	"github.com/spf13/cobra":                 {"cmd/eventbatch"},
	"github.com/spf13/pflag":                 {"cmd/eventbatch"},
	"github.com/modelcontextprotocol/go-sdk": {"batch/agents"},
	"github.com/google/jsonschema-go":        {"batch/agents"},
	"github.com/gocarina/gocsv":              {"batch/report/file"},
	"github.com/xuri/excelize/v2":            {"mapping/sheet", "mapping/template", "cmd/proof"},
	"github.com/klauspost/compress":          {"mapping/template", "mapping/sheet", "mapping/sheet/ooxml"},
	"go.yaml.in/yaml/v3":                     {"mapping/yamldoc"},
	"github.com/expr-lang/expr":              {"mapping/formula"},
	"github.com/go-json-experiment/json":     {"batch/api", "batch/journal"},
	"golang.org/x/sync":                      {"batch", "batch/api", "batch/live", "batch/send"},
	"golang.org/x/time":                      {"batch/quota"},
	"github.com/sourcegraph/conc": {
		"batch", "batch/export", "batch/feed", "batch/send", "batch/journal", "batch/journal/files", "batch/postgres", "batch/quota",
		"batch/secret",
		"mapping", "mapping/sheet", "mapping/sheet/ooxml", "cmd/eventbatch", "cmd/eventbatch/desk",
	},
	"github.com/gofrs/flock":                          {"mapping/own", "batch/journal/files", "batch/quota", "batch/sandbox"},
	"github.com/chromedp/chromedp":                    {"batch/pagetest"},
	"github.com/chromedp/cdproto":                     {"batch/pagetest"},
	"github.com/rivo/uniseg":                          {"batch/report"},
	"github.com/wneessen/go-mail":                     {"batch/notify"},
	"github.com/schollz/progressbar/v3":               {"batch/report"},
	"golang.org/x/term":                               {"batch/report"},
	"github.com/zalando/go-keyring":                   {"batch/secret"},
	"github.com/JohannesKaufmann/html-to-markdown/v2": {"mapping/richtext"},
	"github.com/yuin/goldmark":                        {"mapping/richtext", "batch/manual"},
	"golang.org/x/net":                                {"mapping/richtext", "mapping/sheet"},
	"github.com/teambition/rrule-go":                  {"mapping/sheet/ics"},
	"github.com/arran4/golang-ical":                   {"mapping/sheet/ics"},
	"github.com/jackc/pgx/v5":                         {"batch/postgres", "batch/pgtest", "batch/work"},
	"github.com/riverqueue/river":                     {"batch/work"},
	"github.com/google/go-cmp":                        {"batch/internal/storetest"},
	"pgregory.net/rapid":                              {"batch/internal/storetest"},
	"golang.org/x/sys":                                nil,
	"golang.org/x/text":                               nil,
}

func TestImportsFollowTheArrows(t *testing.T) {
	for pkg, imports := range moduleImports(t) {
		allowed, known := arrows[pkg]
		if !known {
			t.Errorf("package %s is in no line of the table of arrows", pkg)
			continue
		}
		for _, path := range imports {
			if local, ok := strings.CutPrefix(path, "eventbatch/"); ok {
				if !slices.Contains(allowed, local) {
					t.Errorf("%s imports %s: no arrow goes there", pkg, local)
				}
				continue
			}
			if !strings.Contains(strings.Split(path, "/")[0], ".") {
				continue // the standard library
			}
			module, ok := owned(path)
			switch {
			case !ok:
				t.Errorf("%s imports %s, which nobody owns", pkg, path)
			case owners[module] != nil && !slices.Contains(owners[module], pkg):
				t.Errorf("%s imports %s, which belongs to %v", pkg, path, owners[module])
			}
		}
	}
}

func TestArrowsKeepTheDirection(t *testing.T) {
	for pkg, imports := range arrows {
		for _, to := range imports {
			if strings.HasPrefix(pkg, to+"/") && pkg != "batch/journal/files" { // which is what its root asks for
				t.Errorf("the table lets the child %s import its root %s", pkg, to)
			}
			if strings.HasPrefix(pkg, "mapping") && strings.HasPrefix(to, "batch") {
				t.Errorf("the table lets %s import %s: mapping knows nothing of sending", pkg, to)
			}
		}
	}
}

// A package outside its own tests that imports testing is support for the tests of others.
func TestProductsImportNoTestSupport(t *testing.T) {
	imports := moduleImports(t)
	support := func(pkg string) bool { return slices.Contains(imports[pkg], "testing") }
	for _, pkg := range []string{"batch/pagetest", "batch/pgtest", "batch/scratch", "batch/internal/storetest"} {
		if !support(pkg) {
			t.Errorf("%s is no support for tests", pkg)
		}
	}
	for pkg := range imports {
		for _, path := range imports[pkg] {
			if local, _ := strings.CutPrefix(path, "eventbatch/"); support(local) && !support(pkg) {
				t.Errorf("%s imports %s, which is for tests", pkg, local)
			}
		}
	}
}

func TestMappingHasNoNetwork(t *testing.T) {
	for pkg, imports := range moduleImports(t) {
		if pkg == "mapping" || strings.HasPrefix(pkg, "mapping/") {
			for _, path := range imports {
				if path == "net" || path == "net/http" {
					t.Errorf("%s imports %s", pkg, path)
				}
			}
		}
	}
}

func owned(path string) (module string, ok bool) {
	for module := range owners {
		if path == module || strings.HasPrefix(path, module+"/") {
			return module, true
		}
	}
	return "", false
}

// moduleImports reads the imports of every package's non-test files. It parses
// the files itself: a test that shells out to go list is cached past a new import.
func moduleImports(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[pkg] = append(found[pkg], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
