package send

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"eventbatch/batch/trial"
)

// model is what the package does with a row, as spin checks it in every order in which things can go wrong.
const model = "model/send.pml"

// The assertions of the model.
const (
	atMostOnce = "(effects<=1)"
	isTrue     = "(effects==1)"
	isDone     = "((status==1)&&(effects==1))"
)

// safeguards are those that the model can leave out, with the assertion that then fails.
var safeguards = map[string]string{
	"UNSYNCED":        atMostOnce,
	"NO_FENCE":        atMostOnce,
	"NO_LOOK":         atMostOnce,
	"OWN_EARLY":       atMostOnce,
	"SUCCESSOR_EARLY": atMostOnce,
	"ONCE":            atMostOnce,
	"NO_DEADLINE":     atMostOnce,
	"LATE":            atMostOnce,
	"DOUBT_IS_DONE":   isTrue,
	"NEVER_FREE":      isDone,
}

func TestTheModelHolds(t *testing.T) {
	verifier := modelTools(t)
	if said := verifier.search(t, nil, []string{"-DSAFETY", "-O1"}); !strings.Contains(said, "errors: 0") {
		t.Errorf("an error with all safeguards:\n%s", said)
	} else if unreached := regexp.MustCompile(`(?m)^\t.*, state \d+, "[^-].*`).FindAllString(said, -1); len(unreached) > 0 {
		t.Errorf("nothing leads to\n%s", strings.Join(unreached, "\n"))
	}
}

// A history has an end: there is none in which the workers go round in circles, however long it is.
func TestTheModelComesToAnEnd(t *testing.T) {
	verifier := modelTools(t)
	few := []string{"-DCRASHES=1", "-DSTEALS=1", "-DLOSSES=1", "-DSTALLS=1"}
	if said := verifier.search(t, few, []string{"-DNP"}, "-l"); !strings.Contains(said, "errors: 0") {
		t.Errorf("a history without an end:\n%s", said)
	}
}

func TestTheModelNeedsEverySafeguard(t *testing.T) {
	verifier := modelTools(t)
	violated := regexp.MustCompile(`pan:1: assertion violated (\S+)`)
	for safeguard, want := range safeguards {
		t.Run(safeguard, func(t *testing.T) {
			said := verifier.search(t, []string{"-D" + safeguard}, []string{"-DSAFETY"})
			trial.Say(t, trial.Safeguards, 1)
			if got := violated.FindStringSubmatch(said); got == nil || got[1] != want {
				t.Errorf("violated is %v, want %s:\n%s", got, want, said)
			}
		})
	}
}

func TestTheModelSaysWhichSafeguardsItHas(t *testing.T) {
	text := readModel(t)
	for _, match := range regexp.MustCompile(`(?m)^#ifn?def (\w+)`).FindAllStringSubmatch(text, -1) {
		switch name := match[1]; {
		case strings.Contains(text, "#define "+name+" "): // a number that can be set
		case safeguards[name] == "":
			t.Errorf("%s is not tried", name)
		case !regexp.MustCompile(`(?m)^ \*   ` + name + ` `).MatchString(text):
			t.Errorf("%s is not explained", name)
		}
	}
}

// What the model names of the code is there.
func TestEveryNameInTheModelExists(t *testing.T) {
	declared := map[string][]string{}
	names := regexp.MustCompile("`([a-z]+)\\.(\\w+)`").FindAllStringSubmatch(readModel(t), -1)
	for _, name := range names {
		pkg := name[1]
		if declared[pkg] == nil {
			declared[pkg] = declarations(t, filepath.Join("..", pkg))
		}
		if !slices.Contains(declared[pkg], name[2]) {
			t.Errorf("%s: package %s has no such name", name[0], pkg)
		}
	}
	if len(names) == 0 {
		t.Error("it names nothing")
	}
}

// declarations returns the names of what a package declares, those of methods, fields and constants too.
func declarations(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no package in %s: %v", dir, err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names = append(names, n.Name.Name)
			case *ast.TypeSpec:
				names = append(names, n.Name.Name)
			case *ast.ValueSpec:
				for _, name := range n.Names {
					names = append(names, name.Name)
				}
			case *ast.Field:
				for _, name := range n.Names {
					names = append(names, name.Name)
				}
			}
			return true
		})
	}
	return names
}

func readModel(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tools are the programs that check the model.
type tools struct{ spin, cc string }

// modelTools finds the programs. Where they are not installed the test is skipped, or fails where CI is set.
func modelTools(t *testing.T) tools {
	t.Helper()
	if testing.Short() {
		t.Skip("compiling the model takes seconds")
	}
	spin, err := exec.LookPath("spin")
	if err == nil {
		var cc string
		if cc, err = exec.LookPath("gcc"); err == nil {
			return tools{spin, cc}
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("spin and gcc are needed: %v", err)
	}
	t.Skip(err)
	return tools{}
}

// search has spin search all that the model can do, and returns what it says.
func (p tools) search(t *testing.T, modelled, compiled []string, flags ...string) string {
	t.Helper()
	source, err := filepath.Abs(model)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(program string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", program, args, err, said)
		}
		return string(said)
	}
	run(p.spin, append(modelled, "-a", source)...)
	run(p.cc, append(compiled, "-w", "-o", "pan", "pan.c")...)
	said := run(filepath.Join(dir, "pan"), append(flags, "-m10000", "-w20")...)
	if strings.Contains(said, "max search depth too small") {
		t.Fatalf("not all was searched:\n%s", said)
	}
	if states := searched.FindStringSubmatch(said); states != nil {
		n, err := strconv.Atoi(states[1])
		if err != nil {
			t.Fatal(err)
		}
		trial.Say(t, trial.States, n)
	}
	return said
}

var searched = regexp.MustCompile(`(?m)^\s*(\d+) states, stored`)
