// Package sheet turns files into rows.
package sheet
