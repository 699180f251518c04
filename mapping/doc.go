// Package mapping says what a row means.
package mapping
