// Package backdrop keeps libraries from asking the terminal for its background.
package backdrop

import "github.com/charmbracelet/lipgloss"

// The library under the prompts of map asks the terminal for its colour as soon as
// it is linked in: every command, version too, then writes a question into its own
// output, waits up to five seconds for an answer, and takes what was typed meanwhile
// for one. Once the colour is settled nobody asks. The prompts use none that
// depends on it.
//
// It has to be settled before that library's own init. Packages that are ready are
// initialised in the order of their paths (The Go Programming Language
// Specification, Program initialization): this one imports less, and eventbatch
// stands before github.com.
func init() { lipgloss.SetHasDarkBackground(true) }
