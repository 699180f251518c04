// Package ooxml knows the container of a workbook: a zip archive of XML parts.
package ooxml
