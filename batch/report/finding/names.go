package finding

import (
	"os"
	"slices"
)

// Names returns for each path the shortest end that no other path has: the file's own
// name, with as many of its folders as tell it from its namesakes.
func Names(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		for n := 1; ; n++ {
			names[i] = end(path, n)
			if !slices.ContainsFunc(paths, func(other string) bool { return other != path && end(other, n) == names[i] }) {
				break
			}
		}
	}
	return names
}

// end returns the last n elements of a path.
func end(path string, n int) string {
	for i := len(path) - 1; i >= 0; i-- {
		if os.IsPathSeparator(path[i]) {
			if n--; n == 0 {
				return path[i+1:]
			}
		}
	}
	return path
}
