// Package mapping says what a row means.
//
// [Read] follows a row all the way: a file's header is bound to fields, by what it
// says itself or by a mapping file ([eventbatch/mapping/mapfile.File]); each row then
// becomes a draft of what it asks for, with the problems of its cells, of its fields
// together, and of it beside the rows before it. There is no network here and no clock.
//
// A cell that is blank leaves its field alone, <clear> asks for null, <empty> for
// an empty text, and anything else is a value. Nothing is guessed: a time that the
// clock skips or shows twice, a date that can be read in two ways, a date without
// a time are problems, with what to write instead.
//
// A file that another program made is read by a preset, a mapping file that is built
// in. What such a file needs beyond columns is in package reshape, which comes before
// the binding: rows of one event become one, a row of many days becomes many, and
// cells of a second table stand beside a row's own. A problem stays at its physical place.
package mapping
