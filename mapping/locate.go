package mapping

import "eventbatch/mapping/schema"

// Locate completes a problem of a row that was given out, found by somebody who
// knows its field or its column alone: with the column that feeds the field, its
// header and the cell. cells are those of the row.
func (r *Reading) Locate(p *schema.Problem, source int, cells []string) {
	b := r.bindings[source]
	if p.Place.Column < 0 {
		if field, ok := b.options.Resource.ByPath(p.Field); ok && b.byID[field.ID] != nil {
			p.Place.Column = b.physical(b.byID[field.ID].column())
		}
	}
	column := p.Place.Column
	if column >= 0 && column < len(b.header) {
		p.Place.Header = b.header[column]
	}
	if column >= 0 && column < len(cells) {
		p.Value = cells[column]
	}
}
