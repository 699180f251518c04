package desk

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"eventbatch/mapping/own"
)

// Copies are the copies of a file that were written by its edits, by their sums: the page knows them by that, whoever wrote
// them, and writes over no others.
type Copies struct {
	path  string // of the sums, beside the edits
	steps int    // that the edits have
}

// CopiesBy returns the copies by a file of edits with so many steps; nil where that is none that a page keeps.
func CopiesBy(edits string, steps int) *Copies {
	folder := filepath.Dir(edits)
	if _, err := own.Read(filepath.Join(folder, ofFile)); err != nil {
		return nil
	}
	return &Copies{filepath.Join(folder, copiesFile), steps}
}

// copiesFile has a line for each copy: its sum, and how many steps it has.
const copiesFile = "copy"

// Expect keeps the sum of a copy that is about to be put in its place, beside that of the copy which is there until then.
func (c *Copies) Expect(sum string) error {
	before, err := own.Read(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.keep(before, sum)
}

// Put keeps the sum of the copy that is in its place, and no other.
func (c *Copies) Put(copied string) error {
	sum, err := sumOf(copied)
	if err != nil {
		return err
	}
	return c.keep(nil, sum)
}

func (c *Copies) keep(before []byte, sum string) error {
	return own.ReplaceText(c.path, fmt.Appendf(before, "%s %d\n", sum, c.steps))
}

// stepsOf returns how many steps a copy has by the sums in a folder; empty where it is not among them.
func stepsOf(folder, sum string) string {
	text, _ := own.Read(filepath.Join(folder, copiesFile)) // few folders have one
	for line := range strings.Lines(string(text)) {
		if of, steps, _ := strings.Cut(strings.TrimSpace(line), " "); of == sum {
			return steps
		}
	}
	return ""
}
