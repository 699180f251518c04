package sheet

// The names by which a workbook says which of its sheets are ours and hold no
// rows. They go where the sheet goes, whatever it is called and by whichever
// program it is saved.
const (
	OwnPrefix       = "_eventbatch_"
	AnnotationSheet = OwnPrefix + "problems" // what was found in the other sheets
)

// AnnotationColumn is the header of the column of ours, which tells of each row of the
// user's what was found in it.
const AnnotationColumn = "_eventbatch"
