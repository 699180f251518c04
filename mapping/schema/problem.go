package schema

// Severity says whether a problem keeps its row from being sent.
type Severity uint8

// An Error keeps the row from being sent, a Warning does not.
const (
	Error Severity = iota
	Warning
)

// String returns the word used in reports and JSON.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Problem is one thing wrong at one cell. Message says what is wrong, Hint what
// to do; both are lower case without a full stop.
type Problem struct {
	Severity Severity
	Code     Code
	Field    string // path, empty where no field is concerned
	Place    Place
	Value    string // what the cell holds, as the file has it
	Message  string
	Hint     string
	// Proposal is what the cell should hold, where there is one answer; empty where there is none.
	Proposal string
	Resource string // what the rows are about, where that is not what they are read as
}

// Error returns the place and the message, for a problem that ends a reading.
func (p *Problem) Error() string {
	if where := p.Place.String(); where != "" {
		return where + ": " + p.Message
	}
	return p.Message
}
