// Package value reads, compares and writes single values: what a cell has to say for a field
// to take it.
//
// [Parse] reads the text of a cell by the kind of its field, and by the rule that the field has
// beside it. Each kind has a function of its own too, such as [ParseNumber], whose fault says what
// is wrong and what to write. A good value comes out in canonical form, which reads as itself.
//
// [Compare] tells whether two values mean the same, as the service keeps them: instants, not texts;
// the items of a list in any order. [Fill] makes a draft of a record of the service, as the row would
// be that says it. An object in a cell is a [Node], which is matched with the shape that the catalog
// gives for it.
package value
