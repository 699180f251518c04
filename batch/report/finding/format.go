package finding

// Format returns the format of a kind of document, which is its first member: with a later number its members
// mean something else, and with the same one there are at most more of them.
func Format(name string) string { return "eventbatch/" + name + "/1" }
