// Package annotate writes what was found in a file into a copy of it.
package annotate
