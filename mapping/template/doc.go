// Package template decides what the workbook holds that people fill in for an operation, and writes it.
package template
