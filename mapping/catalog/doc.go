// Package catalog has the tables of what the service takes: the resources with their fields, the
// operations, the values of its enumerations and its limits, and what each code of a problem means.
//
// Whatever another package knows of the service it reads here: validation, the columns of
// a mapping, template workbooks, the fields and operations commands, planning, sending,
// and the sandbox. What the words of the tables mean package schema says.
//
// A further operation is a row of [Operations]. Where its resource is new, that is a table
// of fields and an entry of [Resources], in the order of dependence. Reading, checking,
// planning, sending and the sandbox take it from there: only a rule that these tables
// cannot say needs code.
package catalog
