package sheet

// The names by which a workbook says which of its sheets are ours and hold no
// rows. They go where the sheet goes, whatever it is called and by whichever
// program it is saved.
const (
	OwnPrefix       = "_eventbatch_"
	AnnotationSheet = OwnPrefix + "problems" // what was found in the other sheets
)

// The headers of our columns in the user's sheets.
const (
	AnnotationColumn = "_eventbatch"          // what was found in each row
	ProposalColumn   = "_eventbatch_proposal" // what its cells should hold; see package proposal
)
