package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/sheet"
)

// textOf returns a document of the repository's top.
func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tableBelow returns the cells of the table that follows the heading, without its head.
func tableBelow(t *testing.T, text, heading string) [][]string {
	t.Helper()
	_, after, found := strings.Cut(text, heading)
	var rows [][]string
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(line, "|") {
			if len(rows) > 0 {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	if !found || len(rows) < 3 {
		t.Fatalf("no table below %q", heading)
	}
	return rows[2:]
}

func TestATopicHasEveryExitCode(t *testing.T) {
	listed := map[int]bool{}
	for _, row := range tableBelow(t, textOf(t, "templates/topics/exit-codes.md"), "# The codes") {
		code, err := strconv.Atoi(row[0])
		if known := exits[code]; err != nil || known.reason != row[1] || known.meaning != row[2] {
			t.Errorf("%v: the code is %q", row, known)
		}
		listed[code] = true
	}
	for code, known := range exits {
		if !listed[code] {
			t.Errorf("exit code %d (%s) is not in the topic", code, known.reason)
		}
	}
}

func TestATopicHasEveryResource(t *testing.T) {
	var names []string
	for _, row := range tableBelow(t, textOf(t, "templates/topics/resources.md"), "# More than events") {
		names = append(names, strings.Trim(row[0], "`"))
	}
	if !slices.Equal(names, catalog.ResourceNames()) {
		t.Errorf("the topic has %v, the catalog %v", names, catalog.ResourceNames())
	}
	page := strings.Join(strings.Fields(textOf(t, "templates/commands/fields.md")), " ")
	if words := strings.Join(catalog.ResourceNames(), ", "); !strings.Contains(page, words) {
		t.Errorf("the page of fields lacks %s", words)
	}
}

func TestATopicHasEveryFormat(t *testing.T) {
	var names []string
	for _, row := range tableBelow(t, textOf(t, "templates/topics/formats.md"), "# Which files") {
		for name := range strings.SplitSeq(row[0], ", ") {
			names = append(names, strings.Trim(name, "`"))
		}
	}
	if known := sheet.FormatNames(); !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(known))) {
		t.Errorf("the topic has %v, and read are %v", names, known)
	}
}

func TestContributorsFindEveryPackage(t *testing.T) {
	listed := map[string]bool{}
	for _, row := range tableBelow(t, textOf(t, ".github/CONTRIBUTING.md"), "## Where does a line go?") {
		if row[1] != "" {
			listed[strings.Split(row[1], "`")[1]] = true
		}
	}
	for name := range arrows {
		if !listed[name] {
			t.Errorf("package %s is in no line of CONTRIBUTING", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("CONTRIBUTING has a package %s, which is not there", name)
	}
}

// What the page for contributors names is there: files, packages, tests and flags.
func TestEveryNameForContributorsExists(t *testing.T) {
	text := textOf(t, ".github/CONTRIBUTING.md")
	flags := map[string]bool{}
	root := (&env{}).root()
	note := func(f *pflag.Flag) { flags["--"+f.Name] = true }
	root.PersistentFlags().VisitAll(note)
	for _, cmd := range root.Commands() {
		cmd.LocalNonPersistentFlags().VisitAll(note)
	}
	sources := goSources(t)
	path := regexp.MustCompile(`^(\./)?(cmd|batch|mapping|samples|templates|\.ci)(/[\w.-]+)*$`)
	for _, quoted := range regexp.MustCompile("`[^`\n]+`").FindAllString(text, -1) {
		for word := range strings.FieldsSeq(strings.Trim(quoted, "`")) {
			word = strings.Trim(strings.TrimSuffix(word, "/..."), "^$'")
			test, isScript := strings.CutPrefix(word, "TestScripts/")
			switch {
			case strings.Contains(word, "NAME"): // stands for the name of what is added
			case isScript:
				if found, _ := filepath.Glob("testdata/script/*/" + test + ".txtar"); len(found) != 1 {
					t.Errorf("%s: no such script", quoted)
				}
			case path.MatchString(word):
				if _, err := os.Stat(filepath.Join("..", "..", word)); err != nil {
					t.Errorf("%s: %v", quoted, err)
				}
			case strings.HasPrefix(word, "--") && !flags[word]:
				t.Errorf("%s: no command has the flag", quoted)
			case strings.HasPrefix(word, "Benchmark"), strings.HasPrefix(word, "Fuzz"):
				if !strings.Contains(sources, "func "+word+"(") {
					t.Errorf("%s is in no file", word)
				}
			}
		}
	}
	for _, row := range tableBelow(t, text, "## Words") {
		if name := strings.Trim(row[2], "`"); arrows[name] == nil {
			t.Errorf("%s: no package %s", row[0], name)
		}
	}
	for dir := range packagesWithUpdate(t) {
		if !strings.Contains(text, "`go test ./"+dir) {
			t.Errorf("CONTRIBUTING has no command for -update in %s", dir)
		}
	}
}

// packagesWithUpdate returns the packages whose tests have a flag -update.
func packagesWithUpdate(t *testing.T) map[string]bool {
	t.Helper()
	dirs := map[string]bool{}
	walkGo(t, func(dir, text string) {
		if strings.Contains(text, `flag.Bool("update"`+`,`) {
			dirs[dir] = true
		}
	})
	return dirs
}

// goSources returns the text of all Go files.
func goSources(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	walkGo(t, func(_, text string) { all.WriteString(text) })
	return all.String()
}

// walkGo calls do for each Go file, with its folder.
func walkGo(t *testing.T, do func(dir, text string)) {
	t.Helper()
	top := filepath.Join("..", "..")
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(top, filepath.Dir(path))
		do(filepath.ToSlash(dir), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
