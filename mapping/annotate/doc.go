// Package annotate writes what was found in a file into a copy of it.
//
// The copy of a workbook is a patch of its parts (see package ooxml): nothing but our marks
// differs. A bad cell is coloured by a conditional format of ours, which leaves its own
// format alone, and has a note; each row has its verdict in a column of ours, and what is
// proposed for its cells in a second, as package proposal writes it; a sheet of ours lists
// all problems. Each of these can be told from what is the user's: formats by their
// formula, texts in notes by the lines around them, the columns by their headers, the sheet
// by a defined name. So an earlier call's marks are taken out first, and a copy of a copy is
// like a copy of the source.
//
// A sheet is gone through twice: once for what has to be known before its first row is
// written (columns in use, priorities, the drawing of its notes), once to be copied.
//
// Of a text file the copy is a workbook of its cells as texts.
package annotate
