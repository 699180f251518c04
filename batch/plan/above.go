package plan

// above are the rows of a plan that were met before another one: what that one may name, and must not repeat.
type above struct {
	keys      map[place]int   // the row of each key, and of each record that was found
	renamed   map[string]bool // the old keys whose rows were met
	relatives relatives
	named     map[place]named    // the rows of what others name
	calendars map[string][]named // the rows of calendars, by their slugs and names in small letters
	added     map[place][]int    // the ops that add a record of a kind of which one has to stay: see [Planner.outlast]
}
