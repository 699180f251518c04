package fix

import (
	"fmt"
	"slices"
	"strings"

	"eventbatch/mapping/proposal"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// proposals has the cells of the row hold what is proposed for them.
func (r *rowFixer) proposals() {
	at := slices.Index(r.Header, sheet.ProposalColumn)
	if at < 0 {
		for i := range r.Problems {
			if p := &r.Problems[i]; p.Proposal != "" && !r.blank(p.Place.Column) {
				r.propose(p.Place.Column, p.Proposal)
			}
		}
		return
	}
	changes, err := proposal.Read(strings.TrimPrefix(r.cell(at).Text, "'"))
	if err != nil {
		r.leave(at, err.Error())
	}
	for _, c := range changes {
		column := sheet.OnlyColumn(r.Header, c.Header)
		if column < 0 {
			r.leave(at, fmt.Sprintf("no one column has the header %q", c.Header))
			continue
		}
		holds := proposal.OneLine(r.cell(column).Text)
		switch {
		case c.After == "" || holds == c.After:
		case holds == c.Before, column < len(r.Shown) && holds != "" && proposal.OneLine(r.Shown[column]) == c.Before:
			r.propose(column, c.After)
		case holds == "":
			r.leave(column, "the cell is blank now")
		default:
			r.leave(column, fmt.Sprintf("the cell holds %.60q now", holds))
		}
	}
}

// propose has a cell hold a text, as a number where it is one of a workbook.
func (r *rowFixer) propose(column int, after string) {
	out, path := sheet.TextOut(after), ""
	if feeds := r.fields[column]; feeds != nil {
		path = feeds.Field.Path
		digits, fault := value.ParseNumber(after)
		if feeds.Field.Kind.Numeric() && fault == nil && r.Name != "" && !value.LostDigits(digits) {
			out = sheet.Out{Kind: sheet.Number, Text: digits}
		}
	}
	r.put(column, ruleTake, path, after, out)
}
