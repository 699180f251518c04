// Package pattern has regular expressions that are compiled when the first text is searched for them: a command
// that searches none starts without them.
package pattern

import (
	"regexp"
	"sync"
)

// New returns a function that returns the expression, compiled at its first call. The call panics where it is no
// regular expression.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
