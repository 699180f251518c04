// Package blank decides what the forms hold that people fill in.
package blank
