// Package template decides what the template workbook of an operation holds.
package template
