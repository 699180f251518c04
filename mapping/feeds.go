package mapping

import "eventbatch/mapping/schema"

// Feed tells which columns of a source feed a field.
type Feed struct {
	Field   *schema.Field
	Columns []int // two: a date with its time of day
	// Borrowed tells that the first column is the start's date.
	Borrowed bool
	// Worked tells that the cells hold something else than the field's own values:
	// words of the mapping, several cells put together, HTML, a range, whole days.
	Worked bool
}

// Feeds lists what the columns of a source feed, constants and expressions aside.
// It may be asked once a row of the source has been given out.
func (r *Reading) Feeds(source int) []Feed {
	b := r.bindings[source]
	var list []Feed
	for _, f := range b.byID {
		if f == nil || len(f.columns) == 0 || f.program != nil || f.constant != nil {
			continue
		}
		time := f.field.Kind == schema.Timestamp
		list = append(list, Feed{
			Field: f.field, Columns: f.columns, Borrowed: f.borrowed,
			Worked: f.values != nil || len(f.columns) > 1 && !time || f.html || f.span == spanStart || f.span == spanEnd || time &&
				b.allDay != nil || f.columns[0] >= b.width,
		})
	}
	return list
}

// Plain reports whether each row of the source is read as it stands: not joined with
// another table, put together with others or unrolled.
func (r *Reading) Plain(source int) bool {
	b := r.bindings[source]
	return b.reshaper == nil && len(b.joins) == 0
}
