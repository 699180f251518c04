package reshape

import "eventbatch/mapping/schema"

// Note is what there is to say of a row that was given out.
type Note struct {
	Skip     string           // why the row is no event of its own; empty where it is
	Of       int              // the row whose event it is part of; 0: none
	Problems []schema.Problem // of the place they have the column only
	From     []int            // rows of what was joined, by join; 0 where the table has nothing
	Column   int              // of the grid, whose cell the row is of
	Admitted bool             // Admit has let the row through, as it was before it was reshaped
}
