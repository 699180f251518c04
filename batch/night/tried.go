package night

import "strings"

// InSandbox ends the name of a source of which something was tried out.
const InSandbox = "@sandbox"

// TriedOut returns what a source is called, which is another one in the sandbox.
func TriedOut(source string, sandbox bool) string {
	if sandbox && !strings.HasSuffix(source, InSandbox) {
		source += InSandbox
	}
	return source
}
