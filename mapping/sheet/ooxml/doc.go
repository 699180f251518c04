// Package ooxml knows the container of a workbook: a zip archive of XML parts.
//
// It knows no rows and no values; it gives parts to whoever reads them, and puts parts
// together for whoever changes them. There is a way for each.
//
// Reading: an [Archive] refuses what declares more than its limits allow, and each [Part]
// what is longer than declared or has another checksum. A [Feed] inflates parts in a
// goroutine of its own, and a [Scanner] reads their tokens: namespace-well-formed UTF-8
// without a document type, everything else is a [*Flaw]. It decodes in place and reads
// ahead where the caller knows the form of what comes, as rows are read by the million.
//
// Changing: a [Pack] is a copy of an archive in the making, in which parts that are not set
// keep their bytes, compressed as they are. A [Workbook] is one that knows its main part
// and its formats. Parts that are small are held in memory and changed by where their
// elements stand ([RootOf], [Within], [Appended], [Edited]); the part of a sheet is
// copied as a stream of pieces, a [Markup], and [CopyRow] writes a row with new cells. The
// pieces are raw bytes, since what is not changed is to stay as it was; that they are
// well-formed has been made sure of by a reading before.
//
// Parts go by one form of their name ([PartName]), elements by their local name and the
// prefix of the root. A part that is written in UTF-16 is UTF-8 once it is changed.
package ooxml
