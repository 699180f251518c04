package sheet

// The names by which a workbook says which of its sheets are ours and hold no
// rows. They go where the sheet goes, whatever it is called and by whichever
// program it is saved.
const (
	OwnPrefix       = "_eventbatch_"
	AnnotationSheet = OwnPrefix + "problems" // what was found in the other sheets
	BaseSheet       = OwnPrefix + "base"     // what the rows of an export said; see package baseline
)

// The headers of our columns in the user's sheets.
const (
	BaseColumn       = "_base"                // what the row of an export said; see package baseline
	LinkColumn       = "_url"                 // the address of the page of an event
	RowColumn        = "_row"                 // of results: which row it was
	AnnotationColumn = "_eventbatch"          // what was found in each row
	ProposalColumn   = "_eventbatch_proposal" // what its cells should hold; see package proposal
)
