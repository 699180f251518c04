// Package mapping says what a row means.
//
// [Read] follows a row all the way: a file's header is bound to fields, by what it
// says itself or by a mapping [File]; each row then becomes a draft of what it asks
// for, with the problems of its cells, of its fields together, and of it beside
// the rows before it. There is no network here and no clock.
//
// A cell that is blank leaves its field alone, <clear> asks for null, <empty> for
// an empty text, and anything else is a value. Nothing is guessed: a time that the
// clock skips or shows twice, a date that can be read in two ways, a date without
// a time are problems, with what to write instead.
package mapping
