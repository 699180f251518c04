// Command proof tries the program hard on this machine, and writes what came of it.
//
// .github/RELIABILITY.md has what tests did to the program, and what became of the rows: proof runs those tests that
// kill, cut and confuse it, and adds up what they count by batch/trial. .github/BENCHMARKS.md has how long things take,
// beside what somebody would use instead. Without a word both are made, with one that one:
//
//	go run ./cmd/proof [-long] [-seed N] [reliability | benchmarks]
//
// A page is written once all that belongs on it has succeeded; where a test fails, its seed is told and the old page
// stays. What a machine lacks is said on the page as not tried. The short form takes ten minutes on two processors.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/durable"
)

func main() {
	if do := rivals[strings.Join(os.Args[1:min(2, len(os.Args))], "")]; do != nil { // started by a contest
		if err := do(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "proof:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	long := flag.Bool("long", false, "try everything longer, which takes hours")
	seed := flag.Uint64("seed", 0, "`seed` of what is drawn; 0 draws one")
	flag.Parse()
	pages := []string{"reliability", "benchmarks"}
	if args := flag.Args(); len(args) > 1 || len(args) == 1 && !slices.Contains(pages, args[0]) {
		return fmt.Errorf("%q is no page: say reliability or benchmarks, or nothing for both", strings.Join(args, " "))
	} else if len(args) == 1 {
		pages = args
	}
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("it is run in the repository: %w", err)
	}
	if err := os.Chdir(strings.TrimSpace(string(root))); err != nil {
		return err
	}
	made := form{Long: *long, Seed: *seed, Begun: time.Now(), Machine: thisMachine()}
	if made.Seed == 0 {
		made.Seed = rand.Uint64N(1e9) + 1 // short enough to be typed
	}
	for _, page := range pages {
		draw := map[string]func(context.Context, form) (any, error){"reliability": reliabilityOf, "benchmarks": benchmarksOf}[page]
		data, err := draw(ctx, made)
		if err := publish(fileOf(page), page, data, err); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, fileOf(page), "is written")
	}
	return nil
}

// publish writes a page, unless something went wrong.
func publish(path, page string, data any, err error) error {
	var text string
	if err == nil {
		text, err = render(page, data)
	}
	if err != nil {
		return fmt.Errorf("%s stays as it was: %w", path, err)
	}
	return durable.ReplaceText(path, 0o644, []byte(text))
}

// fileOf returns the path of a page in the repository.
func fileOf(page string) string { return filepath.Join(".github", strings.ToUpper(page)+".md") }

// form is how a page is made.
type form struct {
	Long    bool
	Seed    uint64
	Begun   time.Time
	Machine machine
}

// Day is when it was made.
func (f form) Day() string { return f.Begun.Format("2 January 2006") }
