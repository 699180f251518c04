package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// FlatProblem is a problem in JSON: place and problem in one object. In what the tool prints all
// names are always there, so that a script need not ask.
type FlatProblem struct {
	File     string    `json:"file"`
	Sheet    string    `json:"sheet"`
	Row      int       `json:"row"`    // as the spreadsheet shows it; 0 for the whole file
	Line     int       `json:"line"`   // 0 in a workbook
	Column   string    `json:"column"` // letters; "" for the whole row
	Header   string    `json:"header"`
	Field    string    `json:"field"`
	Severity *Severity `json:"severity"` // error where nothing says it
	Code     Code      `json:"code"`
	Message  string    `json:"message"`
	Hint     string    `json:"hint"`
	Value    string    `json:"value"`
	Proposal string    `json:"proposal"` // what the cell should hold; "" where there is no one answer
}

// Flat returns the flat form. A problem of a whole file (row 0) has no column.
func (p *Problem) Flat() FlatProblem {
	column := ""
	if p.Place.Row > 0 {
		column = ColumnName(p.Place.Column)
	}
	return FlatProblem{
		File: p.Place.File, Sheet: p.Place.Sheet, Row: p.Place.Row, Line: p.Place.Line, Column: column,
		Header: p.Place.Header, Field: p.Field, Severity: &p.Severity, Code: p.Code, Message: p.Message, Hint: p.Hint, Value: p.Value,
		Proposal: p.Proposal,
	}
}

// MarshalJSON returns the flat form.
func (p Problem) MarshalJSON() ([]byte, error) { return json.Marshal(p.Flat()) }

// UnmarshalJSON reads the flat form back.
func (p *Problem) UnmarshalJSON(data []byte) error {
	var w FlatProblem
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	column := -1
	if w.Column != "" {
		var ok bool
		if column, ok = ColumnIndex(w.Column); !ok {
			return fmt.Errorf("reading problem: %q is not a column", w.Column)
		}
	}
	*p = Problem{
		Severity: *cmp.Or(w.Severity, new(Error)), Code: w.Code, Field: w.Field, Value: w.Value, Message: w.Message,
		Hint: w.Hint, Proposal: w.Proposal,
		Place: Place{File: w.File, Sheet: w.Sheet, Row: w.Row, Line: w.Line, Column: column, Header: w.Header},
	}
	return nil
}

// MarshalText returns error or warning.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads error or warning.
func (s *Severity) UnmarshalText(text []byte) error {
	switch string(text) {
	case "error":
		*s = Error
	case "warning":
		*s = Warning
	default:
		return fmt.Errorf("reading severity: %q is neither error nor warning", text)
	}
	return nil
}
